import { type JsonObject, numberAt, objectAt, objectsAt } from '../api-server/json/value.ts';
import { isSemanticallyEqual } from '../api-server/objects/equality.ts';
import { type KubeObject, timestamp } from '../api-server/objects/object.ts';
import { read, type Stored } from '../api-server/storage/stored.ts';
import { unlessLostRace } from './client.ts';
import type { Controller, ControllerContext } from './controller.ts';

const jobs = { group: 'batch', version: 'v1', plural: 'jobs' };
const collectionName = 'jobs.batch';

/**
 * Writes the status of every Job. Its pods start at once, and all succeed `podsReadyAfterMs` later.
 *
 * Caveats: there are no pods, so none fails. Deadlines and retry limits are ignored. A Job with another
 * `managedBy` is left to that manager.
 */
export function jobController(context: ControllerContext): Controller {
  const { server, work, podsReadyAfterMs } = context;
  const client = context.client('job-controller');
  const finishing = new Map<string, number>();

  const sync = (key: string, { namespace, name }: Stored): void => {
    const current = server.store.get(collectionName, namespace, name);
    if (current === undefined) return;
    const job = read(current, 'batch/v1', 'Job');
    const spec = objectAt(job, 'spec');
    const { deletionTimestamp } = job.metadata;
    if (deletionTimestamp !== undefined || spec.managedBy !== undefined || isFinished(job)) return;
    const now = timestamp(server.clock());
    if (!isRunning(job) || spec.suspend === true) {
      finishing.delete(current.uid);
      write(job, spec.suspend === true ? suspended(job, now) : started(job, now));
      return;
    }
    const end = finishing.get(current.uid) ?? performance.now() + podsReadyAfterMs;
    finishing.set(current.uid, end);
    const wait = end - performance.now();
    if (isIdle(spec)) write(job, active(job, 0));
    else if (wait <= 0) write(job, finished(job, now));
    else work.addAfter(key, wait, () => sync(key, current));
  };

  const write = (job: KubeObject, status: JsonObject): void => {
    if (isSemanticallyEqual(status, objectAt(job, 'status'))) return;
    const { namespace = '', name = '' } = job.metadata;
    unlessLostRace(() =>
      client({
        verb: 'update',
        resource: jobs,
        namespace,
        name,
        subresource: 'status',
        body: { ...job, status },
      }),
    );
  };

  return {
    onChange: ({ collection, before, after }) => {
      if (collection !== collectionName) return;
      const key = `${collectionName}/${(after ?? before)?.key}`;
      if (after) work.add(key, () => sync(key, after));
      else if (before) finishing.delete(before.uid);
    },
  };
}

function conditionsOf(job: KubeObject): JsonObject[] {
  return objectsAt(objectAt(job, 'status'), 'conditions');
}

function isTrue(job: KubeObject, wanted: string): boolean {
  return conditionsOf(job).some(({ type, status }) => type === wanted && status === 'True');
}

function isFinished(job: KubeObject): boolean {
  return isTrue(job, 'Complete') || isTrue(job, 'Failed');
}

function isRunning(job: KubeObject): boolean {
  return objectAt(job, 'status').startTime !== undefined && !isTrue(job, 'Suspended');
}

/** Reports whether the Job wants completions but allows no pods. */
function isIdle(spec: JsonObject): boolean {
  return spec.parallelism === 0 && spec.completions !== 0;
}

/** Returns how many pods have to succeed. */
function wantedOf(spec: JsonObject): number {
  return numberAt(spec, 'completions') ?? numberAt(spec, 'parallelism') ?? 1;
}

const counts = { ready: 0, terminating: 0, uncountedTerminatedPods: {} };

function active(job: KubeObject, count: number): JsonObject {
  const { active: _, ...status } = objectAt(job, 'status');
  return { ...status, ...counts, ...(count === 0 ? {} : { active: count }) };
}

function started(job: KubeObject, now: string): JsonObject {
  const spec = objectAt(job, 'spec');
  const count = Math.min(numberAt(spec, 'parallelism') ?? 1, wantedOf(spec));
  return {
    ...active(job, count),
    startTime: now,
    ...withCondition(job, now, isTrue(job, 'Suspended') ? resumed : []),
  };
}

function suspended(job: KubeObject, now: string): JsonObject {
  const { startTime: _, ...status } = active(job, 0);
  return isTrue(job, 'Suspended') ? status : { ...status, ...withCondition(job, now, paused) };
}

function finished(job: KubeObject, now: string): JsonObject {
  const spec = objectAt(job, 'spec');
  const wanted = wantedOf(spec);
  return {
    ...active(job, 0),
    ...(wanted === 0 ? {} : { succeeded: wanted }),
    ...(spec.completionMode === 'Indexed' ? { completedIndexes: indexes(wanted) } : {}),
    completionTime: now,
    ...withCondition(job, now, done),
  };
}

function indexes(count: number): string {
  if (count < 2) return count === 0 ? '' : '0';
  return count === 2 ? '0,1' : `0-${count - 1}`;
}

type Condition = Readonly<Record<'type' | 'status' | 'reason' | 'message', string>>;

const paused: readonly Condition[] = [
  { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' },
];
const resumed: readonly Condition[] = [
  { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' },
];
const done: readonly Condition[] = ['SuccessCriteriaMet', 'Complete'].map((type) => ({
  type,
  status: 'True',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
}));

function withCondition(job: KubeObject, now: string, wanted: readonly Condition[]): JsonObject {
  const others = conditionsOf(job).filter(({ type }) => !wanted.some((one) => one.type === type));
  const added = wanted.map((one) => ({ ...one, lastProbeTime: now, lastTransitionTime: now }));
  const conditions = [...others, ...added];
  return conditions.length === 0 ? {} : { conditions };
}
