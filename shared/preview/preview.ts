import pMap from 'p-map';
import { requestsIn } from '../cluster/cluster.ts';
import { DeadlineError, messageOf } from '../cluster/cluster-errors.ts';
import { keyOf } from '../kubernetes.ts';
import type { Decision } from '../plan/decision/decision.ts';
import type { Outcome } from '../plan/decision/outcome.ts';
import type { Plan } from '../plan/plan.ts';
import type { Pruning } from '../plan/pruning.ts';
import type { Prune } from '../plan/schedule.ts';
import { readChild, readResource } from '../reading/read.ts';
import type { ReconcileRequest } from '../reconcile-request.ts';
import { planResource } from '../resource/plan-resource.ts';
import { StaleError } from '../resource/turn.ts';
import { type ResyncOptions, type Surveyed, surveyRequests } from '../resync/resync.ts';
import type { Incomplete } from '../resync/survey-result.ts';
import { slotsOf } from '../rollout/choose.ts';
import { addWaiting } from '../rollout/fleet.ts';
import { gated } from '../rollout/gate.ts';
import { isWholeResync } from '../run/area.ts';
import { type LiveWorld, type Run, timeLeft, timestamp } from '../run/run.ts';
import {
  describePlan,
  identityOf,
  isAdoption,
  type PlannedResource,
  type PlanOf,
  requestsFor,
} from './planned-resource.ts';

/** The plans of a run, without values of Secrets. */
export interface Preview {
  readonly resources: readonly PlannedResource[];
  readonly total: number;
  readonly idle: { readonly suspended: number; readonly deleting: number };
  readonly pruning: string;
  readonly incomplete: readonly Incomplete[];
  readonly requests: {
    /** The number of requests sent to make the plans. A run may omit some of them. */
    readonly taken: number;
    readonly toPerform: number;
  };
}

export interface PreviewedRun extends Surveyed {
  readonly preview: Preview;
  /** The preview as if there were no rollouts. */
  readonly unheld: Preview;
  readonly work: readonly LiveWorld[];
  readonly area: PreviewOptions['area'];
  /** Set if the run reads all resources of its kinds: only such a run begins rollouts. */
  readonly isWhole: boolean;
}

export interface PreviewOptions extends Pick<ResyncOptions, 'area' | 'concurrency' | 'pruneLimit'> {
  /** Adopts desired children, as after a restore (`isAdoptable`); default: false. */
  readonly adopts?: boolean;
}

/**
 * Guarantees: writes nothing. If nothing changes meanwhile and the server accepts every write, performing the preview
 * sends exactly these requests.
 *
 * Caveats: does not show
 * - just before a write, the read of a child that exposes paths and lost its labels
 * - just before a write, the read of a resource that was last read more than ten seconds ago
 * - changes that admission makes to a write
 * - finalizers of children to be deleted
 * - the writes that mark resources for a rollout, and the list between these writes
 * - the lists and status writes while a run waits for resources to be Ready
 * - the removal of conditions that others put into the status
 */
export async function previewRun(
  run: Run,
  requests: readonly ReconcileRequest[],
  options: PreviewOptions,
): Promise<PreviewedRun> {
  const surveyed = await surveyRequests(run, requests, options);
  const { found, pruning } = surveyed;
  const isWhole = isWholeResync(run, requests);
  const planned = await planWork(run, found.work, options);
  if (isWhole) for (const one of planned) if ('held' in one) addWaiting(found.fleets, one.world);
  const slots = isWhole ? await slotsOf(run, found.fleets) : undefined;
  const known = planned.map((one) => describeRun(run, one, { allows: pruning.allows, slots }));
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
    area: options.area,
    isWhole,
    work: planned.filter((one) => 'planned' in one).map(({ world }) => world),
    preview: previewOf(known.map(({ held }) => held)),
    unheld: previewOf(known.map(({ unheld }) => unheld)),
  };
}

const isShown = (one: PlannedResource): boolean =>
  one.state !== 'planned' ||
  one.message !== undefined ||
  one.actions.length > 0 ||
  requestsFor(one).length > 0;

