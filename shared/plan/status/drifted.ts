import { driftCondition, type NewCondition } from '../../kinds/condition-types.ts';
import { titleOf } from '../../kubernetes.ts';
import { truncate } from '../../printable.ts';
import type { WriteDecision } from '../decision/decision.ts';
import type { ObservedResource } from '../observed/observed.ts';
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
  if (drifts.length > 0) return drifted('True', 'Drifted', drifts.map(textOf).join('; '));
  const isCompared = planned.state === 'planned' && decisions.every(({ verb }) => verb === 'none');
  return isCompared
    ? drifted('False', 'InSync', 'all children are as wanted')
    : drifted('Unknown', 'NotCompared', 'not all children could be compared; see Ready');
}

const drifted = (
  status: NewCondition['status'],
  reason: string,
  message: string,
): NewCondition => ({ type: driftCondition, status, reason, message });

const textOf = (drift: WriteDecision): string =>
  truncate(`${titleOf(drift.child)}: ${changeOf(drift)}`, maxMessage);

function changeOf(drift: WriteDecision): string {
  switch (drift.verb) {
    case 'create':
      return 'does not exist';
    case 'delete':
      return drift.message ?? 'no longer wanted';
    case 'withdraw':
      return describe(drift.difference);
    case 'update':
      return drift.differences?.map(describe).join('; ') || 'differs';
    case 'consolidate':
      return '';
  }
}
