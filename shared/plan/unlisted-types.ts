import type { Child, ChildName } from '../kinds/child.ts';
import { issuerOf } from '../kinds/references/generated-data.ts';
import { groupResource, keyOf, type TypeName } from '../kubernetes.ts';
import type { Decided } from './decision/decision.ts';
import { namespaceFor } from './decision/dependencies.ts';
import { unlistedIn, type World } from './observed/world.ts';

/** Types that could not be listed. Only deletions of related types wait for the children concerned. */
export interface Unlisted {
  /** Keys of the desired children of these types, and of the children that wait for them. */
  readonly children: ReadonlySet<string>;
  /** The unlisted types, and those that desired children relate to them by `needs`, `actsOn` or generated data. */
  readonly types: ReadonlySet<string>;
}

export function unlistedAmong(decided: readonly Decided[], world: World): Unlisted | undefined {
  const without = decided.filter(({ child }) => unlistedIn(world, child.type) !== undefined);
  if (without.length === 0) return undefined;
  const children = new Set(without.map(({ decision }) => keyOf(decision.child)));
  const isWaiting = ({ decision }: Decided): boolean => {
    const until = decision.verb === 'wait' ? decision.postponed?.until : undefined;
    return [until ?? [], decision.needs ?? []].flat().some((need) => children.has(keyOf(need)));
  };
  for (const _ of decided)
    for (const one of decided.filter(isWaiting)) children.add(keyOf(one.decision.child));
  const related = decided.map(({ child }) => [
    groupResource(child.type),
    ...relativesOf(child, decided).map(groupResource),
  ]);
  const types = new Set(without.map(({ child }) => groupResource(child.type)));
  for (const _ of related)
    for (const some of related)
      if (some.some((type) => types.has(type))) for (const type of some) types.add(type);
  return { children, types };
}

const relativesOf = (child: Child, decided: readonly Decided[]): readonly TypeName[] =>
  [
    ...(child.needs ?? []),
    ...(child.generated?.usedBy ?? []),
    ...[child.actsOn ?? [], issuerOf(child) ?? [], namespaceFor(child, decided) ?? []].flat(),
  ].map(({ type }: Pick<ChildName, 'type'>) => type);
