import type { LocalCluster } from '@serverless-reconciler/local-cluster';
import type { AuditResult } from '../shared/controller/deliver.ts';
import type { Kind, Note } from '../shared/kinds/kind.ts';
import type { JsonObject } from '../shared/kubernetes.ts';
import type { Condition } from '../shared/plan/observed/conditions.ts';
import type { ReconcileRequest } from '../shared/reconcile-request.ts';
import type { Report } from '../shared/resync/report.ts';
import type { LawFailure } from './failure.ts';
import type { AppliedObject, InNamespace, LiveObject, User } from './user.ts';

/** Options of `createTestEnvironment`. */
export interface TestEnvironmentOptions {
  /**
   * Environment variables of the functions, and settings of the kinds. They override the configuration's
   * `localEnvironment`. SETTLE_SECONDS is 0 by default, unlike in a deployment.
   */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * The state of the cluster's controllers; default: `running`. While they are paused, no workload becomes ready and
   * no garbage is collected.
   */
  readonly controllers?: 'running' | 'paused';
  /** The time until a workload's pods become ready; default: 0. */
  readonly podsReadyAfterMs?: number;
  /** The clock of the cluster and the reconciler. */
  readonly clock?: () => Date;
  /** Receives the log lines of the functions, at LOG_LEVEL and above. */
  readonly onLog?: (line: string) => void;
}

export const environmentOptions: readonly (keyof TestEnvironmentOptions)[] = [
  'environment',
  'controllers',
  'podsReadyAfterMs',
  'clock',
  'onLog',
];

/** A resource of a kind. The default namespace is `default`; a cluster-scoped resource has none. */
export interface AppliedResource extends InNamespace {
  readonly name: string;
  readonly spec?: JsonObject;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A request from the reconciler, as the API server received it. Server-side apply is a `patch`, even if it creates. */
export interface SentRequest {
  readonly verb: string;
  /** The plural, such as `deployments`. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Status code of the response; 0 if the connection was lost. */
  readonly status: number;
  readonly path: string;
  /** False for a get, list, watch or dry run. */
  readonly isWrite: boolean;
}

/**
 * An embedded cluster in this process, with the CRDs and the reconciler's RBAC installed and the two
 * functions as methods.
 *
 * Guarantees: the reconciler has exactly the permissions that `generate rbac` prints for its kinds. `delete`,
 * `resync` and `deliver` wait until the cluster's controllers are idle. Caveats: no resync or delivery runs
 * by itself; call `resync` and `deliver`.
 */
export interface TestEnvironment extends Omit<User, 'apply'>, AsyncDisposable {
  readonly kinds: readonly Kind[];
  /** The embedded cluster, for example to pause controllers, hook requests or get a kubeconfig. */
  readonly cluster: LocalCluster;
  /** Applies a resource of a kind, or any manifest, as a user. Rejects with a RefusedError if the server refuses it. */
  apply(kind: Kind, resource: AppliedResource): Promise<LiveObject>;
  apply(object: AppliedObject): Promise<LiveObject>;
  /** Runs the resync function once, for all resources, or for the resources that the request selects. */
  resync(request?: ReconcileRequest): Promise<Report>;
  /**
   * Delivers to the audit function all audit events since the last resync or delivery began. As when
   * deployed, the function drops most events about its own writes and those of the control plane.
   */
  deliver(): Promise<AuditResult>;
  /** Makes the reconciler's requests fail until the returned function is called. */
  fail(failure: LawFailure): () => void;
  /** Returns the reconciler's requests since the last call (or since the environment was created), oldest first. */
  requests(): readonly SentRequest[];
  /**
   * Lists the objects that a resource controls, in the order of its kind's `owns`. Reads the resource's
   * namespace, or all namespaces if it is cluster-scoped.
   */
  children(kind: Kind, name: string, where?: InNamespace): Promise<readonly LiveObject[]>;
  /** Returns the conditions of a resource, by type; empty if it has none. */
  conditions(
    kind: Kind,
    name: string,
    where?: InNamespace,
  ): Promise<Readonly<Partial<Record<string, Condition>>>>;
  /** Returns the Events about a resource, oldest first. */
  events(kind: Kind, name: string, where?: InNamespace): Promise<readonly (LiveObject & Note)[]>;
  close(): Promise<void>;
}
