import type { AuditFormat, Headers } from '../audit/envelope.ts';
import type { Credentials } from '../cluster/credentials/credentials.ts';

/**
 * Publishes JSON messages; rejects if not all were published. Begins no request after `deadline`, in
 * milliseconds since the epoch.
 */
export type Publish = (messages: readonly object[], deadline: number) => Promise<void>;

/** Creates an object under a new name. Begins no attempt after `until`, in milliseconds since the epoch. */
export type Upload = (name: string, content: Uint8Array, until: number) => Promise<void>;

/** The services of a cloud provider, configured by environment variables. */
export interface Platform {
  readonly auditFormat: AuditFormat;
  /** Returns credentials for a cluster's endpoint. `ca` is its private certificate authority (PEM in base64). */
  readonly fromEndpoint: (endpoint: string, ca: string | undefined) => Credentials;
  /** Publishes request messages for fan-out: a resync then reconciles nothing itself. Undefined without a topic. */
  readonly publish: Publish | undefined;
  /** The bucket to which the functions record runs; undefined without one. */
  readonly bucket: Bucket | undefined;
  /** Returns the log fields from which the provider's log viewer knows the request that a line belongs to. */
  readonly traceFields: (headers: Headers) => Readonly<Record<string, string>>;
}

export interface Bucket {
  readonly name: string;
  readonly upload: Upload;
}
