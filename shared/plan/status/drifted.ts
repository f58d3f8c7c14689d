import { driftCondition, type NewCondition } from '../../kinds/condition-types.ts';
import { keyOf, titleOf } from '../../kubernetes.ts';
import { truncate } from '../../printable.ts';
import type { WriteDecision } from '../decision/decision.ts';
import type { Difference } from '../drift/differences.ts';
import type { ObservedResource } from '../observed/observed-resource.ts';
import { decisionsOf, type Plan } from '../plan.ts';
import { describe, maxMessage } from './kubernetes-events.ts';

/**
 * The condition of a resource that is only observed: which children differ, in which fields, and who changed
 * them; undefined for any other resource.
 *
 * Guarantees: False only if every child was compared. The message is the same in every run: it names field
 * managers, not users from the audit log, whom only some runs know.
 */
export function driftedOf(
  { observed }: Pick<ObservedResource, 'observed'>,
  planned: Plan,
): NewCondition | undefined {
  if (!observed) return undefined;
  const decisions = planned.state === 'planned' ? decisionsOf(planned) : [];
  const drifts = decisions.flatMap((one) => ('drift' in one ? (one.drift ?? []) : []));
  const byChild = [...Map.groupBy(drifts, ({ child }) => keyOf(child)).values()];
  if (byChild.length > 0) return drifted('True', 'Drifted', byChild.map(textOf).join('; '));
  const isCompared = planned.state === 'planned' && decisions.every(({ verb }) => verb === 'none');
  return isCompared
    ? drifted('False', 'InSync', 'all children are up to date')
    : drifted('Unknown', 'NotCompared', 'not all children could be compared; see Ready');
}

const drifted = (
  status: NewCondition['status'],
  reason: string,
  message: string,
): NewCondition => ({ type: driftCondition, status, reason, message });

/** Describes how one child differs. Combines several writes of it, as the order of exposures may require. */
const textOf = (drifts: readonly WriteDecision[]): string => {
  const [first] = drifts;
  if (first === undefined) return '';
  const changed = new Map<string, Difference>();
  for (const one of drifts.flatMap(differencesOf))
    changed.set(one.path, { ...one, ...changed.get(one.path), to: one.to });
  const strings = [...[...changed.values()].map(describe), ...drifts.flatMap(fateOf)];
  return truncate(`${titleOf(first.child)}: ${strings.join('; ') || 'differs'}`, maxMessage);
};

function differencesOf(drift: WriteDecision): readonly Difference[] {
  if (drift.verb === 'withdraw') return [drift.difference];
  return drift.verb === 'update' ? (drift.differences ?? []) : [];
}

function fateOf(drift: WriteDecision): readonly string[] {
  if (drift.verb === 'create') return ['does not exist'];
  return drift.verb === 'delete' ? [drift.message ?? 'no longer desired'] : [];
}
