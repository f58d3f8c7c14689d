/** By what a reconciler is known on a cluster, so that several can share one. */
export interface Identity {
  /** The field manager of its applies, a label of its children and the reporter of its Events. */
  readonly name: string;
  /** Names that it had before: what was written under one of them is its own, and gets the present name. */
  readonly formerNames: readonly string[];
}

export const defaultIdentity: Identity = { name: 'serverless-reconciler', formerNames: [] };

/** All names under which its objects may be found. */
export const namesOf = ({ name, formerNames }: Identity): readonly string[] => [
  name,
  ...formerNames,
];

/** What the names of further field managers end with. */
const suffixes = {
  handOver: '-handover',
  generated: '-generated',
  rollout: '-rollout',
} as const;

/** The field manager that takes over a live value which we stop setting, so that it is not reset. */
export const handOverManager = ({ name }: Pick<Identity, 'name'>): string =>
  `${name}${suffixes.handOver}`;

/** The field manager of generated Secret data, so that our own applies neither hold nor drop it. */
export const generatedManager = ({ name }: Pick<Identity, 'name'>): string =>
  `${name}${suffixes.generated}`;

/** The field manager of the condition that shows a rollout, which no apply of a status drops. */
export const rolloutManager = ({ name }: Pick<Identity, 'name'>): string =>
  `${name}${suffixes.rollout}`;

/** The field managers of children under a name. */
export const managersOf = (name: string): readonly string[] => [
  name,
  handOverManager({ name }),
  generatedManager({ name }),
];

/** A manager of a former name → the one that has its part now. */
export const successors = (identity: Identity): ReadonlyMap<string, string> =>
  new Map(
    identity.formerNames.flatMap((former) =>
      managersOf(former).map((manager) => [manager, identity.name + manager.slice(former.length)]),
    ),
  );

/** The field manager of fields from before the first apply to an object, which Kubernetes assigns itself. */
export const beforeFirstApply = 'before-first-apply';

/** So that everything named after it is legal: the longest is a CronJob, at most 52 characters. */
const legalName = /^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** What is wrong with a name; undefined if nothing is. */
export function nameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || !legalName.test(name))
    return 'not a name: up to 40 lower-case letters, digits and dashes, a letter first';
  const suffix = Object.values(suffixes).find((end) => name.endsWith(end));
  if (suffix !== undefined)
    return `a name must not end with ${suffix}, as a field manager of ${name.slice(0, -suffix.length)} does; choose another`;
  return name === beforeFirstApply
    ? 'Kubernetes itself writes under this name; choose another'
    : undefined;
}
