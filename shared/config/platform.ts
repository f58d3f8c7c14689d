import type { AuditFormat, Headers } from '../audit/envelope.ts';
import type { Credentials } from '../cluster/credentials/credentials.ts';

/**
 * Publishes JSON messages; an error means that not all were published. No request is begun after `deadline`,
 * in milliseconds since the epoch.
 */
export type Publish = (messages: readonly object[], deadline: number) => Promise<void>;

/** Creates an object under a name that no other has; nothing is begun after `until`, in milliseconds since the epoch. */
export type Upload = (name: string, content: Uint8Array, until: number) => Promise<void>;

/** The services of a cloud, as the variables of the environment configure them. */
export interface Platform {
  readonly auditFormat: AuditFormat;
  /** The credentials of a cluster's endpoint; `ca` is PEM in base64, for one with a private certificate authority. */
  readonly fromEndpoint: (endpoint: string, ca: string | undefined) => Credentials;
  /** Publishes request messages, in place of reconciling in a resync; undefined without a topic. */
  readonly publish: Publish | undefined;
  /** Where the functions record runs. */
  readonly bucket: Bucket | undefined;
  /** The log fields by which a log viewer assigns a line to its request. */
  readonly traceFields: (headers: Headers) => Readonly<Record<string, string>>;
}

export interface Bucket {
  readonly name: string;
  readonly upload: Upload;
}
