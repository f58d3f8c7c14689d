import type { Cluster } from '../cluster/cluster.ts';
import type { Log } from '../log.ts';
import type { Cause } from '../plan/cause.ts';
import type { Repair } from '../plan/contest.ts';
import type { MemoryBudget } from './memory-budget.ts';

/** What one run works with; made by the function that begins it. */
export interface Run {
  readonly cluster: Cluster;
  readonly log: Log;
  /** Milliseconds since the epoch; nothing new is begun after it. */
  readonly deadline: number;
  /**
   * An audit event, and a second pass, leave what is fought over to the next tick; a Scope message,
   * which may be delivered again, leaves what was repaired less than 30 s ago.
   */
  readonly trigger: 'tick' | 'scope' | 'audit' | 'settle';
  /** Writes that audit entries reported, by which repairs are attributed. */
  readonly causes?: readonly Cause[];
  readonly now: () => Date;
  readonly nodePorts: NodePorts;
  readonly repairs: Repairs;
  /** The memory for what it lists, released when it ends. */
  readonly memoryBudget: MemoryBudget;
}

/** The node ports of the cluster and who holds them, read at most once a run. */
export type NodePorts = (run: Run) => Promise<ReadonlyMap<number, string>>;

/** Our Events `Repaired` in a namespace, by the uid of the resource they are about. */
export type Repairs = (
  run: Run,
  namespace: string,
) => Promise<ReadonlyMap<string, readonly Repair[]>>;

/** RFC 3339 in seconds, as Kubernetes writes times. */
export const timestamp = (now: Date): string => `${now.toISOString().slice(0, 19)}Z`;
