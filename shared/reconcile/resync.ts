import { setTimeout as delay } from 'node:timers/promises';
import type { Kind } from '../kinds/kind.ts';
import { groupResource } from '../kubernetes.ts';
import { pruningOf } from '../plan/pruning.ts';
import type { Scope } from '../scope.ts';
import { type Area, areaOf, areasOf, isEverything, isWholeTick } from './area.ts';
import { readRepairs } from './contested.ts';
import { fairOrder } from './fairness.ts';
import type { KnownLists } from './known-objects.ts';
import { keyOfResource } from './read.ts';
import { commitMs, type Result } from './reconcile.ts';
import { type RunOptions, reconcileAll } from './reconcile-all.ts';
import { type Report, reportOf } from './report.ts';
import { beginWaves } from './rollout-wave.ts';
import type { Run } from './run.ts';
import { lastOf, mayBecomeReady, openPasses, type PassResult, settle } from './settle.ts';
import type { LiveWorld } from './state.ts';
import type { Survey } from './survey.ts';
import { surveyAll } from './survey-all.ts';
import { closeUnwritten, openUnwritten, unwrittenMs } from './unwritten.ts';

export interface ResyncOptions {
  readonly area: Omit<Area, 'name'>;
  readonly concurrency: number;
  /** How many of `resources` may want deletions without having been edited. */
  readonly pruneLimit: (resources: number) => number;
  readonly settleSeconds: number;
  /** What earlier ticks of the process made of what they listed; default: each page is parsed. */
  readonly known?: KnownLists | undefined;
  /** How settling waits; default: by a timer. */
  readonly wait?: (ms: number) => Promise<unknown>;
  /** Called after each resource. */
  readonly onProgress?: (done: number, of: number) => void;
  /** Called once all resources are reconciled and the run only waits for those that are not Ready. */
  readonly onSettling?: () => void;
}

/**
 * Reconciles every resource that the Scopes select, from fresh lists.
 *
 * Flow: survey everything, then reconcile it. Resources that used up their share of the time, or at which
 * another run was met, are surveyed again and resumed while there is time left. Resources that are not
 * Ready are surveyed again, all together.
 * Guarantees: a failing resource delays others by no more than its share. After the deadline only statuses
 * that were left unwritten are begun, for 5 s, and the report names what was left. A failed list affects only the kinds that need it.
 */
export async function resync(
  run: Run,
  scopes: readonly Scope[],
  options: ResyncOptions,
): Promise<Report> {
  const isLater = options.settleSeconds > 0 && !run.followsChild;
  const own = isLater ? { ...run, unwritten: openUnwritten(run) } : run;
  try {
    return await resyncAll(own, scopes, options);
  } finally {
    run.memoryBudget.close();
  }
}

async function resyncAll(
  run: Run,
  scopes: readonly Scope[],
  options: ResyncOptions,
): Promise<Report> {
  const surveyed = await surveyScopes(run, scopes, options);
  const { started, areas, found, pruning } = surveyed;
  const { concurrency } = options;
  const resources = new Map<Kind, number>();
  for (const { kind, resources: more } of found.fleets)
    resources.set(kind, (resources.get(kind) ?? 0) + more);
  const each = { concurrency, prune: pruning.allows, readAt: started.getTime(), areas, resources };
  const work = fairOrder(found.work, run.seed ?? started.getTime());
  const own = isWholeTick(run, scopes) ? await beginWaves(run, options.area, found) : run;
  const done = await reconcileWork(own, work, { ...options, each });
  return reportOf(run, { ...surveyed, ...done, pruning: pruning.text });
}

/** Reads everything that the Scopes select, and logs what is left out. */
export async function surveyScopes(
  run: Run,
  scopes: readonly Scope[],
  options: Pick<ResyncOptions, 'area' | 'pruneLimit' | 'known'>,
) {
  const started = run.now();
  const areas = scopes.map((scope) => areaOf(scope, options.area));
  const known = isEverything(run, scopes) ? options.known : undefined;
  const found = await surveyAll({ ...forLists(run), known }, areas);
  const pruning = pruningOf(found, options.pruneLimit);
  if (pruning.text !== 'allowed')
    run.log.error('deletions are withheld in this run', { reason: pruning.text });
  for (const { key, error } of found.unkept) run.log.error('resource failed', { key, error });
  return { started, areas, found, pruning };
}

type RepeatOptions = RunOptions & Required<Pick<RunOptions, 'areas'>>;

interface WorkOptions
  extends Pick<ResyncOptions, 'settleSeconds' | 'wait' | 'onProgress' | 'onSettling'> {
  readonly each: RepeatOptions;
}

/** The part of the time that is kept for unwritten statuses at most; each resource may have a quarter. */
const reservedPart = 0.2;

