/** Identifies a reconciler. Several with different names may work on one cluster. */
export interface Identity {
  /** Used as field manager, as a label on children and as the reporter of Events. */
  readonly name: string;
}

export const defaultIdentity: Identity = { name: 'serverless-reconciler' };

/** Suffixes that turn the reconciler's name into the names of its further field managers. */
const suffixes = {
  handOver: '-handover',
  generated: '-generated',
  rollout: '-rollout',
} as const;

/** The field manager that takes over the live value of a field when we stop setting it, so that it is not reset. */
export const handOverManager = ({ name }: Identity): string => `${name}${suffixes.handOver}`;

/** The field manager of generated Secret data; a separate one, so that our later applies do not remove the data. */
export const generatedManager = ({ name }: Identity): string => `${name}${suffixes.generated}`;

/** The field manager of the rollout condition; a separate one, so that applying a status does not drop it. */
export const rolloutManager = ({ name }: Identity): string => `${name}${suffixes.rollout}`;

export const managersOf = (identity: Identity): readonly string[] => [
  identity.name,
  handOverManager(identity),
  generatedManager(identity),
  rolloutManager(identity),
];

/** The field manager that the API server gives to fields set before an object's first apply. */
export const beforeFirstApply = 'before-first-apply';

/** Allows 40 characters, so that the names derived from it are legal, even a CronJob's (at most 52 characters). */
const legalName = /^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** Explains why a name is invalid; undefined if it is valid. */
export function nameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || !legalName.test(name))
    return 'not a name: use up to 40 lower-case letters, digits and dashes, starting with a letter';
  const suffix = Object.values(suffixes).find((end) => name.endsWith(end));
  if (suffix !== undefined)
    return `a name must not end with ${suffix}, because ${name} is a field manager of a reconciler named ${name.slice(0, -suffix.length)}; choose another`;
  return name === beforeFirstApply
    ? 'Kubernetes itself writes under this name; choose another'
    : undefined;
}
