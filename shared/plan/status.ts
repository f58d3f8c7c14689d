import { canonicalJson } from '../canonical.ts';
import type { Kind } from '../kinds/define-kind.ts';
import type { JsonObject, ObjectRef } from '../kubernetes.ts';
import {
  conditionsOf,
  isOwnCondition,
  type NewCondition,
  notLookedAt,
  stamp,
  suspended,
} from './conditions.ts';
import type { Finding } from './finding.ts';
import type { ObservedResource, ResourceStatus } from './observed.ts';

/** The status to write, or undefined where nothing but time would change. */
export function nextStatus(
  kind: Kind,
  resource: ObservedResource,
  at: { readonly now: string } & (Finding | { readonly suspended: true }),
): ResourceStatus | undefined {
  const next = 'suspended' in at ? whileSuspended(resource, at.now) : found(kind, resource, at);
  return timeless(next) === timeless(resource.status) ? undefined : next;
}

function found(
  kind: Kind,
  { name, namespace, generation, status }: ObservedResource,
  { verdict, wanted, leftovers, unseen = [], acted, now }: Finding & { readonly now: string },
): ResourceStatus {
  const observed = acted ? generation : status.observedGeneration;
  return {
    ...kind.statusOf({ name, namespace, state: verdict.state, children: wanted }),
    ...(observed === undefined ? {} : { observedGeneration: observed }),
    children: [...wanted, ...leftovers, ...unseen].map(refOf),
    conditions: stamp(conditionsOf(verdict), status.conditions ?? [], { generation, now }),
  };
}

/** Everything stays as it was found, beside the word that nothing is done. */
function whileSuspended({ generation, status }: ObservedResource, now: string): ResourceStatus {
  const previous = status.conditions ?? [];
  const others = previous.filter(isOwnCondition).filter(({ type }) => type !== suspended.type);
  const said = others.some(({ type }) => type === 'Ready') ? [suspended] : [notLookedAt, suspended];
  return { ...status, conditions: [...others, ...stamp(said, previous, { generation, now })] };
}

/**
 * The JSON patch that takes out conditions of our types which somebody else put beside ours: an
 * apply leaves them, and a Stalled that is not true makes Ready a lie.
 */
export const withoutStrays = (
  live: ResourceStatus,
  wanted: ResourceStatus,
): readonly JsonObject[] =>
  (live.conditions ?? [])
    .flatMap((condition, at) => {
      const isWanted = wanted.conditions?.some(({ type }) => type === condition.type) ?? false;
      return isOwnCondition(condition) && !isWanted ? [at] : [];
    })
    .map((at) => ({ op: 'remove', path: `/status/conditions/${at}` }))
    .toReversed();

const refOf = ({ apiVersion, kind, name }: ObjectRef): ObjectRef => ({ apiVersion, kind, name });

const timeless = (status: ResourceStatus): string =>
  canonicalJson({
    ...(status as JsonObject),
    children: (status.children ?? []) as unknown as JsonObject[],
    conditions: (status.conditions ?? [])
      .filter(isOwnCondition)
      .map(({ type, status, reason, message, observedGeneration }): NewCondition & JsonObject => ({
        type,
        status,
        reason,
        message,
        observedGeneration,
      })),
  });
