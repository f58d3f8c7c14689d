/** Reconcilers with different names may work on the same cluster. */
export interface Identity {
  /** The field manager, a label on children, and the reporter of Events. */
  readonly name: string;
}

export const defaultIdentity: Identity = { name: 'serverless-reconciler' };

const suffixes = ['-generated', '-rollout', '-finalizer'] as const;

/** Owns generated Secret data, which the main manager's applies would otherwise remove. */
export const generatedManager = ({ name }: Identity): string => `${name}-generated`;

/** Owns the rollout condition, which the main manager's status applies would otherwise remove. */
export const rolloutManager = ({ name }: Identity): string => `${name}-rollout`;

/** Owns our finalizers. If the main manager applied only these, a resource that is also a child would lose its spec. */
export const finalizerManager = ({ name }: Identity): string => `${name}-finalizer`;

export const managersOf = ({ name }: Identity): readonly string[] =>
  ['', ...suffixes].map((suffix) => name + suffix);

/** When an object without managedFields is first applied, the server assigns its fields to this field manager. */
export const beforeFirstApply = 'before-first-apply';

/** Leaves room for suffixes: the name of a CronJob has at most 52 characters. */
const legalName = /^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$/;

export function nameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || !legalName.test(name))
    return 'not a name: use up to 40 lower-case letters, digits and dashes, starting with a letter';
  const suffix = suffixes.find((end) => name.endsWith(end));
  return (
    suffix &&
    `a name must not end with ${suffix}, because reconcilers use such names for their additional field managers; choose another name`
  );
}
