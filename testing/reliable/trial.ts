import fc from 'fast-check';
import { keyOfChild } from '../../infra/check/check-children.ts';
import { isSameJson } from '../../shared/canonical.ts';
import { valueAt } from '../../shared/json.ts';
import { type Child, titleOfChild } from '../../shared/kinds/child.ts';
import type { Json, JsonObject } from '../../shared/kubernetes.ts';
import { shownValue } from '../difference.ts';
import { breach, laws } from '../law.ts';
import { editorOf, growthOf, type SpecificationEdit } from '../specifications/specifications.ts';
import { scalarsIn } from './children-laws.ts';
import { judgeEdit } from './edit-laws.ts';
import type { Star } from './sequence.ts';
import {
  type JudgedKind,
  judgeSpecification,
  type Produced,
  requireFewChildren,
  resourceOf,
} from './specification-laws.ts';

export interface Trial {
  readonly tryOne: (star: Star) => void;
  /** True if a field has been changed so often without any effect that the search can end. */
  readonly isSure: () => boolean;
  /** Requires that each field had an effect. Ignores fields that were rarely changed. */
  readonly requireEffects: () => void;
  readonly specs: () => number;
}

/** The number of changes after which a field must have had an effect. */
const enough = 10;
/** After this number of changes without an effect, the search ends. */
const plenty = 30;

export function trialOf(subject: JudgedKind): Trial {
  const edited = editorOf(subject.kind);
  const fields = new Map<string, { readonly changes: number; readonly hadEffect: boolean }>();
  let judged = 0;
  const judge = (spec: JsonObject): Produced | undefined => {
    judged += 1;
    return judgeSpecification(subject, spec);
  };
  const note = (path: readonly string[], hasEffect: boolean): void => {
    const { changes, hadEffect } = fields.get(textOf(path)) ?? { changes: 0, hadEffect: false };
    fields.set(textOf(path), { changes: changes + 1, hadEffect: hadEffect || hasEffect });
  };
  const idle = (least: number) =>
    [...fields].filter(([, { changes, hadEffect }]) => changes >= least && !hadEffect);
  return {
    tryOne({ first, others }) {
      const before = judge(first);
      if (before === undefined) return;
      for (const { edit, spec } of others) {
        const after = judge(spec);
        if (after === undefined || isSameJson(before.spec, after.spec)) continue;
        judgeEdit(subject, { edit, before, after });
        // If both specs are refused, the edit says nothing about the field.
        if (!(before.refused && after.refused)) note(edit.path, before.effect !== after.effect);
        const absent = edited(spec, { path: edit.path });
        if ((edit.to === 0 || edit.to === '') && absent !== spec)
          requireDistinct(subject, edit, { before, after, absent: judge(absent) });
      }
    },
    isSure: () => idle(plenty).length > 0,
    requireEffects() {
      const seen = idle(enough).map(
        ([field, { changes }]) =>
          `${field}: ${changes} edits of this field changed no child, clean-up or status; if it acts only together with other objects, list it in passedOn`,
      );
      if (seen.length > 0) throw breach(laws.effective, subject.what, seen);
    },
    specs: () => judged,
  };
}

const textOf = (path: readonly string[]): string =>
  ['spec', ...path].join('.').replaceAll(/\.(\d+)/g, '[$1]');

interface Compared {
  readonly before: Produced;
  /** The result if the field is zero or an empty string. */
  readonly after: Produced;
  /** The result without the field. */
  readonly absent: Produced | undefined;
}

/**
 * Requires that a kind distinguishes zero from an absent field and from the field's default, and an empty string from
 * the default. If the field has no default, an empty string may count as absent.
 */
function requireDistinct(
  { what }: JudgedKind,
  { path, to }: SpecificationEdit,
  { before, after, absent }: Compared,
): void {
  if (absent === undefined) return;
  const otherwise = valueAt(absent.spec, ...path);
  const isLost =
    otherwise === undefined
      ? to === 0 && absent.effect === after.effect && before.effect !== after.effect
      : otherwise !== to &&
        isReplaced({ before, after }, [valueAt(before.spec, ...path), otherwise]);
  if (isLost)
    throw breach(laws.distinct, what, [
      `${textOf(path)}: ${shownValue(to)} is treated as ${otherwise === undefined ? 'an absent field' : `the default, ${shownValue(otherwise)}`}; compare the field with undefined, or exclude this value with minimum or minLength`,
    ]);
}

/** True if a field of a child had the spec's value before the edit, and has the default after it. */
function isReplaced(
  { before, after }: Omit<Compared, 'absent'>,
  [value, otherwise]: readonly [Json | undefined, Json],
): boolean {
  if (value === otherwise || value === undefined) return false;
  const [was, is] = [before, after].map(({ children }) => leavesOf(children));
  return [...(was ?? [])].some(
    ([path, leaf]) => leaf === String(value) && is?.get(path) === String(otherwise),
  );
}

const leavesOf = (children: readonly Child[]): ReadonlyMap<string, string> =>
  new Map(
    children.flatMap((child) =>
      scalarsIn(child.body).map(([path, value]) => [
        `${titleOfChild(child)} ${path}`,
        String(value),
      ]),
    ),
  );

/** Requires that large numbers and long lists do not lead to too many children. */
export function requireBounds(subject: JudgedKind, seed: number): void {
  const grown = growthOf(subject.kind, subject.passedOn).flatMap((one) =>
    fc.sample(one, { seed, numRuns: 1 }),
  );
  for (const spec of grown) requireFewChildren(subject, spec);
}

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
 * Requires that two resources with similar names and the same spec have no child in common. Ignores names and
 * namespaces in the spec, because the user chooses them.
 */
export function requireOwnNames(subject: JudgedKind, spec: JsonObject): void {
  const childrenOf = (name: string): ReadonlyMap<string, string> => {
    const resource = resourceOf({ ...subject, name }, spec);
    const isRefused = subject.server.ofResource(subject.kind, resource).length > 0;
    const found = isRefused ? [] : subject.kind.desired(resource);
    const children = 'invalid' in found ? [] : found;
    const text = JSON.stringify(spec);
    const isChosen = ({ name, namespace = name }: Child): boolean =>
      [name, namespace].some((one) => text.includes(JSON.stringify(one)));
    return new Map(
      children
        .filter((child) => !isChosen(child))
        .map((child) => [keyOfChild(child), titleOfChild(child)]),
    );
  };
  for (const [one, other] of similar) {
    const [mine, theirs] = [childrenOf(one), childrenOf(other)];
    const both = [...mine].filter(([key]) => theirs.has(key)).map(([, title]) => title);
    if (both.length > 0)
      throw breach(laws.named, subject.what, [
        `resources named ${one} and ${other} have the same children: ${both.join(', ')}; derive the name of a child from the whole name of its resource`,
      ]);
  }
}
