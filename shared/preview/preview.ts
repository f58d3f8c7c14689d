import pMap from 'p-map';
import { requestsIn } from '../cluster/cluster.ts';
import { messageOf } from '../cluster/cluster-errors.ts';
import { type Pruning, pruningOf } from '../plan/pruning.ts';
import type { Prune } from '../plan/schedule.ts';
import type { ReconcileRequest } from '../reconcile-request.ts';
import { askAhead } from '../resync/ask-ahead.ts';
import type { ResyncOptions } from '../resync/resync.ts';
import { type Incomplete, type Survey, survey } from '../resync/survey.ts';
import { turnsOf } from '../rollout/choose.ts';
import { gated } from '../rollout/gate.ts';
import { type Area, areaOf, isWholeResync } from '../run/area.ts';
import { type Run, timestamp } from '../run/run.ts';
import type { LiveWorld } from '../run/state.ts';
import { describePlan, identityOf, type PlannedResource, requestsFor } from './planned-resource.ts';
import { previewResource } from './preview-resource.ts';

/** The plans of a run, as plain data without values of Secrets. Depends only on the state of the cluster. */
export interface Preview {
  /** Resources for which a run would do or report something. */
  readonly resources: readonly PlannedResource[];
  readonly total: number;
  /** How many of `total` are left alone. */
  readonly idle: { readonly suspended: number; readonly deleting: number };
  /** `allowed`, or how many deletions would be withheld and why. */
  readonly pruning: string;
  /** What is not planned: kinds and child types whose lists were incomplete, and resources without room in memory. */
  readonly incomplete: readonly Incomplete[];
  readonly requests: {
    /** Number of requests that planning took. A run begins with as many, unless something changes. */
    readonly taken: number;
    /** Number of further requests that a run would send: writes, Events, and reads just before them. */
    readonly toPerform: number;
  };
}

export interface PreviewedRun {
  readonly preview: Preview;
  /** The worlds as read, to perform exactly this plan. Leaves out resources that could not be planned. */
  readonly work: readonly LiveWorld[];
  readonly found: Survey;
  readonly pruning: Pruning;
  readonly areas: readonly Area[];
  /** The area, if all its resources were read, so that a rollout may begin more of them. */
  readonly wide: Pick<Area, 'namespaces'> | undefined;
  /** When the first object was read, or earlier, in milliseconds since the epoch. */
  readonly readAt: number;
}

export interface PreviewOptions extends Pick<ResyncOptions, 'area' | 'concurrency' | 'pruneLimit'> {
  /** True to adopt wanted children without a controller; default: false. */
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
  { area, concurrency, pruneLimit, adopts = false }: PreviewOptions,
): Promise<PreviewedRun> {
  const readAt = run.clients.now().getTime();
  const areas = requests.map((one) => areaOf(one, area));
  const found = await survey(run, areas);
  const pruning = pruningOf(found, pruneLimit);
  const wide = isWholeResync(run, requests) ? { namespaces: area.namespaces } : undefined;
  if (wide !== undefined) await askAhead(run, found, concurrency);
  const turns = wide === undefined ? none : await turnsOf(run, found.fleets);
  let done = 0;
  const previewNext = async (world: LiveWorld): Promise<Previewed | undefined> => {
    const one = await previewOne(run, world, { pruning, turns, adopts });
    run.clients.observer?.onProgress?.(++done, found.work.length);
    return one;
  };
  const seen = await pMap(found.work, previewNext, { concurrency });
  const known = seen.filter((one) => one !== undefined);
  const resources = known.map(({ planned }) => planned).filter(isShown);
  return {
    found,
    pruning,
    readAt,
    areas,
    wide,
    work: known.filter(({ planned }) => planned.state !== 'failed').map(({ world }) => world),
    preview: {
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
    },
  };
}

/** Reports whether a run would do or report something. */
const isShown = (one: PlannedResource): boolean =>
  one.state !== 'planned' ||
  one.message !== undefined ||
  one.actions.length + one.commit.length > 0;

/** A run that reads only a part of each kind begins no rollout. */
const none: ReadonlySet<string> = new Set();

interface Previewed {
  readonly world: LiveWorld;
  readonly planned: PlannedResource;
}

/** Plans one resource. Returns undefined if it is gone or being deleted, because there is nothing to do. */
async function previewOne(
  run: Run,
  world: LiveWorld,
  {
    pruning: { allows },
    turns,
    ...how
  }: {
    readonly pruning: Pruning;
    readonly turns: ReadonlySet<string>;
    readonly adopts: boolean;
  },
): Promise<Previewed | undefined> {
  try {
    const known = await previewResource(run, world, how);
    if (known === undefined || known.planned.state === 'deleting') return undefined;
    const now = run.clients.now();
    const isTurn = turns.has(world.resource.uid);
    const prune: Prune = (namespace) => allows(world.resource, namespace, isTurn);
    const policy = isTurn ? undefined : run.policy.rollout;
    const { planned } = gated(known.planned, known.state.world, { now, policy });
    const described = describePlan({ ...known, planned }, { now: timestamp(now), prune });
    return { world, planned: described };
  } catch (error) {
    const failed = { ...identityOf(world), state: 'failed' as const, message: messageOf(error) };
    return { world, planned: { ...failed, actions: [], events: [], commit: [] } };
  }
}
