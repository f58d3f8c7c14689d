import type {
  JsonObject,
  KubeObject,
  Manifest,
  ObjectMeta,
  ObjectVersion,
  ResourceType,
} from '../kubernetes.ts';

/** Selects the objects of a type to list; undefined fields do not restrict the selection. */
export interface Selection {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** The required value of each label, or its allowed values. */
  readonly labels?: Readonly<Record<string, string | readonly string[]>>;
  /** A label selector as text, in addition to `labels`. */
  readonly selector?: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** Reads only the objects' metadata. */
  readonly metadataOnly?: boolean;
}

export interface Key {
  /** Empty or undefined for a cluster-scoped object. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Requests and bytes received, by resource (`deployments.apps`). */
export type Traffic = Record<string, { requests: number; bytes: number }>;

export const requestsIn = (traffic: Traffic): number =>
  Object.values(traffic).reduce((sum, { requests }) => sum + requests, 0);

/**
 * The API server, as a run uses it. Every answer is fresh. Transient failures are retried before the
 * run's deadline (`retryTransient`). Errors are a KubeError, an UnreachableError, an OversizedError or a DeadlineError.
 */
export interface Cluster {
  /** Calls `each` for every object, page by page; an error means that the list is incomplete. */
  list(type: ResourceType, selection: Selection, each: (live: KubeObject) => void): Promise<void>;
  get(type: ResourceType, key: Key): Promise<KubeObject | undefined>;
  getMetadata(type: ResourceType, key: Key): Promise<ObjectMeta | undefined>;
  /** Server-side apply with force; the manifest carries the lock. With `dryRun` nothing is stored. */
  apply(
    type: ResourceType,
    manifest: Manifest,
    as: { readonly manager: string; readonly subresource?: 'status'; readonly dryRun?: true },
  ): Promise<KubeObject>;
  create(type: ResourceType, manifest: Manifest): Promise<KubeObject>;
  /** Sends an RFC 6902 patch that tests the version first; a changed or deleted object is a conflict. */
  patch(
    type: ResourceType,
    key: Key,
    patch: {
      readonly resourceVersion: string;
      readonly operations: readonly JsonObject[];
      readonly manager: string;
      readonly subresource?: 'status';
      readonly dryRun?: true;
    },
  ): Promise<KubeObject>;
  /** Deletes this version, with background propagation. Returns the object while finalizers keep it, undefined if it is gone. */
  remove(
    type: ResourceType,
    key: Key,
    preconditions: ObjectVersion,
  ): Promise<KubeObject | undefined>;
  /** Returns this cluster, limited to requests that end within `ms` milliseconds from now. */
  withTimeout(ms: number): Cluster;
  readonly traffic: Traffic;
}
