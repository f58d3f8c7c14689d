import { type State, states } from '../kinds/define-kind.ts';
import { suspendAnnotation } from '../kinds/names.ts';

/** A condition as in the API conventions. */
export type Condition = {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
};

/** What one run found about a resource, as its conditions report it. */
export type ConditionSummary =
  | { readonly state: 'Ready' }
  | {
      readonly state: Exclude<State, 'Ready'>;
      readonly reason: string;
      readonly message: string;
    };

export type NewCondition = Omit<Condition, 'lastTransitionTime' | 'observedGeneration'>;

/** The limit of metav1.Condition. */
const maxMessage = 32_768;

/** As kstatus defines them: Ready always, Reconciling and Stalled only while True. */
export function conditionsOf(summary: ConditionSummary): readonly NewCondition[] {
  if (summary.state === 'Ready') {
    return [
      {
        type: 'Ready',
        status: 'True',
        reason: 'Ready',
        message: 'all children are as wanted and ready',
      },
    ];
  }
  const { state, reason } = summary;
  const message = summary.message.slice(0, maxMessage);
  return [
    { type: 'Ready', status: 'False', reason, message },
    { type: state, status: 'True', reason, message },
  ];
}

const ownTypes: readonly string[] = [...states, 'Suspended'];

/** Conditions of other types belong to other writers and are left alone. */
export const isOwnCondition = ({ type }: Pick<Condition, 'type'>): boolean =>
  ownTypes.includes(type);

export const suspended: NewCondition = {
  type: 'Suspended',
  status: 'True',
  reason: 'Suspended',
  message: `nothing is written until the annotation ${suspendAnnotation} is removed`,
};

/** Ready is always present: Unknown for a resource that was suspended before its first run. */
export const readyUnknown: NewCondition = { ...suspended, type: 'Ready', status: 'Unknown' };

/** Adds generation and times; a condition whose status did not change keeps its transition time. */
export function stamp(
  conditions: readonly NewCondition[],
  previous: readonly Condition[],
  { generation, now }: { readonly generation: number; readonly now: string },
): readonly Condition[] {
  return conditions.map((condition) => {
    const before = previous.find(({ type }) => type === condition.type);
    const lastTransitionTime =
      before?.status === condition.status ? before.lastTransitionTime : now;
    return { ...condition, observedGeneration: generation, lastTransitionTime };
  });
}
