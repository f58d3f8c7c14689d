import { isConflict, isInvalid, isTransient } from '../cluster/errors.ts';
import type { JsonObject, KubeObject } from '../kubernetes.ts';
import { rewriting } from '../plan/contest.ts';
import { beingDeleted, type Decision, isWriting } from '../plan/decision.ts';
import { drift } from '../plan/drift.ts';
import { observeChild } from '../plan/observed.ts';
import { foresee, isWrite, note, type Outcome } from '../plan/outcome.ts';
import { keyOf } from '../plan/world.ts';
import { confirm } from './confirm.ts';
import { explain, type Failure } from './refusal.ts';
import type { Run } from './run.ts';
import { StaleError } from './stale.ts';
import { consolidate, create, removePartners, update, withdraw } from './update.ts';
import type { View } from './view.ts';

export interface Performance {
  view: View;
  /** What was done so far, by child: earlier tries of the same resource included. */
  readonly outcomes: Map<string, Outcome>;
  /** Something was written, or may have been, its answer lost. */
  wrote: boolean;
  /** Until when the specification needs no second look, in milliseconds since the epoch. */
  freshUntil: number;
  /** Conflicts in a row, by child: a write that is done begins anew. */
  readonly conflicts: Map<string, number>;
  /** Children that others write without pause, and what is reported of them. */
  readonly givenUp: Map<string, Failure>;
}

/** Nothing done yet. */
export const begin = (view: View, freshUntil: number): Performance => ({
  view,
  outcomes: new Map(),
  wrote: false,
  freshUntil,
  conflicts: new Map(),
  givenUp: new Map(),
});

/** Executes one decision as it stands. Throws a StaleError on a conflict; any other failure is an outcome. */
export async function perform(
  run: Run,
  performance: Performance,
  decision: Decision,
): Promise<void> {
  const { child, verb } = decision;
  const givenUp = performance.givenUp.get(keyOf(child));
  if (givenUp !== undefined && isWriting(decision))
    return tell(performance, { child, result: 'failed', ...givenUp });
  try {
    await confirm(run, performance, decision);
    tell(performance, await act(run, performance, locked(performance, decision)));
  } catch (error) {
    performance.wrote ||= isTransient(error);
    if (error instanceof StaleError) throw error;
    if (isConflict(error))
      throw new StaleError(`${verb} ${child.kind} ${child.name}`, decision, error);
    if (await madeRoom(run, decision, error)) {
      performance.wrote = true;
      throw new StaleError(`${verb} ${child.kind} ${child.name}`, decision);
    }
    const failure = await explain(run, decision.type, error);
    tell(performance, { child, result: 'failed', ...failure });
  }
}

/** What follows another write of the run to the same child is locked to what that one returned. */
function locked({ view }: Performance, decision: Decision): Decision {
  if (!('follows' in decision)) return decision;
  const live = view.children.get(keyOf(decision.child));
  if (live === undefined) throw new StaleError(decision.verb, decision);
  return { ...decision, uid: live.uid, resourceVersion: live.resourceVersion };
}

/** After a refusal: something that managedFields did not tell of stood in the way, and is gone now. */
async function madeRoom(run: Run, decision: Decision, refusal: unknown): Promise<boolean> {
  if (decision.verb !== 'update' || !isInvalid(refusal)) return false;
  try {
    const live = await removePartners(run, decision);
    return live.metadata.resourceVersion !== decision.resourceVersion;
  } catch (error) {
    if (isConflict(error)) throw error;
    return false;
  }
}

async function act(run: Run, performance: Performance, decision: Decision): Promise<Outcome> {
  const outcome = foresee(decision);
  switch (decision.verb) {
    case 'none':
    case 'wait':
    case 'defer':
    case 'block':
      return outcome;
    case 'create': {
      const live = await create(run, decision, (written) => keep(performance, written));
      return { ...outcome, ...keep(performance, live, decision.fields) };
    }
    case 'update':
      return change(run, performance, decision);
    case 'consolidate':
      return { ...outcome, ...keep(performance, await consolidate(run, decision)) };
    case 'withdraw':
      return { ...outcome, ...keep(performance, await withdraw(run, decision)) };
    case 'delete':
      return remove(run, performance, decision);
  }
}

async function change(
  run: Run,
  performance: Performance,
  decision: Extract<Decision, { verb: 'update' }>,
): Promise<Outcome> {
  const live = await update(run, decision, (written) => keep(performance, written));
  const outcome = { ...foresee(decision), ...keep(performance, live, decision.fields) };
  if (performance.view.children.get(keyOf(decision.child))?.legacy !== true) return outcome;
  // Noted before the next write, which may meet a conflict: what was done is told all the same.
  tell(performance, outcome);
  const { child } = decision;
  return { child, result: 'updated', ...keep(performance, await consolidate(run, decision, live)) };
}

/** Records a write whose answer was lost, as if it had come. */
export const recordLost = (
  performance: Performance,
  decision: Decision,
  live: KubeObject,
): void => {
  const sent = 'fields' in decision ? decision.fields : undefined;
  tell(performance, { ...foresee(decision), ...keep(performance, live, sent) });
};

function tell({ outcomes, conflicts, view }: Performance, outcome: Outcome): void {
  if (isWrite(outcome)) conflicts.delete(keyOf(outcome.child));
  note(outcomes, outcome, view.resource);
}

/** Takes the answer to a write into the view; an answer that is not what was sent is reported. */
function keep(performance: Performance, live: KubeObject, sent?: JsonObject): Partial<Outcome> {
  const { view } = performance;
  performance.wrote = true;
  const observed = observeChild(live);
  view.children.set(keyOf(observed), observed);
  view.absent.delete(keyOf(observed));
  const version = `${observed.uid}/${observed.resourceVersion}`;
  const rewritten = sent === undefined ? [] : drift(sent, observed);
  return rewritten.length === 0 ? { version } : { version, ...rewriting(observed, rewritten) };
}

async function remove(
  run: Run,
  performance: Performance,
  { child, type, namespace, uid, resourceVersion }: Extract<Decision, { verb: 'delete' }>,
): Promise<Outcome> {
  const { view } = performance;
  const left = await run.cluster.remove(
    type,
    { namespace, name: child.name },
    { uid, resourceVersion },
  );
  performance.wrote = true;
  if (left !== undefined) {
    keep(performance, left);
    return { child, result: 'skipped', ...beingDeleted(child) };
  }
  view.children.delete(keyOf(child));
  view.absent.add(keyOf(child));
  return { child, result: 'deleted' };
}
