/** Identifies a reconciler on a cluster, so that several can share one. */
export interface Identity {
  /** Used as field manager, as a label on children and as the reporter of Events. */
  readonly name: string;
  /** Previous names. Fields and objects written under one of them are ours, and are migrated to `name`. */
  readonly formerNames: readonly string[];
}

export const defaultIdentity: Identity = { name: 'serverless-reconciler', formerNames: [] };

/** Lists the current and the former names. */
export const namesOf = ({ name, formerNames }: Identity): readonly string[] => [
  name,
  ...formerNames,
];

/** Suffixes that turn the reconciler's name into the names of its further field managers. */
const suffixes = {
  handOver: '-handover',
  generated: '-generated',
  rollout: '-rollout',
} as const;

/** The field manager that takes over the live value of a field when we stop setting it, so that it is not reset. */
export const handOverManager = ({ name }: Pick<Identity, 'name'>): string =>
  `${name}${suffixes.handOver}`;

/** The field manager of generated Secret data; a separate one, so that our later applies do not remove the data. */
export const generatedManager = ({ name }: Pick<Identity, 'name'>): string =>
  `${name}${suffixes.generated}`;

/** The field manager of the rollout condition; a separate one, so that applying a status does not drop it. */
export const rolloutManager = ({ name }: Pick<Identity, 'name'>): string =>
  `${name}${suffixes.rollout}`;

/** Lists the field managers that write children for a reconciler of this name. */
export const managersOf = (name: string): readonly string[] => [
  name,
  handOverManager({ name }),
  generatedManager({ name }),
];

/** Maps each field manager of a former name to the one that replaces it. */
export const successors = (identity: Identity): ReadonlyMap<string, string> =>
  new Map(
    identity.formerNames.flatMap((former) =>
      managersOf(former).map((manager) => [manager, identity.name + manager.slice(former.length)]),
    ),
  );

/** The field manager that the API server gives to fields set before an object's first apply. */
export const beforeFirstApply = 'before-first-apply';

/** Limits a name to 40 characters, so that every name derived from it is legal, even a CronJob's (52 characters). */
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
