import { anyString, aText, listOf, must, oneOf, throwAny, withFields } from './checks/shape.ts';

/** The states of a resource; each is also a condition type. */
export const states = ['Ready', 'Reconciling', 'Stalled'] as const;
export type State = (typeof states)[number];

/** Further condition types of every kind, present only while True. `kubectl get` shows each in a column. */
export const columnConditions = ['Suspended'] as const;

/** The condition of a resource that is only observed: True while a child is not up to date. */
export const driftCondition = 'Drifted';

/** The condition types that the engine sets on resources of every kind. */
export const engineConditions: readonly string[] = [...states, ...columnConditions, driftCondition];

/** The condition of a resource in a rollout. Its own field manager keeps it when a status is applied. */
export const rolloutCondition = 'RolloutPending';

/** A condition, without the fields that the engine adds, such as lastTransitionTime. */
export type NewCondition = {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
};

/** The condition types that a kind declares. */
export interface OwnConditions {
  readonly conditions: readonly string[];
}

/** Reports whether a condition is ours. Conditions of other writers are left alone. */
export const isOwnCondition = (
  { conditions }: OwnConditions,
  { type }: { readonly type: string },
): boolean => engineConditions.includes(type) || conditions.includes(type);

/**
 * Returns a function that throws if the result of `conditionsOf` is invalid. The condition types must be declared,
 * because the engine would not remove others later.
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
  return (returned: readonly NewCondition[]): readonly NewCondition[] => {
    throwAny(
      kind,
      problemsOf(returned).map((problem) => `conditionsOf()${problem}`),
    );
    return returned;
  };
}
