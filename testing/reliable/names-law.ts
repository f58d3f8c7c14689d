import { keyOfChild } from '../../infra/check/check-children.ts';
import { titleOfChild } from '../../shared/kinds/child.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { breach, laws } from '../law.ts';
import { type JudgedKind, resourceOf } from './specification-laws.ts';

/** Pairs of names that become equal if they are carelessly cut, joined or made legal. */
const similar: readonly (readonly [string, string])[] = [
  ['shop', 'shop-1'],
  ['a.b', 'a-b'],
  ...[20, 50, 62, 240].map((length): [string, string] => [
    `${'n'.repeat(length)}1`,
    `${'n'.repeat(length)}2`,
  ]),
];

/**
 * Requires that two resources with similar names and the same specification want different children. Ignores
 * names that the specification contains, because these are the user's choice.
 */
export function requireOwnNames(subject: JudgedKind, spec: JsonObject): void {
  const childrenOf = (name: string): ReadonlyMap<string, string> => {
    const resource = resourceOf({ ...subject, name }, spec);
    const isRefused = subject.server.ofResource(subject.kind, resource).length > 0;
    const found = isRefused ? [] : subject.kind.desired(resource);
    const children = 'invalid' in found ? [] : found;
    return new Map(
      children
        .filter((child) => !JSON.stringify(spec).includes(JSON.stringify(child.name)))
        .map((child) => [keyOfChild(child), titleOfChild(child)]),
    );
  };
  for (const [one, other] of similar) {
    const [mine, theirs] = [childrenOf(one), childrenOf(other)];
    const both = [...mine].filter(([key]) => theirs.has(key)).map(([, title]) => title);
    if (both.length > 0)
      throw breach(laws.named, subject.what, [
        `resources called ${one} and ${other} both want ${both.join(', ')}; derive the name of a child from the whole name of its resource`,
      ]);
  }
}
