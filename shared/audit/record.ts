import { present, textAt, valueAt } from '../json.ts';
import type { ResourceType } from '../kubernetes.ts';

export interface RequestedResource extends Pick<ResourceType, 'group' | 'version' | 'plural'> {
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

export interface AuditRecord extends RequestedResource {
  readonly verb: string;
  readonly user: string;
  readonly userAgent?: string;
  readonly time?: string;
  /** True if nothing was written, or after a server error, so that a lasting error does not start run after run. */
  readonly failed: boolean;
  readonly dryRun: boolean;
  /** The names that CLUSTERS may use for the cluster. If absent, the record is for all clusters; if empty, for none. */
  readonly clusters?: readonly string[];
}

export interface Dropped {
  readonly dropped: string;
}

export function readAuditEvent(event: unknown): AuditRecord | Dropped {
  const stage = textAt(event, 'stage');
  if (stage !== 'ResponseComplete') return { dropped: 'not at stage ResponseComplete' };
  const resource = objectOf(event);
  if (resource === undefined) return { dropped: 'not a request for a resource' };
  const code = valueAt(event, 'responseStatus', 'code') ?? 200;
  const verb = textAt(event, 'verb') ?? '';
  const decision = textAt(event, 'annotations', decisionKey);
  const message = valueAt(event, 'responseStatus', 'message');
  return {
    ...resource,
    verb,
    user: userOf(event),
    ...present({
      userAgent: textAt(event, 'userAgent'),
      time: textAt(event, 'requestReceivedTimestamp'),
    }),
    failed:
      typeof code !== 'number' || (code >= 400 && !onlyResponseFailed(verb, decision, message)),
    dryRun: isDryRun(event),
  };
}

/** The authorizer's `allow` or `forbid`; absent if a request was refused earlier. */
export const decisionKey = 'authorization.k8s.io/decision';

/**
 * Matches the message of a response after a timeout or a disconnection: the write may still succeed. Valid in RE2, too.
 * Ignores the reason: errors of Go's context have none (ErrorToAPIStatus), and some audit logs omit it. Does not match
 * a webhook's error, which ends in the same words.
 */
export const timedOut =
  'request did not complete within requested timeout|^(rpc error: .* )?context (canceled|deadline exceeded)$';
const timedOutPattern = new RegExp(timedOut);

/**
 * Reports whether a failed request may have written something: it timed out or was aborted; a deletecollection stopped
 * half-way; or the server could not return the object in the requested form, and the entry has no message. Source:
 * transformResponseObject and FinishRequest of k8s.io/apiserver 0.36.
 */
export function onlyResponseFailed(verb: string, decision: string | undefined, message: unknown) {
  if (decision !== 'allow') return false;
  if (verb === 'deletecollection' || message === undefined) return true;
  return typeof message === 'string' && timedOutPattern.test(message);
}

export function objectOf(event: unknown): RequestedResource | undefined {
  const text = (key: string) => textAt(event, 'objectRef', key);
  const [version, plural] = [text('apiVersion'), text('resource')];
  if (version === undefined || plural === undefined) return;
  const [subresource, namespace, name] = [text('subresource'), text('namespace'), text('name')];
  const group = text('apiGroup') ?? '';
  return { group, version, plural, ...present({ subresource, namespace, name }) };
}

/** Ignores what the API server may ignore: parameters such as `dryRun=%zz`, and all parameters of a delete. */
export function isDryRun(event: unknown): boolean {
  if (textAt(event, 'verb')?.startsWith('delete') === true) return false;
  const query = textAt(event, 'requestURI')?.replace(/^[^?]*\??/, '') ?? '';
  const parameters = query.split('&', 1001);
  // Treats a long query as a write, because Go ignores a query with more than 10,000 parameters.
  return parameters.length <= 1000 && parameters.includes('dryRun=All');
}

/** The impersonated user, not the impersonator. */
export const userOf = (event: unknown): string =>
  textAt(event, 'impersonatedUser', 'username') ?? textAt(event, 'user', 'username') ?? '';
