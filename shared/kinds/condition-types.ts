/** The states of a resource, which are also condition types. */
export const states = ['Ready', 'Reconciling', 'Stalled'] as const;
export type State = (typeof states)[number];

/** Conditions that exist only while they are True. `kubectl get` has a column for each. */
export const columnConditions = ['Suspended'] as const;

/** True while a child of a resource that is only observed (`observeAnnotation`) is not up to date. */
export const driftCondition = 'Drifted';

/** The conditions that the engine sets for every kind. */
export const engineConditions: readonly string[] = [...states, ...columnConditions, driftCondition];

/** Has its own field manager, so applying a status does not remove it. */
export const rolloutCondition = 'RolloutPending';

/** A condition, without the fields that the engine adds, such as lastTransitionTime. */
export type NewCondition = {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
};

/** Runs leave other conditions alone. */
export const isOwnCondition = (
  { conditions }: { readonly conditions: readonly string[] },
  { type }: { readonly type: string },
): boolean => engineConditions.includes(type) || conditions.includes(type);
