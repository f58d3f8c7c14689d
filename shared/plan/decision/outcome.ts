import { present } from '../../json.ts';
import { keyOf, type ObjectRef, titleOf } from '../../kubernetes.ts';
import { withoutSeparators } from '../../printable.ts';
import { type Actor, type Difference, isOwnershipOnly } from '../drift/differences.ts';
import type { ConditionSummary } from '../observed/conditions.ts';
import type { ObservedChild } from '../observed/observed.ts';
import type { Why } from '../observed/world.ts';
import { type Decision, postponedIn } from './decision.ts';
import type { Origin } from './origin.ts';
import { lingers } from './reasons.ts';

/** The result of one decision. */
export interface Outcome extends Partial<Why> {
  readonly child: ObjectRef;
  readonly result:
    | 'created'
    | 'updated'
    | 'deleted'
    | 'unchanged'
    | 'skipped'
    | 'failed'
    | 'blocked';
  /** True if the obstacle may disappear by itself. Such an obstacle does not make the resource Stalled. */
  readonly transient?: boolean;
  readonly differences?: readonly Difference[] | undefined;
  /** Why the child was not up to date (`originOf`); set even if the write failed. */
  readonly origin?: Origin;
  /** `uid/resourceVersion` of the live object after the write; of a deleted object, the last one. */
  readonly version?: string;
  /** Set for a create: true if the child existed before. Such a create is a repair, unless `origin` is `edit`. */
  readonly existed?: boolean;
  /** True for a repair that another writer keeps undoing. No Event is posted for it. */
  readonly repeated?: true;
  /** The user that deleted the child, according to the audit log. */
  readonly by?: Actor;
}

const results: Readonly<Record<Decision['verb'], Outcome['result']>> = {
  none: 'unchanged',
  ask: 'unchanged',
  hold: 'unchanged',
  wait: 'skipped',
  defer: 'skipped',
  block: 'blocked',
  fail: 'failed',
  create: 'created',
  update: 'updated',
  consolidate: 'updated',
  withdraw: 'updated',
  release: 'updated',
  delete: 'deleted',
};

/** Returns the outcome to expect if nothing changes meanwhile and the server accepts the write. */
export function expectedOutcome(decision: Decision): Outcome {
  const { child, verb } = decision;
  const result = results[verb];
  if (result === 'unchanged') return { child, result };
  const { reason, message, waits, transient, existed, repeated, ...write }: Partial<Outcome> =
    decision;
  const isOfOthers = verb === 'withdraw' && decision.difference.writer !== undefined;
  const differences = isOfOthers ? [decision.difference] : write.differences;
  const known = { reason, message, waits, transient, existed, differences, repeated };
  return { child, result, ...present(known) };
}

/**
 * Records a child's outcome, with the differences and the origin of its earlier writes in this run. The outcome stays
 * `created` if a later update only takes over or adds fields, and `deleted` while the child is being deleted.
 */
export function addOutcome(outcomes: Map<string, Outcome>, outcome: Outcome): void {
  const key = keyOf(outcome.child);
  const earlier = outcomes.get(key);
  if (earlier !== undefined && outcome.result === 'unchanged') return;
  const isCompletion =
    earlier?.result === 'created' &&
    outcome.result === 'updated' &&
    outcome.differences?.every((one) => isOwnershipOnly(one) || isAddition(one)) === true;
  if (isCompletion) {
    outcomes.set(key, { ...earlier, ...present({ version: outcome.version }) });
    return;
  }
  const { differences: reported = [] } = earlier ?? {};
  // A difference only in ownership is not new if a difference in the same field is already reported.
  const isNew = (one: Difference): boolean =>
    !isOwnershipOnly(one) || reported.every(({ path }) => path !== one.path);
  const differences = [...reported, ...(outcome.differences ?? []).filter(isNew)];
  outcomes.set(key, {
    ...outcome,
    ...(earlier?.result === 'deleted' && lingers(outcome) ? { result: 'deleted' } : {}),
    ...(differences.length > 0 ? { differences } : {}),
    ...present({ origin: earlier?.origin ?? outcome.origin }),
  });
}

const isAddition = ({ from, writer }: Difference): boolean =>
  from === undefined && writer === undefined;

export const isWrite = ({ result }: Outcome): boolean =>
  result === 'created' || result === 'updated' || result === 'deleted';

/** Keeps only writes. Forgets which children are still being deleted, because the next plan shows this. */
export function keepWrites(outcomes: Map<string, Outcome>): void {
  for (const [key, outcome] of outcomes) {
    const { reason: _, message: __, ...ended } = outcome;
    if (!isWrite(outcome)) outcomes.delete(key);
    else if (lingers(outcome)) outcomes.set(key, ended);
  }
}

/** Reports whether the child is up to date, as far as this run knows. */
export const isSatisfied = (outcome: Outcome | undefined): boolean =>
  outcome !== undefined &&
  !isPending(outcome) &&
  (isWrite(outcome) || outcome.result === 'unchanged');

/** Reports whether the child is still being deleted, or has yet to get its new fields (not only its former ones). */
export const isPending = (outcome: Outcome): boolean =>
  outcome.result === 'skipped' ||
  lingers(outcome) ||
  (outcome.result === 'updated' && outcome.reason !== undefined);

/** Reports whether the child has its desired state after the decision, as far as this run knows. */
export const isApplied = (decision: Decision, outcome: Outcome | undefined): boolean =>
  decision.verb === 'none' ||
  (decision.verb !== 'hold' && postponedIn(decision) === undefined && isSatisfied(outcome));

export function summaryOf(
  outcomes: readonly Outcome[],
  children: readonly ObservedChild[],
): ConditionSummary {
  const stuck = outcomes.filter(
    ({ result, transient }) => result === 'blocked' || (result === 'failed' && transient !== true),
  );
  const waiting = outcomes.filter(({ waits }) => waits !== undefined);
  const obstacles = stuck.length > 0 ? stuck : children.flatMap((one) => unready(one, 'Failed'));
  if (obstacles.length > 0) return summarize('Stalled', [...obstacles, ...waiting]);
  const pending = outcomes.filter((one) => one.result === 'failed' || isPending(one));
  const progressing = children.flatMap((child) => unready(child, 'InProgress'));
  const causes = [...pending, ...progressing];
  return causes.length > 0 ? summarize('Reconciling', causes) : { state: 'Ready' };
}

function unready(child: ObservedChild, state: 'Failed' | 'InProgress'): readonly Why[] {
  const { readiness } = child;
  if (child.deleting || readiness.state !== state) return [];
  const reason = readiness.state === 'Failed' ? readiness.reason : 'Progressing';
  return [{ reason, message: `${titleOf(child)}: ${withoutSeparators(readiness.message)}` }];
}

/** Leaves out most of the children that only wait, because there may be a thousand. */
function summarize(
  state: 'Stalled' | 'Reconciling',
  causes: readonly Partial<Why>[],
): ConditionSummary {
  const waiting = causes.filter(({ waits }) => waits === 'undisturbed');
  const left = new Set(waiting.splice(maxWaiting));
  const more = left.size === 0 ? '' : `, likewise ${left.size} more`;
  const messages = causes.flatMap((one) => {
    if (one.message === undefined || left.has(one)) return [];
    return one === waiting.at(-1) ? `${one.message}${more}` : one.message;
  });
  const message = [...new Set(messages)].join('; ');
  return { state, reason: causes[0]?.reason ?? state, message };
}

const maxWaiting = 3;
