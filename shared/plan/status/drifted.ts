import { driftCondition, type NewCondition } from '../../kinds/condition-types.ts';
import { keyOf, titleOf } from '../../kubernetes.ts';
import { truncate } from '../../printable.ts';
import type { WriteDecision } from '../decision/decision.ts';
import { type Difference, isOwnershipOnly } from '../drift/differences.ts';
import type { ObservedResource } from '../observed/observed-resource.ts';
import { decisionsOf, type Plan } from '../plan.ts';
import { changeText, maxMessage } from './kubernetes-events.ts';

/**
 * Returns the condition Drifted of an observed resource: its differing children and fields, and who changed them.
 *
 * Guarantees: the condition is False only if every child was compared. The message is the same in every run: it names
 * field managers, not users from the audit log, whom only some runs know.
 */
export function driftedOf(
  { observeOnly }: Pick<ObservedResource, 'observeOnly'>,
  planned: Plan,
): NewCondition | undefined {
  if (!observeOnly) return undefined;
  const decisions = decisionsOf(planned);
  const drifts = decisions.flatMap((one) => ('drift' in one ? (one.drift ?? []) : []));
  const byChild = [...Map.groupBy(drifts, ({ child }) => keyOf(child)).values()];
  if (byChild.length > 0) return drifted('True', 'Drifted', byChild.map(describeDrift).join('; '));
  const isCompared = planned.state === 'planned' && decisions.every(({ verb }) => verb === 'none');
  return isCompared
    ? drifted('False', 'InSync', 'all children are up to date')
    : drifted('Unknown', 'NotCompared', 'not all children could be compared; see condition Ready');
}

const drifted = (
  status: NewCondition['status'],
  reason: string,
  message: string,
): NewCondition => ({ type: driftCondition, status, reason, message });

/** Describes all writes of a child together, new values before takeovers, because a long text is cut off. */
function describeDrift(drifts: readonly WriteDecision[]): string {
  const byPath = new Map<string, Difference>();
  const values: string[] = [];
  const others: string[] = [];
  for (const drift of drifts) {
    if (drift.verb === 'create') others.push('does not exist');
    if (drift.verb === 'delete') others.push(drift.message ?? 'no longer desired');
    const update = drift.verb === 'update' ? (drift.differences ?? []) : [];
    for (const one of drift.verb === 'withdraw' ? [drift.difference] : update)
      byPath.set(one.path, { ...one, ...byPath.get(one.path), to: one.to });
  }
  for (const one of byPath.values()) (isOwnershipOnly(one) ? others : values).push(changeText(one));
  const [title = ''] = drifts.map(({ child }) => titleOf(child));
  return truncate(`${title}: ${[...values, ...others].join('; ') || 'differs'}`, maxMessage);
}