/** `held` is what a run would do as long as the resource waits for its turn in a rollout. */
export type PlannedWork = { readonly world: LiveWorld } & (
  | (ResourcePreview & { readonly held?: Plan })
  | { readonly error: unknown }
);

/** Omits a resource that is gone, or is being deleted without our finalizer. */
export async function planWork(
  run: Run,
  work: readonly LiveWorld[],
  { concurrency, adopts = false }: Pick<PreviewOptions, 'concurrency' | 'adopts'>,
): Promise<readonly PlannedWork[]> {
  let done = 0;
  const planNext = async (world: LiveWorld): Promise<readonly PlannedWork[]> => {
    try {
      if (timeLeft(run) <= 0)
        throw new DeadlineError('not planned before the deadline (DEADLINE_SECONDS)');
      const known = await previewResource(run, world, adopts);
      if (known === undefined || known.planned.state === 'deleting') return [];
      const at = { now: run.clients.now(), policy: run.policy.rollout };
      const { planned: held, role } = gated(known.planned, world, at);
      return [role === 'waits' ? { world, ...known, held } : { world, ...known }];
    } catch (error) {
      return [{ world, error }];
    } finally {
      run.clients.observer?.onProgress?.(++done, work.length);
    }
  };
  return (await pMap(work, planNext, { concurrency })).flat();
}

export type ResourcePreview = Pick<PlanOf, 'planned' | 'outcomes'>;

/** The maximum number of times to plan again while other writers keep creating and deleting an object. */
const maxReplans = 5;

/**
 * Makes a plan and looks up the children that it would create or adopt. Reads the resource only then, so that no child
 * is newer than the spec with which it is compared, and plans again. Returns undefined if the resource is gone.
 */
export async function previewResource(
  run: Run,
  world: LiveWorld,
  adopts = false,
): Promise<ResourcePreview | undefined> {
  world.foresees = true;
  world.adopts = adopts;
  const adopted = new Set<string>();
  for (let rounds = 0; ; rounds++) {
    const outcomes = new Map<string, Outcome>();
    const planned = await planResource({ run, world, outcomes }).catch((error: unknown) => {
      if (error instanceof StaleError) return error;
      throw error;
    });
    if (planned instanceof StaleError) {
      if (rounds === maxReplans) throw planned;
      if (planned.target !== undefined) await readChild(run, world, planned.target);
    } else {
      const { decisions = [], exposures = [] } = planned.state === 'planned' ? planned : {};
      const unread = [...decisions, ...exposures].filter((one) => needsRead(one, world, adopted));
      if (unread.length === 0 || rounds === maxReplans) return { planned, outcomes };
      for (const { child } of unread) adopted.add(keyOf(child));
      const found = await Promise.all(
        unread.map(({ type, child }) => readChild(run, world, { ...child, type })),
      );
      if (found.every((live) => live === undefined)) continue;
    }
    const resource = await readResource(run, world);
    if (resource === undefined) return undefined;
    world.resource = resource;
    world.reads.clear();
  }
}

function needsRead(decision: Decision, world: LiveWorld, adopted: ReadonlySet<string>): boolean {
  const key = keyOf(decision.child);
  if (decision.verb === 'create') return !world.absent.has(key);
  return !adopted.has(key) && isAdoption(decision, world);
}

/** Returns the changes that a run would make (`held`), and those that it would make without rollouts (`unheld`). */
export function describeRun(
  run: Run,
  one: PlannedWork,
  { allows, slots }: Pick<Pruning, 'allows'> & { readonly slots?: ReadonlySet<string> | undefined },
) {
  const { world } = one;
  if ('error' in one) {
    const message = messageOf(one.error);
    const failed = { ...identityOf(world), state: 'failed' as const, message };
    const held = { ...failed, actions: [], events: [], commit: [] };
    return { held, unheld: held };
  }
  const now = timestamp(run.clients.now());
  const hasSlot = slots?.has(world.resource.uid) ?? false;
  const prune: Prune = (namespace) => allows(world.resource, namespace, hasSlot);
  const described = (planned: Plan): PlannedResource =>
    describePlan({ ...one, planned }, { now, prune });
  const unheld = described(one.planned);
  return { held: one.held && !hasSlot ? described(one.held) : unheld, unheld };
}
