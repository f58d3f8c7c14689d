import { setTimeout as delay } from 'node:timers/promises';
import pMap from 'p-map';
import { present } from '../json.ts';
import { isEdited } from '../plan/observed/observed-resource.ts';
import { plan } from '../plan/plan.ts';
import { type Pruning, pruningOf } from '../plan/pruning.ts';
import type { ReconcileRequest } from '../reconcile-request.ts';
import { planResource } from '../resource/plan-resource.ts';
import type { Result } from '../resource/reconcile.ts';
import { beginWaves } from '../rollout/choose.ts';
import { addWaiting } from '../rollout/fleet.ts';
import { gated } from '../rollout/gate.ts';
import { type Area, areaOf, areasToFollow, isWholeResync } from '../run/area.ts';
import { fairOrder } from '../run/fairness.ts';
import { type LiveWorld, type Run, timeLeft, withMemory, withTimeout } from '../run/run.ts';
import { type RunOptions, reconcileAll, type Turned } from './reconcile-all.ts';
import { type Report, reportOf } from './report.ts';
import { mayBecomeReady, resume, settle } from './settle.ts';
import { survey } from './survey.ts';
import type { Survey } from './survey-result.ts';

export interface ResyncOptions {
  readonly area: Omit<Area, 'name'>;
  readonly concurrency: number;
  /** Returns how many unedited resources may delete children if there are `resources` in all. */
  readonly pruneLimit: (resources: number) => number;
  readonly settleSeconds: number;
  /** Default: a timer. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

/**
 * Reconciles every resource that the requests select, from fresh lists. Then resumes resources that used up their
 * share, and waits until the resources that it wrote to are Ready.
 *
 * Guarantees: a failing resource delays others by no more than its share. No resource is begun after the deadline. A
 * failed list affects only its type and what depends on the type.
 */
export async function resync(
  run: Run,
  requests: readonly ReconcileRequest[],
  options: ResyncOptions,
): Promise<Report> {
  using _memory = run.limits.memory;
  const surveyed = await surveyRequests(run, requests, options);
  logLeft(run, surveyed);
  const { found, pruning, readAt } = surveyed;
  const work = fairOrder(found.work, run.policy.seed);
  if (isWholeResync(run, requests)) {
    await askAhead(run, { ...found, work }, options.concurrency);
    await beginWaves(run, options.area, found);
  }
  const given = { ...options, prune: pruning.allows, incomplete: found.incomplete, readAt };
  const done = await reconcileWork(run, work, given);
  return reportOf(run, { ...surveyed, ...done, begun: readAt });
}

export interface Surveyed {
  readonly found: Survey;
  readonly pruning: Pruning;
  readonly readAt: number;
}

export async function surveyRequests(
  run: Run,
  requests: readonly ReconcileRequest[],
  { area, pruneLimit }: Pick<ResyncOptions, 'area' | 'pruneLimit'>,
): Promise<Surveyed> {
  const readAt = run.clients.now().getTime();
  const areas = requests.map((request) => areaOf(request, area));
  const found = await survey(run, areas);
  return { found, pruning: pruningOf(found, pruneLimit), readAt };
}

export function logLeft({ clients: { log } }: Run, { found, pruning }: Surveyed): void {
  if (pruning.text !== 'allowed')
    log.error('deletions are withheld in this run', { reason: pruning.text });
  for (const { key, error } of found.unkept) log.error('resource failed', { key, error });
}

interface WorkOptions
  extends RunOptions,
    Pick<ResyncOptions, 'area' | 'settleSeconds' | 'wait'>,
    Pick<Survey, 'incomplete'> {}

async function reconcileWork(run: Run, work: readonly LiveWorld[], given: WorkOptions) {
  const generations = new Map(work.map(({ resource }) => [resource.uid, resource.generation]));
  // A resource that was edited during the run may delete children, although its deletions were not counted.
  const prune: Pruning['allows'] = (resource, namespace, isExpected) => {
    const isNewer = generations.get(resource.uid) !== resource.generation;
    return given.prune(resource, namespace, isExpected || isNewer);
  };
  const options = { ...given, prune };
  const first = await reconcileAll(run, work, options);
  const turned = [...first.done, ...(await resume(run, first.done, passOf(options)))];
  run.clients.observer?.onSettling?.();
  const settled = await settleWork(run, turned, options);
  return { results: [...turned.map(({ result }) => result), ...settled], undone: first.undone };
}

export function settleWork(
  run: Run,
  turned: readonly Turned[],
  { wait = untilStopped(run), ...options }: WorkOptions,
): Promise<readonly Result[]> {
  const isFollowed = ({ world, result }: Turned) => result.wrote || world.givenUp.size > 0;
  const followed = new Set(turned.filter(isFollowed).map(({ result }) => result.key));
  const last = new Map(turned.map((one) => [one.result.key, one]));
  const worlds = [...last.values()]
    .filter(({ result }) => followed.has(result.key) && mayBecomeReady(result))
    .map(({ world }) => world);
  return settle(run, worlds, { seconds: options.settleSeconds, wait, runPass: passOf(options) });
}

const untilStopped =
  ({ limits: { stopped } }: Run) =>
  (ms: number): Promise<void> =>
    delay(ms, undefined, present({ signal: stopped })).catch(() => undefined);

const passOf =
  (options: Omit<WorkOptions, 'settleSeconds' | 'wait'>) =>
  async (run: Run, worlds: readonly LiveWorld[]): Promise<readonly Turned[]> => {
    const readAt = run.clients.now().getTime();
    using memory = run.limits.memory.part();
    const own = withMemory(run, memory);
    const found = await survey(own, areasToFollow(worlds, options.area));
    const known = new Set(options.incomplete.map(({ kind }) => kind));
    for (const { kind, error } of found.incomplete)
      if (!known.has(kind)) run.clients.log.warning('repeated list failed', { kind, error });
    const work = fairOrder(found.work, run.policy.seed);
    return (await reconcileAll(own, work, { ...options, readAt })).done;
  };

/**
 * Finds out by dry runs what a kind's new code would change. Adds to `fleets` the resources that must wait.
 *
 * Guarantees: sends only requests that reconciling would send anyway, and keeps their results. Takes at most a quarter
 * of the time left. A later run may choose the remaining resources.
 */
async function askAhead(
  run: Run,
  { work, fleets }: Pick<Survey, 'fleets'> & { readonly work: readonly LiveWorld[] },
  concurrency: number,
): Promise<void> {
  const { rollout: policy } = run.policy;
  if (policy === undefined) return;
  const limited = withTimeout(run, timeLeft(run) / 4);
  const ask = async (world: LiveWorld): Promise<void> => {
    if (isEdited(world.resource) || plan(world).state !== 'unseen') return;
    const planning = { run: limited, world, outcomes: new Map() };
    // Ignores the error, because reconciling the resource reports it.
    const planned = await planResource(planning).catch(() => undefined);
    if (planned === undefined) return;
    const { role } = gated(planned, world, { now: run.clients.now(), policy });
    if (role === 'waits') addWaiting(fleets, world);
  };
  await pMap(work, ask, { concurrency });
}
