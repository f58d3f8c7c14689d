/** The states of a resource; each is also a condition type. */
export const states = ['Ready', 'Reconciling', 'Stalled'] as const;
export type State = (typeof states)[number];

/** Further condition types of every kind, present only while True. `kubectl get` has a column for each. */
export const columnConditions = ['Suspended'] as const;

/** The condition that says whether a resource that is only observed differs from what is wanted. */
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

const legalType =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/;

/** Explains why a kind cannot declare a condition of this type; undefined if it can. */
export function conditionTypeProblem(type: string): string | undefined {
  if (engineConditions.includes(type) || type === rolloutCondition)
    return `${type} is set by the engine for every kind; choose another name`;
  return legalType.test(type) && type.length <= 316
    ? undefined
    : `${JSON.stringify(type)} must be a name such as DatabaseReachable`;
}

const isCondition = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** Checks what `conditionsOf` returned. Refuses an undeclared type, because nothing would remove its condition. */
export function declaredConditions(
  { kind, conditions }: OwnConditions & { readonly kind: string },
  found: readonly NewCondition[],
): readonly NewCondition[] {
  if (!Array.isArray(found) || !found.every(isCondition))
    throw new Error(
      `${kind}: conditionsOf must return a list of { type, status, reason, message }, and not be async`,
    );
  const types = found.map(({ type }) => type);
  const undeclared = types.find((type) => !conditions.includes(type));
  if (undeclared !== undefined)
    throw new Error(`${kind}: conditionsOf returned ${undeclared}; add it to conditions`);
  const repeated = types.find((type, at) => types.indexOf(type) < at);
  if (repeated !== undefined)
    throw new Error(`${kind}: conditionsOf returned ${repeated} twice; return each once`);
  for (const { type, status, reason, message } of found) {
    if (!['True', 'False', 'Unknown'].includes(status))
      throw new Error(
        `${kind}: conditionsOf returned ${type} with status ${JSON.stringify(status)}; it must be "True", "False" or "Unknown"`,
      );
    if (typeof reason !== 'string' || reason === '' || typeof message !== 'string')
      throw new Error(
        `${kind}: conditionsOf returned ${type} without reason or message; both must be strings`,
      );
  }
  return found;
}
