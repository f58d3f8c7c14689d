import { type Connection, connect } from '../shared/cluster/connection.ts';
import { type Credentials, fromContext, fromEndpoint } from '../shared/cluster/credentials.ts';
import { UnreachableError } from '../shared/cluster/errors.ts';
import { openCluster } from '../shared/cluster/http-cluster.ts';
import type { Config } from '../shared/config.ts';
import type { Log } from '../shared/log.ts';
import { areaOf } from '../shared/reconcile/area.ts';
import { readNodePorts } from '../shared/reconcile/refusal.ts';
import type { Report } from '../shared/reconcile/report.ts';
import { resync } from '../shared/reconcile/resync.ts';
import type { Run } from '../shared/reconcile/run.ts';
import type { Scope } from '../shared/scope.ts';

/** What a door needs to begin runs: made once, by the composition root. */
export interface Runs {
  readonly config: Config;
  readonly log: Log;
  readonly begin: (trigger: Run['trigger']) => Promise<Run>;
}

/** Time beyond the deadline for what was begun before it to be finished. */
const graceMs = 15_000;

/** Holds the one connection of this process; a run gets a deadline, counts and limits of its own. */
export function openRuns(
  config: Config,
  log: Log,
  credentials: () => Promise<Credentials> = () => credentialsOf(config),
): Runs {
  let connection: Promise<Connection> | undefined;
  const connected = (): Promise<Connection> => {
    connection ??= credentials()
      .then(connect)
      .catch((error: unknown) => {
        connection = undefined;
        throw error;
      });
    return connection;
  };
  return {
    config,
    log,
    async begin(trigger) {
      const deadline = Date.now() + config.deadlineSeconds * 1000;
      const limits = { concurrency: config.concurrency, deadline: deadline + graceMs };
      const cluster = openCluster(await connected(), limits);
      return { cluster, log, deadline, trigger, now: () => new Date(), nodePorts: readNodePorts() };
    },
  };
}

const credentialsOf = async ({ cluster }: Config): Promise<Credentials> =>
  'context' in cluster ? fromContext(cluster.context) : fromEndpoint(cluster.endpoint, cluster.ca);

/** One resync, with one summary line. Throws where no kind could be looked at: nothing was done at all. */
export async function runResync({ config, log }: Runs, run: Run, scope: Scope): Promise<Report> {
  const area = { kinds: config.kinds, namespaces: config.namespaces };
  const report = await resync(run, scope, { ...config, area });
  for (const { kind, error } of report.incomplete)
    log.error('kind not reconciled', { kind, error });
  const { length: kinds } = areaOf(scope, area).kinds;
  if (kinds > 0 && report.incomplete.length === kinds) {
    throw new UnreachableError(
      [...new Set(report.incomplete.map(({ error }) => error))].join('; '),
    );
  }
  const { durationMs, resources, outcomes, statusWrites, undone, failures } = report;
  log.info('resynced', {
    trigger: run.trigger,
    scope,
    durationMs,
    resources,
    outcomes,
    statusWrites,
    failures: failures.length,
    undone: undone.length,
  });
  return report;
}
