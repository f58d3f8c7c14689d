import type { NewCondition, State } from '../../kinds/condition-types.ts';
import { suspendAnnotation } from '../../kinds/names.ts';
import { truncate } from '../../printable.ts';

export type Condition = NewCondition & {
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
};

export type ConditionSummary =
  | { readonly state: 'Ready' }
  | ({ readonly state: Exclude<State, 'Ready'> } & Pick<NewCondition, 'reason' | 'message'>);

/** Maximum length of a condition's message in the API (metav1.Condition). */
const maxConditionMessage = 32_768;

/** Returns Ready and, unless it is True, also Reconciling or Stalled, as kstatus defines them. */
export function conditionsOf(
  summary: ConditionSummary,
  readyMessage = 'all children are up to date and ready',
): readonly NewCondition[] {
  if (summary.state === 'Ready')
    return [{ type: 'Ready', status: 'True', reason: 'Ready', message: readyMessage }];
  const { state, reason, message } = summary;
  return [
    { type: 'Ready', status: 'False', reason, message },
    { type: state, status: 'True', reason, message },
  ];
}

export const suspended: NewCondition = {
  type: 'Suspended',
  status: 'True',
  reason: 'Suspended',
  message: `nothing is written until the annotation ${suspendAnnotation} is removed`,
};

/** For a resource that was suspended before its first run. */
export const readyUnknown: NewCondition = { ...suspended, type: 'Ready', status: 'Unknown' };

interface Conditioned {
  readonly status: { readonly conditions?: readonly Condition[] };
}

/** Reason of a write that is left to the next resync, because another writer may be undoing it again and again. */
export const contestedReason = 'Contested';

export const readyOf = ({ status }: Conditioned): Condition | undefined =>
  status.conditions?.find(({ type }) => type === 'Ready');

/** Returns the obstacle that the last run of this generation reported. */
export function obstacleIn({ generation, status }: Conditioned & { readonly generation: number }) {
  const current = status.conditions?.filter((one) => one.observedGeneration === generation);
  const contested = current?.find((one) => one.type === 'Ready' && one.reason === contestedReason);
  const stalled = current?.find((one) => one.type === 'Stalled' && one.status === 'True');
  const found = contested ?? stalled;
  if (found === undefined) return undefined;
  const { reason, message } = found;
  return { state: contested ? 'Contested' : 'Blocked', reason, message } as const;
}

export const isReady = (resource: Conditioned): boolean => readyOf(resource)?.status === 'True';

export function withTimes(
  conditions: readonly NewCondition[],
  previous: readonly Condition[],
  { generation, now }: { readonly generation: number; readonly now: string },
): readonly Condition[] {
  return conditions.map(({ type, status, reason, message }) => ({
    type,
    status,
    reason,
    message: truncate(message, maxConditionMessage).toWellFormed(),
    observedGeneration: generation,
    lastTransitionTime:
      previous.find((one) => one.type === type && one.status === status)?.lastTransitionTime ?? now,
  }));
}
