/** Identifies a reconciler. Reconcilers with different names may work on one cluster. */
export interface Identity {
  /** Used as field manager, as a label on children and as the reporter of Events. */
  readonly name: string;
}

export const defaultIdentity: Identity = { name: 'serverless-reconciler' };

/** Suffixes of the reconciler's further field managers, such as `NAME-handover`. */
const suffixes = ['-handover', '-generated', '-rollout'] as const;

/**
 * The field manager that applies a field's live value before our apply drops the field. Otherwise the API server
 * would remove the field.
 */
export const handOverManager = ({ name }: Identity): string => `${name}-handover`;

/** The field manager of generated Secret data. Under the main manager, our later applies would remove the data. */
export const generatedManager = ({ name }: Identity): string => `${name}-generated`;

/** The field manager of the rollout condition. Under the main manager, a status apply would remove the condition. */
export const rolloutManager = ({ name }: Identity): string => `${name}-rollout`;

export const managersOf = ({ name }: Identity): readonly string[] =>
  ['', ...suffixes].map((suffix) => name + suffix);

/**
 * The field manager to which the API server assigns the existing fields of an object without managedFields when the
 * object is first applied.
 */
export const beforeFirstApply = 'before-first-apply';

/** Allows 40 characters, because names that begin with this name must be legal, even a CronJob's (at most 52). */
const legalName = /^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** Explains why a name is invalid; undefined if it is valid. */
export function nameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || !legalName.test(name))
    return 'not a name: use up to 40 lower-case letters, digits and dashes, starting with a letter';
  const suffix = suffixes.find((end) => name.endsWith(end));
  if (suffix !== undefined)
    return `a name must not end with ${suffix}, because reconcilers give such names to further field managers; choose another name`;
  return name === beforeFirstApply
    ? 'Kubernetes itself uses this name for a field manager; choose another name'
    : undefined;
}
