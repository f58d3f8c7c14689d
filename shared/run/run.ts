import type { Cluster } from '../cluster/cluster.ts';
import { DeadlineError } from '../cluster/cluster-errors.ts';
import { within } from '../cluster/time-limit.ts';
import type { Identity } from '../identity.ts';
import type { RolloutPolicy } from '../kinds/rollout-budget.ts';
import type { Log } from '../log.ts';
import type { Outcome } from '../plan/decision/outcome.ts';
import type { Cause } from '../plan/drift/cause.ts';
import type { Applied } from '../plan/observed/applied.ts';
import type { ObservedChild } from '../plan/observed/observed.ts';
import type { ObservedResource } from '../plan/observed/observed-resource.ts';
import type { Asked, FailedRequest, Found, World } from '../plan/observed/world.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { Telemetry } from './telemetry.ts';

export interface Run {
  readonly cluster: Cluster;
  readonly clients: Clients;
  readonly limits: Limits;
  readonly policy: Policy;
  readonly nodePorts: () => Promise<ReadonlyMap<number, string>>;
}

export interface Clients {
  readonly identity: Identity;
  readonly log: Log;
  readonly now: () => Date;
  readonly observer?: Observer | undefined;
  readonly telemetry?: Telemetry | undefined;
  /** Calls `act` once all runs on the cluster together reconcile fewer resources than there are sockets. */
  readonly withSocket?: (<T>(act: () => Promise<T>) => Promise<T>) | undefined;
}

export interface Observer {
  readonly onProgress?: (done: number, of: number) => void;
  /** Called once all resources have had their turns. */
  readonly onSettling?: () => void;
}

export interface Limits {
  /** The time after which no work begins, in milliseconds since the epoch. */
  readonly deadline: number;
  /** Aborted when the process begins to shut down. No work begins after that. */
  readonly stopped?: AbortSignal;
  readonly memory: MemoryBudget;
}

interface ReportedWrites {
  readonly causes?: readonly Cause[] | undefined;
  /** When the oldest of the reported writes was made, in milliseconds since the epoch. */
  readonly since?: number | undefined;
}

export interface Policy extends ReportedWrites {
  /**
   * The cause of the run:
   * - `resync`: the schedule or a command.
   * - `request`: a request message, which may be delivered twice.
   * - `audit`: audit events. `causes` come only from their entries.
   * - `later`: a later pass of a run.
   *
   * Only `resync` and `request` make the daily comparison. `audit` and `later` leave contested fields to the next
   * resync; `request` leaves only those repaired in the last 30 s. ARCHITECTURE.md (law 12) lists the exceptions.
   */
  readonly trigger: 'resync' | 'request' | 'audit' | 'later';
  readonly seed: number;
  /** Undefined if all resources may change at once. */
  readonly rollout?: RolloutPolicy | undefined;
  /** Writes without a response in earlier passes (`Turn.lost`), by `keyOfResource`, then by the child's `keyOf`. */
  readonly lost?: ReadonlyMap<string, ReadonlyMap<string, Outcome>>;
}

/** In milliseconds; negative after the deadline. */
export const timeLeft = ({ limits, clients }: Pick<Run, 'limits' | 'clients'>): number =>
  limits.stopped?.aborted ? 0 : limits.deadline - clients.now().getTime();

/** Limits each request to `ms`. A timeout does not abort the list of Services for node ports: later calls use it. */
export function withTimeout(run: Run, ms: number): Run {
  const end = Date.now() + ms;
  const late = (): Error => new DeadlineError('the Services are not listed yet');
  const nodePorts = () => within(end - Date.now(), run.nodePorts, late);
  return { ...run, cluster: run.cluster.withTimeout(ms), nodePorts };
}

/** Returns the run of a later pass, which leaves contested fields alone and reports no progress. */
export const laterPass = (run: Run, lost: Policy['lost'] = new Map()): Run => ({
  ...run,
  clients: { ...run.clients, observer: undefined },
  policy: { ...run.policy, trigger: 'later', lost },
});

export const isLaterPass = ({ policy }: Pick<Run, 'policy'>): boolean => policy.trigger === 'later';

export function causedBy(run: Run, reports: readonly ReportedWrites[]): Run {
  const causes = reports.flatMap((one) => one.causes ?? []);
  const since = reports.flatMap((one) => one.since ?? []).toSorted((a, b) => a - b)[0];
  return { ...run, policy: { ...run.policy, causes, since } };
}

export const withObserver = (run: Run, observer: Observer): Run => ({
  ...run,
  clients: { ...run.clients, observer },
});

export const withMemory = (run: Run, memory: MemoryBudget): Run => ({
  ...run,
  limits: { ...run.limits, memory },
});

/** In whole seconds, like metav1.Time. */
export const timestamp = (now: Date): string => `${now.toISOString().slice(0, 19)}Z`;

/** The world of a resource, which the run updates after each read and write. */
export interface LiveWorld extends World {
  resource: ObservedResource;
  now?: number;
  readonly children: Map<string, ObservedChild>;
  readonly applied: Map<string, Applied>;
  readonly asked: Map<string, Asked>;
  readonly absent: Set<string>;
  readonly reads: Map<string, Found>;
  readonly unread: Map<string, FailedRequest>;
  readonly givenUp: Map<string, FailedRequest>;
  readonly possiblePaths: Map<string, Set<string>>;
  comparesDaily?: boolean;
  foresees?: boolean;
  adopts?: boolean;
}

/** A spec that was read at most this long ago counts as fresh. */
export const maxAgeMs = 10_000;
