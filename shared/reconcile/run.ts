import type { Cluster } from '../cluster/cluster.ts';
import type { Identity } from '../identity.ts';
import type { Log } from '../log.ts';
import type { Cause } from '../plan/cause.ts';
import type { Repair } from '../plan/contest.ts';
import type { RolloutPolicy } from '../plan/rollout.ts';
import type { KnownLists } from './known-objects.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { Unwritten } from './state.ts';

/** What one run works with. */
export interface Run {
  readonly cluster: Cluster;
  readonly identity: Identity;
  readonly log: Log;
  /** In milliseconds since the epoch; after it nothing new is begun but statuses that were left unwritten. */
  readonly deadline: number;
  /**
   * A run for audit events, and a later pass (`settle`), leave contested fields to the next tick. A run
   * for a Scope message, which may be delivered twice, leaves what was repaired less than 30 s ago.
   */
  readonly trigger: 'tick' | 'scope' | 'audit' | 'settle';
  /**
   * A change of a child, or of an object that is read, triggered the run. If others change it again each time, only a
   * status that is written at once shows later runs the fight.
   */
  readonly followsChild?: boolean;
  /** Undefined where each status is written at once. */
  readonly unwritten?: Unwritten;
  /** Writes that audit entries reported, to attribute repairs to users. */
  readonly causes?: readonly Cause[];
  readonly now: () => Date;
  /** Seeds the order of the resources. Default: when the run starts, which may be the same for two. */
  readonly seed?: number;
  /** Undefined where changes of a kind's code are not spread. */
  readonly rollout?: RolloutRun;
  readonly nodePorts: NodePorts;
  readonly repairs: Repairs;
  /** What the ticks before made of what they listed: only in the first survey of a tick of the whole area. */
  readonly known?: KnownLists | undefined;
  /** The memory for what the run lists, released when it ends. */
  readonly memoryBudget: MemoryBudget;
}

export interface RolloutRun extends RolloutPolicy {
  /** As in `Moment`. */
  readonly chosen?: ReadonlyMap<string, string>;
  /** How many wait before a resource, by uid, where the run sees all. */
  readonly ahead?: ReadonlyMap<string, number>;
}

/** The node ports of the cluster with the Services that hold them, read at most once in a run. */
export type NodePorts = (run: Run) => Promise<ReadonlyMap<number, string>>;

/** Our `Repaired` Events in a namespace, by the uid of the resource. */
export type Repairs = (
  run: Run,
  namespace: string,
) => Promise<ReadonlyMap<string, readonly Repair[]>>;

/** RFC 3339 in whole seconds, as in metav1.Time. */
export function timestamp(now: Date): string {
  const second = Math.floor(now.getTime() / 1000);
  if (last.second !== second) last = { second, text: `${now.toISOString().slice(0, 19)}Z` };
  return last.text;
}

/** A run asks for it once for each resource. */
let last = { second: Number.NaN, text: '' };
