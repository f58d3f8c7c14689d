import pMap from 'p-map';
import { keyOf, type ObjectRef } from '../kubernetes.ts';
import type { Question } from '../plan/decision/decision.ts';
import { codeFails } from '../plan/decision/desired.ts';
import type { Outcome } from '../plan/decision/outcome.ts';
import { type FightDetector, fightDetector, type RecentWrites } from '../plan/drift/contest.ts';
import type { ObservedChild } from '../plan/observed/observed.ts';
import { isUntried, type ObservedResource } from '../plan/observed/observed-resource.ts';
import type { Pool } from '../plan/observed/unreadable.ts';
import {
  type FailedRequest,
  namespaceOf,
  type ReadTarget,
  readTarget,
} from '../plan/observed/world.ts';
import { type Plan, plan, type UnseenPlan } from '../plan/plan.ts';
import { roundRobinByNamespace } from '../plan/round-robin.ts';
import { poolsOfResource, readChild } from '../reading/read.ts';
import { readReferencesOf } from '../reading/read-references.ts';
import { explain } from '../run/explain.ts';
import { shuffled } from '../run/fairness.ts';
import { type LiveWorld, type Run, timeLeft, timestamp } from '../run/run.ts';
import { compareByDryRun } from './compare-by-dry-run.ts';
import { Inquiry } from './inquiry.ts';
import type { Turn } from './turn.ts';

/** A run reads by name at most this many children in `UnseenPlan.listed`, and as many postponed children. */
const maxReads = 16;
const atOnce = { concurrency: 4 };

/** Bounds the rounds of reads and dry runs, well above the few that plans need. */
const maxRounds = 16;

type Planning = Pick<Turn, 'run' | 'world' | 'outcomes'> & Partial<Pick<Turn, 'asking'>>;

/** Plans a resource, with the reads and dry runs that the plan needs. A failed read blocks only what depends on it. */
export async function planResource(turn: Planning): Promise<Exclude<Plan, UnseenPlan>> {
  const { run, world } = turn;
  await readPostponed(run, world);
  let { resource } = world;
  const detectFight = fightDetectorFor(run, resource);
  for (let rounds = 1; ; rounds++) {
    const planned = plan({ ...world, resource, detectFight });
    if (planned.state !== 'unseen') return planned;
    if (rounds <= maxRounds) resource = withoutChildren(resource, await readUnseen(turn, planned));
    else if (planned.questions !== undefined) leaveUnanswered(world, planned.questions);
    else return { state: 'invalid', message: codeFails(new Error(namesOthers)), broken: true };
  }
}

const namesOthers = 'when called again with the same objects, it refers to different objects';

function leaveUnanswered({ asked }: LiveWorld, questions: readonly Question[]): void {
  for (const { child, lock } of questions) {
    const version = `${lock.uid}/${lock.resourceVersion}`;
    asked.set(keyOf(child), { version, desired: undefined, after: undefined });
  }
}

/** Reads the objects that the plan needs, and makes its dry runs. Returns the children in `listed` that stay unread. */
async function readUnseen(
  { run, world, outcomes, asking = run }: Planning,
  { references = [], listed = [], names = [], questions = [] }: UnseenPlan,
): Promise<readonly ObjectRef[]> {
  await readReferencesOf(run, world.reads, references);
  const order = readOrder(run, listed);
  const readListed = async (ref: ReadTarget): Promise<readonly Outcome[]> => {
    const { type: _, ...child } = ref;
    const failure = await readName(run, world, ref);
    return failure === undefined ? [] : [{ child, result: 'failed', ...failure }];
  };
  const failed = (await pMap(order.slice(0, maxReads), readListed, atOnce)).flat();
  for (const one of reported(failed, listed.length)) outcomes.set(keyOf(one.child), one);
  for (const ref of names) {
    const failure = await readName(run, world, ref);
    if (failure !== undefined) world.unread.set(keyOf(ref), failure);
  }
  await pMap(questions, (one) => compareByDryRun(new Inquiry(asking, world, one)), atOnce);
  return [...failed.map(({ child }) => child), ...order.slice(maxReads)];
}

