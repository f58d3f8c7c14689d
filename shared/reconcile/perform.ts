import { isConflict, isInvalid, isTransient } from '../cluster/errors.ts';
import type { JsonObject, KubeObject } from '../kubernetes.ts';
import { rewriting } from '../plan/contest.ts';
import { beingDeleted, type Decision, isWriting } from '../plan/decision.ts';
import { drift } from '../plan/drift.ts';
import { observeChild } from '../plan/observed.ts';
import { foresee, isWrite, note, type Outcome } from '../plan/outcome.ts';
import { keyOf } from '../plan/world.ts';
import { confirm } from './confirm.ts';
import type { Performance } from './performance.ts';
import { explain } from './refusal.ts';
import type { Run } from './run.ts';
import { StaleError } from './stale.ts';
import { consolidate, create, removePartners, update, withdraw } from './update.ts';

/** Executes one decision exactly as it is. Throws a StaleError on a conflict; any other failure is an outcome. */
export async function perform(
  run: Run,
  performance: Performance,
  decision: Decision,
): Promise<void> {
  const { child, verb } = decision;
  const givenUp = performance.givenUp.get(keyOf(child));
  if (givenUp !== undefined && (isWriting(decision) || verb === 'wait'))
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

/** A write that follows another write of the run to the same child is locked to the version that one returned. */
function locked({ view }: Performance, decision: Decision): Decision {
  if (!('follows' in decision)) return decision;
  const live = view.children.get(keyOf(decision.child));
  if (live === undefined) throw new StaleError(decision.verb, decision);
  return { ...decision, uid: live.uid, resourceVersion: live.resourceVersion };
}

/** After a refusal: removes what managedFields did not show and the server refuses beside our fields. */
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
  // Recorded before the next write, which may meet a conflict: what was done is reported in any case.
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
