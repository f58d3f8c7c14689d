import { aDayLater } from '../infra/check/shift-clock.ts';
import { messageOf } from '../shared/cluster/cluster-errors.ts';
import { deepFreeze } from '../shared/json.ts';
import { type Child, titleOfChild } from '../shared/kinds/child.ts';
import type { IsPast, Kind } from '../shared/kinds/kind.ts';
import type { Resource } from '../shared/kinds/reads.ts';
import { groupResource, includesType, type Json, titleOf } from '../shared/kubernetes.ts';
import { finderIn } from '../shared/plan/decision/desired.ts';
import type { Found } from '../shared/plan/observed/world.ts';
import { describeDifference, firstDifference } from './difference.ts';
import { breach, laws } from './law.ts';

/**
 * Calls `children` twice with a frozen resource, and once more with the clock a day ahead. Requires the same result
 * each time, in which each child has a type in `owns` and occurs once.
 */
export function desiredChildrenOf(
  kind: Kind,
  resource: Resource<unknown>,
  { reads, isPast = isPastNow() }: Pick<Input, 'reads'> & Partial<Input>,
): readonly Child[] {
  const what = titleOf({ ...resource, kind: kind.kind });
  const call = () => onFrozen(kind, { resource, reads, isPast }, what);
  const desired = call();
  for (const again of [call(), aDayLater(call)]) {
    const differences = differencesIn(desired, again);
    if (differences.length > 0)
      throw breach(laws.pure, what, [
        'two calls of children() for this resource differ:',
        ...differences,
      ]);
  }
  requireOwned(kind, desired, what);
  return desired;
}

/** The returned function does not follow the clock. */
export function isPastNow(): IsPast {
  const now = Date.now();
  return (time) => new Date(time).getTime() <= now;
}

interface Input {
  readonly resource: Resource<unknown>;
  readonly reads: ReadonlyMap<string, Found>;
  readonly isPast: IsPast;
}

function onFrozen(kind: Kind, { resource, reads, isPast }: Input, what: string): readonly Child[] {
  const find = finderIn(
    new Map([...reads].map(([key, one]) => [key, deepFreeze(structuredClone(one))])),
  );
  const desired = attempt(() => kind.desired(deepFreeze(structuredClone(resource)), find, isPast));
  if ('error' in desired) {
    const copy = structuredClone(resource);
    attempt(() => kind.desired(copy, finderIn(structuredClone(reads)), isPast));
    const changed = firstDifference(resource.spec as Json, copy.spec as Json, 'spec');
    const seen = changed === undefined ? [] : [`children() changes ${describeDifference(changed)}`];
    throw breach(laws.pure, what, [...seen, `children() throws: ${messageOf(desired.error)}`]);
  }
  if ('invalid' in desired.result)
    throw new Error(`${what} is invalid: ${desired.result.invalid}; pass a valid resource`);
  return desired.result;
}

function attempt<T>(act: () => T): { readonly result: T } | { readonly error: unknown } {
  try {
    return { result: act() };
  } catch (error) {
    return { error };
  }
}

function differencesIn(first: readonly Child[], second: readonly Child[]): readonly string[] {
  const length = Math.max(first.length, second.length);
  return Array.from({ length }, (_, at) => {
    const found = firstDifference(plainChild(first[at]), plainChild(second[at]));
    return found === undefined
      ? []
      : [`${first[at] ? titleOfChild(first[at]) : 'no child'}: ${describeDifference(found)}`];
  }).flat();
}

export const plainChild = (child: Child | undefined): Json | undefined =>
  child && { ...JSON.parse(JSON.stringify(child)), type: groupResource(child.type) };

function requireOwned(kind: Kind, desired: readonly Child[], what: string): void {
  const types = kind.owns.map(groupResource).join(', ');
  const strange = desired.filter(({ type }) => !includesType(kind.owns, type));
  const names = desired.map(titleOfChild);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  if (strange.length + twice.length > 0)
    throw breach(laws.owned, what, [
      ...strange.map(
        (child) =>
          `${titleOfChild(child)}: ${groupResource(child.type)} is not in \`owns\` (${types})`,
      ),
      ...twice.map((name) => `${name}: returned twice`),
    ]);
}
