import { anyString, aText, listOf, must, oneOf, throwAny, withFields } from './checks/shape.ts';

/** The states of a resource; each is also a condition type. */
export const states = ['Ready', 'Reconciling', 'Stalled'] as const;
export type State = (typeof states)[number];

/** Further condition types of every kind, present only while True. `kubectl get` has a column for each. */
export const columnConditions = ['Suspended'] as const;

/** The condition of a resource that is only observed: True if a child is not up to date. */
export const driftCondition = 'Drifted';

/** The condition types that the engine sets on resources of every kind. */
export const engineConditions: readonly string[] = [...states, ...columnConditions, driftCondition];

/** The condition that shows a rollout. It has its own field manager, so that applying a status never changes it. */
export const rolloutCondition = 'RolloutPending';

/** A condition without the fields that the engine adds, such as lastTransitionTime. */
export type NewCondition = {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
};

/** The condition types that a resource may have from us: the engine's and those that its kind declares. */
export interface OwnConditions {
  readonly conditions: readonly string[];
}

/** Reports whether a condition is ours. Conditions of other writers are left alone. */
export const isOwnCondition = (
  { conditions }: OwnConditions,
  { type }: { readonly type: string },
): boolean => engineConditions.includes(type) || conditions.includes(type);

/**
 * Returns a function that checks the result of `conditionsOf`, and throws if it is invalid. A type must be declared,
 * because nothing would remove its condition otherwise.
 */
export function declaredConditions({
  kind,
  conditions,
}: OwnConditions & { readonly kind: string }) {
  const condition = withFields({
    type: must((type) => conditions.includes(String(type)), 'listed in conditions'),
    status: oneOf('True', 'False', 'Unknown'),
    reason: aText,
    message: anyString,
  });
  const problemsOf = listOf(condition, ({ type }: NewCondition) => type);
  return (found: readonly NewCondition[]): readonly NewCondition[] => {
    throwAny(
      kind,
      problemsOf(found).map((problem) => `conditionsOf()${problem}`),
    );
    return found;
  };
}
