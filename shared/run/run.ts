import type { Cluster } from '../cluster/cluster.ts';
import { DeadlineError } from '../cluster/cluster-errors.ts';
import { within } from '../cluster/time-limit.ts';
import type { Identity } from '../identity.ts';
import { present } from '../json.ts';
import type { RolloutPolicy } from '../kinds/rollout-budget.ts';
import type { Log } from '../log.ts';
import type { Cause } from '../plan/drift/cause.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { LostWrite } from './state.ts';
import type { Telemetry } from './telemetry.ts';

/** The clients, limits and policy of a run, or of a part of it. */
export interface Run {
  /** The API server, for as long as this part of the run may use it. */
  readonly cluster: Cluster;
  readonly clients: Clients;
  readonly limits: Limits;
  readonly policy: Policy;
  /** Returns the Service that holds each node port of the cluster; listed at most once in a run. */
  readonly nodePorts: () => Promise<ReadonlyMap<number, string>>;
}

/** The clients that all parts of a run share. */
export interface Clients {
  readonly identity: Identity;
  readonly log: Log;
  readonly now: () => Date;
  readonly observer?: Observer | undefined;
  readonly telemetry?: Telemetry | undefined;
}

/** Notified of a run's progress. */
export interface Observer {
  /** Called after each resource. */
  readonly onProgress?: (done: number, of: number) => void;
  /** Called once all resources are reconciled and the run only waits for those that are not Ready. */
  readonly onSettling?: () => void;
}

export interface Limits {
  /** Time in milliseconds since the epoch after which nothing new is begun; earlier once `stopped`. */
  readonly deadline: number;
  /** Aborted when the process is to end. */
  readonly stopped?: AbortSignal;
  /** Bounds what is kept of listed objects. */
  readonly memory: MemoryBudget;
}

export interface Policy {
  /**
   * Runs for audit events (`audit`) and later passes (`settle`) leave contested fields to the next
   * resync. A run for a request message (`scope`), which may be delivered twice, leaves fields alone that
   * were repaired less than 30 s ago.
   */
  readonly trigger: 'resync' | 'scope' | 'audit' | 'settle';
  /** Writes that audit entries reported, to attribute repairs to users. */
  readonly causes?: readonly Cause[] | undefined;
  /** When the oldest of these audit entries was written, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** The ids of the first of these audit entries, for the trace. */
  readonly auditIds?: readonly string[];
  /** Seeds the order of the resources. Default: the start of the run, which two runs may share. */
  readonly seed?: number | undefined;
  /** Undefined if changes of a kind's code are not rolled out gradually. */
  readonly rollout?: RolloutRun | undefined;
  /** Writes of earlier passes that may have been carried out, by `keyOfResource` and child. */
  readonly lost?: ReadonlyMap<string, ReadonlyMap<string, LostWrite>>;
}

interface RolloutRun extends RolloutPolicy {
  /** See `Moment`. */
  readonly chosen?: ReadonlyMap<string, string>;
  /** The number of resources that wait before each one, by its uid, if the run sees all. */
  readonly ahead?: ReadonlyMap<string, number>;
}

/** Returns the run with some of its parts replaced. */
export const derive = (run: Run, parts: Partial<Run>): Run => ({
  cluster: parts.cluster ?? run.cluster,
  clients: parts.clients ?? run.clients,
  limits: parts.limits ?? run.limits,
  policy: parts.policy ?? run.policy,
  nodePorts: parts.nodePorts ?? run.nodePorts,
});

/**
 * Returns the run with requests that must end within `ms` milliseconds.
 *
 * Guarantees: the list of node ports is shared with the whole run, so it is not aborted; only waiting for it ends.
 */
export function withTimeout(run: Run, ms: number): Run {
  const end = Date.now() + ms;
  const late = (): Error => new DeadlineError('the Services are not listed yet');
  return derive(run, {
    cluster: run.cluster.withTimeout(ms),
    nodePorts: () => within(end - Date.now(), run.nodePorts, late),
  });
}

/** Returns the run for a later pass, which leaves contested fields alone and reports no progress. */
export function laterPass(run: Run, limits = run.limits, lost: Policy['lost'] = new Map()): Run {
  const { identity, log, now, telemetry } = run.clients;
  const { causes, since, seed, rollout } = run.policy;
  return derive(run, {
    clients: { identity, log, now, telemetry },
    policy: { trigger: 'settle', causes, since, seed, rollout, lost },
    limits,
  });
}

/** The authors of the changes that a delivery reports, the time of the oldest, and the ids of its first entries. */
export interface Reported {
  readonly causes: readonly Cause[];
  readonly since?: number;
  readonly auditIds?: readonly string[];
}

/** Returns the run with its repairs attributed to the users in these audit entries. */
export function causedBy(run: Run, reports: readonly Reported[]): Run {
  const { trigger, seed, rollout } = run.policy;
  const causes = reports.flatMap((one) => one.causes);
  const times = reports.flatMap(({ since }) => since ?? []);
  const since = times.length === 0 ? undefined : Math.min(...times);
  const auditIds = reports.flatMap((one) => one.auditIds ?? []);
  return derive(run, {
    policy: { trigger, causes, ...present({ since }), auditIds, seed, rollout },
  });
}

export function observedBy(run: Run, observer: Observer): Run {
  const { identity, log, now, telemetry } = run.clients;
  return derive(run, { clients: { identity, log, now, observer, telemetry } });
}

/** Returns the run with a separate part of its memory, which the caller closes. */
export const withOwnMemory = (run: Run): Run =>
  derive(run, { limits: { deadline: run.limits.deadline, memory: run.limits.memory.part() } });

/** Formats a time as RFC 3339 in whole seconds, like metav1.Time. */
export const timestamp = (now: Date): string => `${now.toISOString().slice(0, 19)}Z`;
