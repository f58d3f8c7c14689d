import type {
  JsonObject,
  KubeObject,
  Manifest,
  ObjectMeta,
  ObjectVersion,
  ResourceType,
} from '../kubernetes.ts';

/** An undefined field does not restrict the selection. */
export interface Selection {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly labels?: Readonly<Record<string, string>>;
  /** A label selector such as `a in (b,c)`, which applies in addition to `labels`. */
  readonly selector?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly metadataOnly?: boolean;
}

export interface Key {
  /** Empty or undefined if the object is cluster-scoped. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

export interface WriteOptions {
  readonly manager: string;
  readonly subresource?: 'status';
  readonly dryRun?: true;
}

/** Counts by resource type, such as `deployments.apps`. */
export type Traffic = Record<string, { requests: number; bytes: number }>;

export const requestsIn = (traffic: Traffic): number =>
  Object.values(traffic).reduce((sum, { requests }) => sum + requests, 0);

/**
 * A client for the API server. Nothing is cached. Transient failures are retried, but not after the run's deadline.
 * Rejects with a KubeError, an UnreachableError, an OversizedError, a DeadlineError or a CredentialsError.
 */
export interface Cluster {
  /** Calls `each` for every object, page by page. If the promise rejects, the list is incomplete. */
  list(type: ResourceType, selection: Selection, each: (live: KubeObject) => void): Promise<void>;
  get(type: ResourceType, key: Key): Promise<KubeObject | undefined>;
  getMetadata(type: ResourceType, key: Key): Promise<ObjectMeta | undefined>;
  /** Applies the manifest server-side, with force. Its uid and resourceVersion lock the write. */
  apply(type: ResourceType, manifest: Manifest, options: WriteOptions): Promise<KubeObject>;
  create(type: ResourceType, manifest: Manifest): Promise<KubeObject>;
  /** Sends a JSON patch (RFC 6902). Rejects with a conflict if the object has another resourceVersion or is gone. */
  patch(
    type: ResourceType,
    key: Key,
    patch: WriteOptions & {
      readonly resourceVersion: string;
      readonly operations: readonly JsonObject[];
    },
  ): Promise<KubeObject>;
  /**
   * Deletes the object if it has this version, with background propagation. Returns the object if finalizers or a
   * grace period still keep it.
   */
  remove(
    type: ResourceType,
    key: Key,
    preconditions: ObjectVersion,
  ): Promise<KubeObject | undefined>;
  /** Returns a client whose requests end within `ms` milliseconds from now. */
  withTimeout(ms: number): Cluster;
  readonly traffic: Traffic;
}
