import type { AuditFormat, Headers } from '../audit/envelope.ts';
import type { Credentials } from '../cluster/credentials/credentials.ts';

/**
 * Publishes JSON messages; an error means that not all were published. No request begins after `deadline`,
 * in milliseconds since the epoch.
 */
export type Publish = (messages: readonly object[], deadline: number) => Promise<void>;

/** Creates an object under a new name; no attempt begins after `until`, in milliseconds since the epoch. */
export type Upload = (name: string, content: Uint8Array, until: number) => Promise<void>;

/** The services of a cloud, configured by environment variables. */
export interface Platform {
  readonly auditFormat: AuditFormat;
  /** Returns credentials for a cluster's endpoint; `ca` (PEM in base64) is its private certificate authority, if any. */
  readonly fromEndpoint: (endpoint: string, ca: string | undefined) => Credentials;
  /** Publishes request messages, which a resync does instead of reconciling; undefined without a topic. */
  readonly publish: Publish | undefined;
  /** The bucket to which the functions record runs; undefined without one. */
  readonly bucket: Bucket | undefined;
  /** Returns the log fields by which a log viewer assigns a line to its request. */
  readonly traceFields: (headers: Headers) => Readonly<Record<string, string>>;
}

export interface Bucket {
  readonly name: string;
  readonly upload: Upload;
}