/** Reconciles resources, waits for them, and writes each status that is still unwritten then. */
async function reconcileWork(
  run: Run,
  work: readonly LiveWorld[],
  { each, settleSeconds: seconds, wait = delay, onProgress, onSettling }: WorkOptions,
) {
  const runPass = (limited: Run, worlds: readonly LiveWorld[], mostMs?: number): Promise<Pass> =>
    surveyAndReconcile(limited, worlds, { ...each, mostMs });
  const mostReserved = (run.deadline - run.now().getTime()) * reservedPart;
  const { results: passed, passIfDue } = openPasses(run, runPass);
  const { results, undone } = await reconcileAll(run, work, {
    ...{
      ...each,
      mayLeave: true,
      beforeEach: passIfDue,
      reserve: () => Math.min(unwrittenMs(run), mostReserved),
    },
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  const { resumed, gone } = await resume(run, { worlds: work, results }, runPass);
  onSettling?.();
  const lastResult = lastOf([...results, ...passed, ...resumed]);
  const settled = await settle(
    run,
    work.filter((world) => mayBecomeReady(lastResult(world)) && lastResult(world)?.wrote),
    { seconds, wait, runPass },
  );
  const { areas: _, ...once } = each;
  const ending = { ...run, deadline: run.deadline + commitMs };
  const rest = await reconcileAll(ending, closeUnwritten(run), { ...once, onlyStatus: true });
  return {
    results: [...results, ...passed, ...resumed, ...settled, ...rest.results].filter(
      (one) => one !== undefined,
    ),
    undone: [
      ...undone,
      ...work
        .filter((world) => lastResult(world)?.met && !gone.has(world.resource.uid))
        .map(keyOfResource),
      ...rest.undone,
    ],
  };
}

/** The least time for lists in milliseconds, even after the deadline. */
const leastForLists = 2000;

/** Lists have at most half of the time, so that a list that hangs leaves time for the other kinds. */
const forLists = (run: Run, most = Number.POSITIVE_INFINITY): Run => {
  const left = run.deadline - run.now().getTime();
  const ms = Math.min(most, Math.max(left / 2, leastForLists));
  return { ...run, cluster: run.cluster.withTimeout(ms) };
};

interface Pass extends PassResult {
  /** The uids of the resources that a complete list does not have. */
  readonly gone: readonly string[];
}

/** One pass: surveys the resources that are not done, and reconciles them. */
async function surveyAndReconcile(
  run: Run,
  worlds: readonly LiveWorld[],
  { mostMs, ...options }: RepeatOptions & { readonly mostMs: number | undefined },
): Promise<Pass> {
  const readAt = run.now().getTime();
  const awaited = new Set(worlds.map(({ resource }) => resource.uid));
  const areas = areasOf(worlds, options.areas);
  const own = { ...run, memoryBudget: run.memoryBudget.part() };
  try {
    const found = await surveyAll(forLists(own, mostMs), areas, awaited);
    const listMs = run.now().getTime() - readAt;
    for (const { kind, error } of found.incomplete)
      run.log.warning('second pass incomplete', { kind, error });
    const work = fairOrder(found.work, run.seed ?? readAt);
    const { results } = await reconcileAll(own, work, { ...options, readAt, mostMs });
    return { worlds: work, results, listMs, gone: goneIn(found, worlds) };
  } finally {
    own.memoryBudget.close();
  }
}

function goneIn({ work, unkept, incomplete }: Survey, worlds: readonly LiveWorld[]) {
  const found = new Set([...work.map(keyOfResource), ...unkept.map(({ key }) => key)]);
  const failed = new Set(incomplete.map(({ kind }) => kind));
  return worlds
    .filter((world) => !found.has(keyOfResource(world)) && !failed.has(groupResource(world.kind)))
    .map(({ resource }) => resource.uid);
}

/** With less time left than this, unfinished resources are left to the next run. */
const leastToResumeMs = 1000;

/**
 * Resumes resources at which another run was met, all together, as it has probably written them by now;
 * then those that used up their share of the time, in shares of the time that is left.
 *
 * Guarantees: of the latter contested fields are not repaired again, as in settling. Lists have at most
 * half of the time. The time for unwritten statuses is kept.
 */
async function resume(
  run: Run,
  { worlds, results }: Pick<PassResult, 'worlds' | 'results'>,
  runPass: (run: Run, worlds: readonly LiveWorld[]) => Promise<Pass>,
) {
  const resumed: Result[] = [];
  const gone = new Set<string>();
  const isTime = (): boolean =>
    run.deadline - run.now().getTime() > leastToResumeMs + unwrittenMs(run);
  const resumeThese = async (own: Run, waiting: readonly LiveWorld[]) => {
    // What other runs have repaired since is in no list of before.
    const repairs = readRepairs();
    const seen = await runPass(
      { ...own, repairs, deadline: own.deadline - unwrittenMs(run) },
      waiting,
    );
    resumed.push(...seen.results.flatMap((result) => result ?? []));
    for (const uid of seen.gone) gone.add(uid);
    return cutOff(seen);
  };
  const met = worlds.filter((_, at) => results[at]?.met);
  let waiting = cutOff({ worlds, results });
  if (met.length > 0 && isTime()) waiting = [...waiting, ...(await resumeThese(run, met))];
  while (waiting.length > 0 && isTime())
    waiting = await resumeThese({ ...run, trigger: 'settle' }, waiting);
  return { resumed, gone };
}

const cutOff = ({ worlds, results }: Pick<PassResult, 'worlds' | 'results'>) =>
  worlds.filter((_, at) => results[at]?.cutOff);
