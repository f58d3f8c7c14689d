import type { NewCondition, State } from '../../kinds/condition-types.ts';
import { observeAnnotation, suspendAnnotation } from '../../kinds/names.ts';

/** A condition as the Kubernetes API conventions define it. */
export type Condition = NewCondition & {
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
};

export type ConditionSummary =
  | { readonly state: 'Ready' }
  | {
      readonly state: Exclude<State, 'Ready'>;
      readonly reason: string;
      readonly message: string;
    };

/** Limit of a condition's message in the API (metav1.Condition). */
const maxConditionMessage = 32_768;

/** The conditions Ready, Reconciling and Stalled, by kstatus. The last two are present only while True. */
export function conditionsOf(
  summary: ConditionSummary,
  readyMessage = 'all children are up to date and ready',
): readonly NewCondition[] {
  if (summary.state === 'Ready') {
    return [{ type: 'Ready', status: 'True', reason: 'Ready', message: readyMessage }];
  }
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

export const onlyObserved = `nothing but the status is written until the annotation ${observeAnnotation} is removed`;

/** The Ready condition (Unknown) of a resource that was suspended before its first run. */
export const readyUnknown: NewCondition = { ...suspended, type: 'Ready', status: 'Unknown' };

interface Conditioned {
  readonly status: { readonly conditions?: readonly Condition[] };
}

export const readyOf = ({ status }: Conditioned): Condition | undefined =>
  status.conditions?.find(({ type }) => type === 'Ready');

export const isReady = (resource: Conditioned): boolean => readyOf(resource)?.status === 'True';

/** Adds generation and times. A condition whose status did not change keeps its lastTransitionTime. */
export function withTimes(
  conditions: readonly NewCondition[],
  previous: readonly Condition[],
  { generation, now }: { readonly generation: number; readonly now: string },
): readonly Condition[] {
  return conditions.map(({ type, status, reason, message }) => {
    const before = previous.find((one) => one.type === type);
    return {
      type,
      status,
      reason,
      message: message.slice(0, maxConditionMessage),
      observedGeneration: generation,
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : now,
    };
  });
}
