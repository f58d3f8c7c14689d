import pMap from 'p-map';
import { requestsIn } from '../cluster/cluster.ts';
import { DeadlineError, messageOf } from '../cluster/cluster-errors.ts';
import type { Plan } from '../plan/plan.ts';
import type { Pruning } from '../plan/pruning.ts';
import type { Prune } from '../plan/schedule.ts';
import type { ReconcileRequest } from '../reconcile-request.ts';
import { type ResyncOptions, type Surveyed, surveyRequests } from '../resync/resync.ts';
import type { Incomplete } from '../resync/survey-result.ts';
import { turnsOf } from '../rollout/choose.ts';
import { addWaiting, type Fleet } from '../rollout/fleet.ts';
import { gated } from '../rollout/gate.ts';
import { type Area, isWholeResync } from '../run/area.ts';
import { type LiveWorld, type Run, timestamp } from '../run/run.ts';
import { describePlan, identityOf, type PlannedResource, requestsFor } from './planned-resource.ts';
import { previewResource, type ResourcePreview } from './preview-resource.ts';

/** The plans of a run, as plain data without values of Secrets. Depends only on the state of the cluster. */
export interface Preview {
  /** Resources for which a run would do or report something. */
  readonly resources: readonly PlannedResource[];
  readonly total: number;
  /** How many of `total` are left alone. */
  readonly idle: { readonly suspended: number; readonly deleting: number };
  /** `allowed`, or how many deletions would be withheld and why. */
  readonly pruning: string;
  /** Kinds and child types with incomplete lists, and resources without room in memory. */
  readonly incomplete: readonly Incomplete[];
  readonly requests: {
    /** Number of requests that planning took. A run begins with as many, unless something changes. */
    readonly taken: number;
    /** Number of further requests that a run would send: writes, Events, and reads just before them. */
    readonly toPerform: number;
  };
}

export interface PreviewedRun extends Surveyed {
  readonly preview: Preview;
  /** The preview if no rollout held anything back. */
  readonly unheld: Preview;
  /** The worlds as read, to perform exactly this plan. Omits resources that could not be planned. */
  readonly work: readonly LiveWorld[];
  /** The area, if all its resources were read, so that a rollout may begin more of them. */
  readonly wide: Pick<Area, 'namespaces'> | undefined;
}

export interface PreviewOptions extends Pick<ResyncOptions, 'area' | 'concurrency' | 'pruneLimit'> {
  /** True to adopt desired children without a controller; default: false. */
  readonly adopts?: boolean;
}

/**
 * Plans everything that the requests select, and writes nothing.
 *
 * Flow: surveys the cluster. Then, for each resource: plans, reads by name what would be created, and plans
 * again. Guarantees: if nothing changes meanwhile and the server accepts every write, performing the preview
 * sends exactly these requests. Caveats: does not show
 * - the second read of an exposing child that lost its labels, or of a resource that was read more than ten
 *   seconds ago
 * - what admission makes of a write
 * - finalizers of children to be deleted
 * - the marks of a rollout, and the list between them
 * - the lists and statuses while resources settle
 * - the removal of conditions that others put into the status
 */
export async function previewRun(
  run: Run,
  requests: readonly ReconcileRequest[],
  options: PreviewOptions,
): Promise<PreviewedRun> {
  const { area, concurrency, adopts = false } = options;
  const surveyed = await surveyRequests(run, requests, options);
  const { found, pruning } = surveyed;
  const wide = isWholeResync(run, requests) ? { namespaces: area.namespaces } : undefined;
  const planned = await planWork(run, found.work, { concurrency, adopts });
  const turns = wide && (await turnsAfter(run, found.fleets, planned));
  const known = planned.map((one) => describe(run, one, { allows: pruning.allows, turns }));
  const previewOf = (all: readonly PlannedResource[]): Preview => {
    const resources = all.filter(isShown);
    return {
      resources,
      total: found.resources,
      idle: found.idle,
      pruning: pruning.text,
      incomplete: [
        ...found.incomplete,
        ...found.unkept.map(({ key, error }) => ({ kind: key, error })),
      ],
      requests: {
        taken: requestsIn(run.cluster.traffic),
        toPerform: resources.flatMap(requestsFor).length,
      },
    };
  };
  return {
    ...surveyed,
    wide,
    work: planned.filter((one) => 'known' in one).map(({ world }) => world),
    preview: previewOf(known.map(({ held }) => held)),
    unheld: previewOf(known.map(({ unheld }) => unheld)),
  };
}

/** Reports whether a run would do or report something. */
const isShown = (one: PlannedResource): boolean =>
  one.state !== 'planned' ||
  one.message !== undefined ||
  one.actions.length + one.commit.length > 0;

export type PlannedWork = { readonly world: LiveWorld } & (
  | { readonly known: ResourcePreview }
  | { readonly error: unknown }
);

/** Plans resources. Omits those that are gone or being deleted, because there is nothing to do. */
export async function planWork(
  run: Run,
  work: readonly LiveWorld[],
  { concurrency, adopts }: { readonly concurrency: number; readonly adopts?: boolean },
): Promise<readonly PlannedWork[]> {
  let done = 0;
  const planNext = async (world: LiveWorld): Promise<readonly PlannedWork[]> => {
    const one = await planInTime(run, world, adopts).then(
      (known) => (known === undefined ? [] : [{ world, known }]),
      (error: unknown) => [{ world, error }],
    );
    run.clients.observer?.onProgress?.(++done, work.length);
    return one;
  };
  return (await pMap(work, planNext, { concurrency })).flat();
}

async function planInTime(run: Run, world: LiveWorld, adopts = false) {
  if (run.clients.now().getTime() >= run.limits.deadline)
    throw new DeadlineError('not planned before the deadline (DEADLINE_SECONDS)');
  const known = await previewResource(run, world, { adopts });
  return known?.planned.state === 'deleting' ? undefined : known;
}

/** Returns the uids of the resources that a run would begin, including those only now found to wait. */
function turnsAfter(run: Run, fleets: readonly Fleet[], planned: readonly PlannedWork[]) {
  const at = { now: run.clients.now(), policy: run.policy.rollout };
  for (const one of planned)
    if ('known' in one && gated(one.known.planned, one.world, at).part === 'waits')
      addWaiting(fleets, one.world);
  return turnsOf(run, fleets);
}

/** Describes what a run would do for a resource, with and without a rollout that may hold it back. */
export function describe(
  run: Run,
  one: PlannedWork,
  { allows, turns }: Pick<Pruning, 'allows'> & { readonly turns?: ReadonlySet<string> | undefined },
) {
  const { world } = one;
  if ('error' in one) {
    const message = messageOf(one.error);
    const failed = { ...identityOf(world), state: 'failed' as const, message };
    const held = { ...failed, actions: [], events: [], commit: [] };
    return { held, unheld: held };
  }
  const now = run.clients.now();
  const isTurn = turns?.has(world.resource.uid) ?? false;
  const prune: Prune = (namespace) => allows(world.resource, namespace, isTurn);
  const described = (planned: Plan): PlannedResource =>
    describePlan({ ...one.known, planned }, { now: timestamp(now), prune });
  const policy = isTurn ? undefined : run.policy.rollout;
  const { planned, part } = gated(one.known.planned, world, { now, policy });
  const unheld = described(one.known.planned);
  return { held: part === 'waits' ? described(planned) : unheld, unheld };
}
