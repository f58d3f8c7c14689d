import type { Cluster } from '../cluster/cluster.ts';
import type { Log } from '../log.ts';
import type { Cause } from '../plan/attribution.ts';
import type { Repairs } from './contested.ts';
import type { NodePorts } from './refusal.ts';

/** What one run works with; made by the door that begins it, gone when it ends. */
export interface Run {
  readonly cluster: Cluster;
  readonly log: Log;
  /** Milliseconds since the epoch; nothing new is begun after it. */
  readonly deadline: number;
  /** An audit event, and a second look, leave fields that are fought over to the next tick. */
  readonly trigger: 'tick' | 'audit' | 'settle';
  /** Writes that audit entries told of, by which repairs are attributed. */
  readonly causes?: readonly Cause[];
  readonly now: () => Date;
  readonly nodePorts: NodePorts;
  readonly repairs: Repairs;
}

/** RFC 3339 in seconds, as Kubernetes writes times. */
export const timestamp = (now: Date): string => `${now.toISOString().slice(0, 19)}Z`;
