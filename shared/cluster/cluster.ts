import type { JsonObject, KubeObject, Manifest, ObjectMeta, ResourceType } from '../kubernetes.ts';

/** What to read: all objects of a resource, or a part of them. Undefined means everywhere, any. */
export interface Selection {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly labels?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, string>>;
  /** Objects come with their metadata only. */
  readonly metadataOnly?: boolean;
}

export interface Key {
  readonly namespace: string;
  readonly name: string;
}

/** What must still be true for a delete to happen. */
export interface Preconditions {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Requests and bytes received, by resource (`deployments.apps`). */
export type Traffic = Record<string, { requests: number; bytes: number }>;

/**
 * The API server as a run sees it. Every answer is fresh; transient failures are retried within the
 * run's deadline; every error is a KubeError, an UnreachableError or a DeadlineError.
 */
export interface Cluster {
  /** Passes on every object, page by page; an error means the list is incomplete. */
  list(type: ResourceType, selection: Selection, each: (live: KubeObject) => void): Promise<void>;
  get(type: ResourceType, key: Key): Promise<KubeObject | undefined>;
  getMetadata(type: ResourceType, key: Key): Promise<ObjectMeta | undefined>;
  /** Server-side apply with force; the manifest carries the lock. */
  apply(
    type: ResourceType,
    manifest: Manifest,
    as: { readonly manager: string; readonly subresource?: 'status' },
  ): Promise<KubeObject>;
  create(type: ResourceType, manifest: Manifest): Promise<KubeObject>;
  /** RFC 6902, locked by a test of the version; if it changed, or the object is gone, that is a conflict. */
  patch(
    type: ResourceType,
    key: Key,
    patch: {
      readonly resourceVersion: string;
      readonly operations: readonly JsonObject[];
      readonly manager: string;
      readonly subresource?: 'status';
    },
  ): Promise<KubeObject>;
  /** Background propagation. Returns the object while finalizers hold it, undefined once it is gone. */
  remove(
    type: ResourceType,
    key: Key,
    preconditions: Preconditions,
  ): Promise<KubeObject | undefined>;
  /** The same cluster, for requests that must end within this many milliseconds from now. */
  withTimeout(ms: number): Cluster;
  readonly traffic: Traffic;
}
