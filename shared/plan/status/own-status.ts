import type { FoundChild } from '../../kinds/child-type.ts';
import type { Kind } from '../../kinds/kind.ts';
import { keyOf } from '../../kubernetes.ts';
import { codeFails, finderOf } from '../decision/desired.ts';
import type { ConditionSummary } from '../observed/conditions.ts';
import type { ObservedChild } from '../observed/observed.ts';
import type { World } from '../observed/world.ts';

/** The part of a finding from which a kind computes its own fields and conditions of the status. */
export interface OwnStatus {
  readonly summary: ConditionSummary;
  /** The desired children that exist and are ours, in the order of `desiredKeys`. */
  readonly desired: readonly (ObservedChild & Pick<FoundChild, 'upToDate'>)[];
  /** Completed children, by `completionOf` if their Jobs are gone, and by `keyOf` if this run deletes their Jobs. */
  readonly completions?: ReadonlyMap<string, FoundChild>;
  /** Undefined to leave the kind's own fields and conditions as they are. */
  readonly own?: ReturnType<Kind['ownStatus']> | undefined;
  readonly error?: string;
}

/** Makes the resource Stalled if one of the kind's functions throws. */
export function withOwnStatus<Found extends OwnStatus>(
  { kind, resource, reads }: Pick<World, 'kind' | 'resource' | 'reads'>,
  found: Found,
): Found {
  const { name, namespace, uid, labels, spec } = resource;
  const { summary, desired, completions = new Map() } = found;
  const there = new Set(desired.map(keyOf));
  const gone = [...completions.values()].filter((one) => !there.has(keyOf(one)));
  const children = [...desired, ...gone];
  const finder = () => finderOf({ kind, resource, reads });
  const input = { name, namespace, uid, labels, spec, state: summary.state, children, finder };
  try {
    return { ...found, own: kind.ownStatus(input) };
  } catch (error) {
    if (found.error !== undefined) return found;
    const fails = codeFails(error);
    const message = summary.state === 'Stalled' ? `${fails}; ${summary.message}` : fails;
    const stalled = { state: 'Stalled', reason: 'InvalidSpec', message } as const;
    return { ...found, summary: stalled, error: fails };
  }
}
