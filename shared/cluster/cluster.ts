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
  /** Requirements such as `a in (b,c)`, in addition to `labels`. */
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

/** Caches nothing. Retries transient failures until the run's deadline. Rejects with a RequestError. */
export interface Cluster {
  /** Lists page by page. If the promise rejects, the list is incomplete. */
  list(type: ResourceType, selection: Selection, each: (live: KubeObject) => void): Promise<void>;
  get(type: ResourceType, key: Key): Promise<KubeObject | undefined>;
  getMetadata(type: ResourceType, key: Key): Promise<ObjectMeta | undefined>;
  /** Applies with force. A uid and resourceVersion lock the write. */
  apply(type: ResourceType, manifest: Manifest, options: WriteOptions): Promise<KubeObject>;
  create(type: ResourceType, manifest: Manifest): Promise<KubeObject>;
  /** Sends a JSON patch. Rejects with a conflict if the object has another version or is gone. */
  patch(
    type: ResourceType,
    key: Key,
    patch: WriteOptions & {
      readonly resourceVersion: string;
      readonly operations: readonly JsonObject[];
    },
  ): Promise<KubeObject>;
  /** Deletes an object of this version (background propagation). Returns it if finalizers or a grace period keep it. */
  remove(
    type: ResourceType,
    key: Key,
    preconditions: ObjectVersion,
  ): Promise<KubeObject | undefined>;
  withTimeout(ms: number): Cluster;
  readonly traffic: Traffic;
}