/** Shuffles a long list, taking namespaces in turn, so that unreadable objects do not starve readable objects. */
const readOrder = <T extends ObjectRef>(run: Run, refs: readonly T[]): readonly T[] =>
  refs.length > maxReads ? roundRobinByNamespace(shuffled(refs, run.policy.seed, keyOf)) : refs;

/** Merges the failures into one if `listed`, the number of children, exceeds `maxReads`. */
function reported(failed: readonly Outcome[], listed: number): readonly Outcome[] {
  const [first] = failed.toSorted((a, b) => ((a.reason ?? '') < (b.reason ?? '') ? -1 : 1));
  if (first === undefined || listed <= maxReads) return failed;
  const remedy =
    first.reason === 'Forbidden'
      ? '`reconciler doctor` lists missing permissions'
      : 'later runs try again';
  const message = `status.children names ${listed} objects that no list returned; each run reads ${maxReads} of them by name. Objects that cannot be read are not deleted; ${remedy}`;
  return [{ ...first, message, transient: failed.every((one) => one.transient) }];
}

/**
 * Reads by name the children that were postponed because earlier objects used up the CPU time.
 *
 * Guarantees: reads each child at most once in a pass. The children in one namespace together take about 40 ms of CPU
 * time at most (`poolsOfResource`). A child that stays unreadable is neither written nor pruned in this pass.
 */
async function readPostponed(run: Run, world: LiveWorld): Promise<void> {
  const postponed = [...world.children.values()].filter((child) => child.postponed === true);
  if (postponed.length === 0) return;
  const poolOf = poolsOfResource();
  const read = (child: ObservedChild) =>
    readName(run, world, readTarget(child), poolOf(namespaceOf(world.resource, child)));
  await pMap(readOrder(run, postponed).slice(0, maxReads), read, atOnce);
  for (const [key, { postponed: _, ...child }] of world.children) world.children.set(key, child);
}

async function readName(
  run: Run,
  world: LiveWorld,
  ref: ReadTarget,
  pool?: Pool,
): Promise<FailedRequest | undefined> {
  if (timeLeft(run) <= 0)
    return { reason: 'NotFinished', message: "the run's deadline has passed", transient: true };
  try {
    if ((await readChild(run, world, ref, pool)) !== undefined) world.reads.clear();
    return undefined;
  } catch (error) {
    return explain(run, ref.type, error);
  }
}

function withoutChildren(resource: ObservedResource, refs: readonly ObjectRef[]): ObservedResource {
  const gone = new Set(refs.map(keyOf));
  const children = resource.status.children?.filter((ref) => !gone.has(keyOf(ref))) ?? [];
  return { ...resource, status: { ...resource.status, children } };
}

/**
 * Returns a detector of writes that others keep undoing; undefined if the run makes them anyway, or only observes.
 *
 * Guarantees: a run for an audit event makes a contested write only to close an exposure, or if no run has tried the
 * generation. A run for a request message repeats no repair within 30 s. A resync repairs contested fields only in its
 * first pass.
 * Caveats: once a run has tried a generation, a write can be contested even if the edit is not fully applied.
 */
export const fightDetectorFor = (
  { clients, policy }: Run,
  resource: ObservedResource,
): FightDetector | undefined =>
  policy.trigger === 'resync' || resource.observeOnly || isUntried(resource)
    ? undefined
    : fightDetector({
        now: timestamp(clients.now()),
        repairs: repairsOf(resource),
        namespace: resource.namespace,
        causes: policy.causes ?? [],
        fromRequestMessage: policy.trigger === 'request',
      });

function repairsOf({ status }: ObservedResource): RecentWrites['repairs'] {
  const { children = [], lastApplied } = status;
  const keys = children.map(keyOf);
  return Map.groupBy(lastApplied?.repairs ?? [], ({ child }) => keys[child] ?? '');
}
