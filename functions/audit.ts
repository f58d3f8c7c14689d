import type { Envelope } from '../shared/audit/envelope.ts';
import { DeadlineError, isFinal, messageOf } from '../shared/cluster/errors.ts';
import type { Cause } from '../shared/plan/cause.ts';
import { areaOf, keyOfAreas, laneOf } from '../shared/reconcile/area.ts';
import type { Report } from '../shared/reconcile/report.ts';
import { type Owners, ownersOf } from '../shared/reconcile/route.ts';
import type { Run } from '../shared/reconcile/run.ts';
import { withinLists } from '../shared/reconcile/within-lists.ts';
import type { Runs } from '../shared/runs.ts';
import { mergeScopes, type Scope } from '../shared/scope.ts';
import { type Asked, Drops, gistOf, read } from './asked.ts';
import { nothingSeen } from './nothing-seen.ts';
import { runResync } from './run-resync.ts';

export interface Heard {
  readonly scopes: readonly Scope[];
  /** Why entries asked for nothing: reason → how many. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Of the one run over all scopes; absent where there was nothing to reconcile. */
  readonly report?: Report;
}

/**
 * A delivery of audit entries, or of a Scope message: one run reconciles just the resources concerned.
 *
 * Guarantees: an entry's contents are never state, only a place to read; what cannot be
 * understood, or read, is acknowledged, counted and logged, and affects nothing else; an error
 * says that the same delivery may succeed later; losing, doubling or reordering deliveries changes
 * no final state.
 */
export const handleAudit = (runs: Runs, envelope: Envelope): Promise<Heard> =>
  lookAt(runs, read(runs, gistOf(envelope)));

/** Reconciles what a delivery asks for; it joins a waiting run over the same scopes. */
export async function lookAt(runs: Runs, asked: Asked): Promise<Heard> {
  const { scopes: named, children, causes, trigger } = asked;
  const drops = new Drops(asked.dropped);
  if (named.length === 0 && children.length === 0) {
    if (!asked.isReported)
      runs.log.debug('nothing to look at', { ...asked.delivery, dropped: asked.dropped });
    return { scopes: [], dropped: asked.dropped };
  }
  const run = await runs.begin(trigger);
  const owners = await findOwners(runs, run, asked);
  const failure = owners.errors.find((error) => !isFinal(error));
  for (const error of owners.errors) {
    if (isFinal(error)) drops.add('owner not readable');
    runs.log.warning('owner not readable', { error: messageOf(error) });
  }
  const scopes = withinLists(mergeScopes([...named, ...owners.scopes]), runs.config);
  const report = await reportOn(runs, run, { scopes, causes });
  if (failure !== undefined) throw failure;
  const dropped = drops.counts();
  if (report === undefined) return { scopes, dropped };
  const unseen = report.incomplete.filter(({ transient }) => transient === true);
  if (unseen.length > 0) throw nothingSeen(unseen);
  if (report.undone.length > 0 && !runs.config.dryRun)
    throw new DeadlineError(`${report.undone.length} resources are left undone: the time is over`);
  return { scopes, dropped, report };
}

async function findOwners(runs: Runs, run: Run, { children }: Asked): Promise<Owners> {
  if (children.length === 0) return { scopes: [], errors: [] };
  return runs.enqueue({
    key: ['owners', ...children.map((child) => JSON.stringify(child)).toSorted()].join(' '),
    lane: laneOf(children.map(({ namespace }) => ({ namespaces: [namespace] }))),
    input: undefined,
    act: () => ownersOf(run, runs.config.kinds, children),
  });
}

interface Concern {
  readonly scopes: readonly Scope[];
  readonly causes: readonly Cause[];
}

async function reportOn(
  runs: Runs,
  run: Run,
  { scopes, causes }: Concern,
): Promise<Report | undefined> {
  if (scopes.length === 0) return undefined;
  const areas = scopes.map((scope) => areaOf(scope, runs.config));
  return runs.enqueue({
    key: `${run.trigger} ${keyOfAreas(areas)}`,
    lane: laneOf(areas),
    input: causes,
    act: (inputs, onSettling) =>
      runResync(runs, { ...run, causes: inputs.flat() }, { scopes, onSettling }),
  });
}
