import type { AuditFormat, Headers } from '../audit/envelope.ts';
import type { Credentials } from '../cluster/credentials/credentials.ts';

/** Publishes all JSON messages, or rejects. Begins no request after `deadline`, in milliseconds since the epoch. */
export type Publish = (messages: readonly object[], deadline: number) => Promise<void>;

/** Creates an object under a new name. Begins no attempt after `until`, in milliseconds since the epoch. */
export type Upload = (name: string, content: Uint8Array, until: number) => Promise<void>;

/** The services of a cloud provider, configured by environment variables. */
export interface Platform {
  readonly auditFormat: AuditFormat;
  /** Returns credentials for a cluster's endpoint. `ca` is its private certificate authority (PEM in base64). */
  readonly fromEndpoint: (endpoint: string, ca: string | undefined) => Credentials;
  /** Publishes the request messages of a fan-out; undefined without a topic. */
  readonly publish: Publish | undefined;
  /** The bucket for recordings of runs; undefined if runs are not recorded. */
  readonly bucket: Bucket | undefined;
  /** Returns log fields, by which the provider's log viewer groups the lines of a request. */
  readonly traceFields: (headers: Headers) => Readonly<Record<string, string>>;
}

export interface Bucket {
  readonly name: string;
  readonly upload: Upload;
}
