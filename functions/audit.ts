import type { Envelope } from '../shared/audit/envelope.ts';
import { DeadlineError, isFinal, messageOf } from '../shared/cluster/errors.ts';
import type { Cause } from '../shared/plan/attribution.ts';
import type { Report } from '../shared/reconcile/report.ts';
import { type Owners, ownersOf } from '../shared/reconcile/route.ts';
import type { Run } from '../shared/reconcile/run.ts';
import type { Runs } from '../shared/runs.ts';
import { mergeScopes, type Scope } from '../shared/scope.ts';
import { type Asked, Drops, read } from './asked.ts';
import { nothingSeen } from './nothing-seen.ts';
import { runResync } from './run-resync.ts';

export interface Heard {
  readonly scopes: readonly Scope[];
  /** Why entries asked for nothing: reason → how many. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Of the one run over all scopes; absent where there was nothing to look at. */
  readonly report?: Report;
}

/**
 * A delivery of audit entries, or of a Scope message: one run looks at just the resources concerned.
 *
 * Guarantees: what an entry says of an object is never state, only where to look; what cannot be
 * understood, or read, is acknowledged, counted and logged, and hinders nothing beside it; an error
 * says that the same delivery may succeed later; losing, doubling or reordering deliveries changes
 * no final state.
 */
export const handleAudit = (runs: Runs, envelope: Envelope): Promise<Heard> =>
  lookAt(runs, read(runs, envelope));

/** Looks at what a delivery asks for; a run that waits to look at just the same is joined. */
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
  const scopes = mergeScopes([...named, ...owners.scopes]);
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
    key: keyOf('owners', children),
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
  return runs.enqueue({
    key: keyOf(run.trigger, scopes),
    input: causes,
    act: (inputs, onSettling) =>
      runResync(runs, { ...run, causes: inputs.flat() }, { scopes, onSettling }),
  });
}

const keyOf = (what: string, objects: readonly object[]): string =>
  [what, ...objects.map((one) => JSON.stringify(one)).toSorted()].join(' ');
