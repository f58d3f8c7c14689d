import { setTimeout as delay } from 'node:timers/promises';
import { DeadlineError, isConflict, messageOf } from '../cluster/errors.ts';
import { within } from '../cluster/time-limit.ts';
import type { ObjectRef } from '../kubernetes.ts';
import { course } from '../plan/course.ts';
import { findingOf } from '../plan/finding.ts';
import type { ObservedResource } from '../plan/observed.ts';
import { isWrite, type Outcome } from '../plan/outcome.ts';
import { conclude, type Done, giveUp, nothingSaid, outcomesOf } from './conclude.ts';
import { perform } from './perform.ts';
import { begin, type Performance } from './performance.ts';
import { planView } from './plan-view.ts';
import { countConflict, maxConflicts, refresh } from './refresh.ts';
import type { Run } from './run.ts';
import { BesideError, StaleError } from './stale.ts';
import { keyOfResource, type View } from './view.ts';

/** What one run did for one resource. */
export interface Result extends Done {
  /** `websites.kubecon.my.domain default/shop` */
  readonly key: string;
  readonly namespace: string;
  readonly outcomes: readonly Outcome[];
  readonly wrote: boolean;
  /** Its time in this run was over before everything was done. */
  readonly cutOff: boolean;
}

export interface Effort {
  /** Whether children that the resource no longer wants may be deleted. */
  readonly prune: (resource: ObservedResource) => boolean;
  /** How often it is planned; 1: a conflict ends it, and nothing is done that was not planned before. */
  readonly tries?: number;
}

/** One resource in its turn; times in milliseconds. */
export interface Turn extends Effort {
  /** Until when the specification need not be read again, since the epoch. */
  readonly freshUntil: number;
  /** How long its children may take; none of their requests is begun or waited for after it. */
  readonly timeoutMs: number;
}

/** What a resource's Events and status may take after its time. */
const commitMs = 5_000;

/**
 * Brings the children of one resource to their desired state and reports it in the status.
 *
 * Flow: plan → perform → prune → Events → commit; on a conflict what was stale is read again, the
 * child before the resource, and planned again. A child that meets five conflicts in a row is given
 * up, and the others go on.
 * Guarantees: every write is locked to what it was decided on; whatever was written is followed by
 * a commit, which detects whether the specification was still the newest; it ends soon after its
 * time. Never throws.
 */
export async function reconcile(run: Run, start: View, turn: Turn): Promise<Result> {
  const begun = run.now().getTime();
  const performance = begin(start, turn.freshUntil);
  let done: Done;
  try {
    done = await untilFresh(limited(run, turn.timeoutMs), performance, turn);
  } catch (error) {
    done = { verdict: undefined, statusWritten: false, error: messageOf(error) };
  }
  const { view, wrote } = performance;
  const outcomes = outcomesOf(run, performance);
  const isOver = run.now().getTime() - begun >= turn.timeoutMs;
  const isLeft = done.error !== undefined || outcomes.some(({ transient }) => transient === true);
  const { namespace } = view.resource;
  const key = keyOfResource(view);
  return { key, namespace, outcomes, wrote, cutOff: isOver && isLeft, ...done };
}

interface Limited {
  /** For children. */
  readonly run: Run;
  /** For Events and the status. */
  readonly ending: Run;
}

/** Lists that a run shares (node ports, Events) are read in its time; a resource waits only for its own. */
function limited(run: Run, ms: number): Limited {
  const end = Date.now() + ms;
  const awaited = <T>(what: string, read: () => Promise<T>): Promise<T> =>
    within(end - Date.now(), read, () => new DeadlineError(`the ${what} are not listed yet`));
  const nodePorts: Run['nodePorts'] = () => awaited('Services', () => run.nodePorts(run));
  const repairs: Run['repairs'] = (_, namespace) =>
    awaited('Events', () => run.repairs(run, namespace));
  const withTimeout = (timeout: number): Run => ({
    ...run,
    nodePorts,
    repairs,
    cluster: run.cluster.withTimeout(timeout),
  });
  return { run: withTimeout(ms), ending: withTimeout(ms + commitMs) };
}

/** Plans and performs until nothing turns out stale, or too often. */
async function untilFresh(runs: Limited, performance: Performance, effort: Effort): Promise<Done> {
  let conflicts = 0;
  try {
    for (let attempts = 1; ; attempts++) {
      const { done, stale } = await attempt(runs, performance, effort);
      if (stale === undefined) return done;
      const child = childOf(stale);
      if (child === undefined) conflicts++;
      if (effort.tries === attempts || conflicts === maxConflicts || attempts === maxAttempts)
        throw stale;
      // With jitter, so that two runs do not conflict again and again.
      await delay(10 + Math.random());
      if (!(await refresh(runs.run, performance, stale))) return nothingSaid;
      const seen = stale instanceof BesideError ? stale.paths : [];
      if (child !== undefined) countConflict(performance, child, seen);
    }
  } catch (error) {
    const hasGivenUp = isConflict(error) || error instanceof DeadlineError;
    if (!hasGivenUp || effort.tries === 1) throw error;
    return giveUp(runs.ending, performance, error as Error);
  }
}

/** Which object was in conflict: a child, or the resource. */
function childOf(stale: unknown): ObjectRef | undefined {
  if (stale instanceof BesideError) return stale.child;
  return stale instanceof StaleError ? stale.decision?.child : undefined;
}

/** Planned and performed once; `stale` is the conflict that it met, if it did. */
async function attempt(
  runs: Limited,
  performance: Performance,
  effort: Effort,
): Promise<{ readonly done: Done; readonly stale?: unknown }> {
  try {
    return { done: await once(runs, performance, effort) };
  } catch (error) {
    if (!isConflict(error)) throw error;
    return { done: nothingSaid, stale: error };
  }
}

/** Bounds the rounds, however child and resource alternate in changing. */
const maxAttempts = 100;

async function once(
  { run, ending }: Limited,
  performance: Performance,
  { prune }: Effort,
): Promise<Done> {
  const { view, outcomes } = performance;
  for (const [key, outcome] of outcomes) if (!isWrite(outcome)) outcomes.delete(key);
  const planned = await planView(run, performance);
  if (planned.state === 'deleting' || planned.state === 'unseen') return nothingSaid;
  if (planned.state === 'planned') {
    for (const decision of course(planned, outcomes, prune(view.resource)))
      await perform(run, performance, decision);
  }
  const found = findingOf(view, planned, [...outcomes.values()]);
  return { verdict: found?.verdict, statusWritten: await conclude(ending, performance, { found }) };
}
