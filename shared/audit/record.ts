import { present, textAt, valueAt } from '../json.ts';
import type { Envelope } from './envelope.ts';
import { parseResourceName, type RequestedResource } from './resource-name.ts';

/** One request to an API server: who did what to which object, without the object's contents. */
export interface AuditRecord extends RequestedResource {
  readonly verb: string;
  readonly user: string;
  readonly userAgent?: string;
  readonly time?: string;
  readonly id?: string;
  /**
   * Answered with an error, unless that says nothing of the write (`onlyAnswerFailed`). A server
   * error counts though something may have been written: a lasting one would lead to run after run.
   */
  readonly failed: boolean;
  /** Certainly one; in doubt false. */
  readonly dryRun: boolean;
}

/** An entry that needs no run, and why. */
export interface Dropped {
  readonly dropped: string;
}

/** The records of an envelope's audit entries, parsed lazily. */
export function recordsOf(envelope: Envelope): Iterable<AuditRecord | Dropped> {
  if (envelope.kind === 'log-entry') return [readLogEntry(envelope.entry)];
  return envelope.kind === 'audit-events' ? envelope.events.values().map(readAuditEvent) : [];
}

/** Whether a Cloud Logging entry is from the cluster `name`: `cluster`, or `project/location/cluster`. */
export function isCluster(entry: unknown, name: string): boolean {
  const label = (key: string) => textAt(entry, 'resource', 'labels', key);
  const [project, location, cluster] = [
    label('project_id'),
    label('location'),
    label('cluster_name'),
  ];
  return [cluster, `${project}/${location}/${cluster}`].includes(name);
}

/** Reads a Cloud Logging entry of GKE's `k8s.io` audit stream. */
export function readLogEntry(entry: unknown): AuditRecord | Dropped {
  const payload = valueAt(entry, 'protoPayload');
  if (textAt(payload, 'serviceName') !== 'k8s.io') return { dropped: 'not an entry of k8s.io' };
  if ((valueAt(entry, 'split', 'index') ?? 0) !== 0) return { dropped: 'later part of an entry' };
  const method = textAt(payload, 'methodName') ?? '';
  const verb = method.slice(method.lastIndexOf('.') + 1);
  const resource = parseResourceName(textAt(payload, 'resourceName') ?? '');
  if (resource === undefined || !method.includes(`.${resource.version}.${resource.plural}.`))
    return { dropped: 'not a request for a resource' };
  return {
    ...resource,
    verb,
    user: textAt(payload, 'authenticationInfo', 'principalEmail') ?? '',
    ...present({
      userAgent: textAt(payload, 'requestMetadata', 'callerSuppliedUserAgent'),
      time: textAt(entry, 'timestamp'),
      id: textAt(entry, 'insertId'),
    }),
    failed:
      ![0, '0'].includes((valueAt(payload, 'status', 'code') ?? 0) as number) &&
      !onlyAnswerFailed({
        verb,
        decision: textAt(entry, 'labels', decisionKey),
        message: valueAt(payload, 'status', 'message'),
      }),
    dryRun:
      !isDeletion.test(verb) && valueAt(entry, 'labels', 'command.gke.io/dryRun') !== undefined,
  };
}

/** Reads an `audit.k8s.io/v1` Event, as a kube-apiserver's audit webhook sends it. */
export function readAuditEvent(event: unknown): AuditRecord | Dropped {
  const stage = textAt(event, 'stage');
  if (stage !== 'ResponseComplete') return { dropped: 'not at stage ResponseComplete' };
  const resource = objectOf(event);
  if (resource === undefined) return { dropped: 'not a request for a resource' };
  const code = valueAt(event, 'responseStatus', 'code') ?? 200;
  const verb = textAt(event, 'verb') ?? '';
  const failure = {
    verb,
    decision: textAt(event, 'annotations', decisionKey),
    message: valueAt(event, 'responseStatus', 'message'),
  };
  return {
    ...resource,
    verb,
    user: userOf(event),
    ...present({
      userAgent: textAt(event, 'userAgent'),
      time: textAt(event, 'requestReceivedTimestamp'),
      id: textAt(event, 'auditID'),
    }),
    failed: typeof code !== 'number' || (code >= 400 && !onlyAnswerFailed(failure)),
    dryRun: isDryRun(event),
  };
}

/** The annotation that says whether a request was authorized: `allow`; absent if it did not get so far. */
export const decisionKey = 'authorization.k8s.io/decision';

/**
 * The message of a write that went on when its time was over, which a client may set (`timeout=5ms`),
 * or its client gone; of RE2, too. Not that of a webhook, which ends in the same words.
 */
export const timedOut =
  'request did not complete within requested timeout|^(rpc error: .* )?context (canceled|deadline exceeded)$';
const timedOutPattern = new RegExp(timedOut);

interface Failure {
  readonly verb: string;
  readonly decision: string | undefined;
  readonly message: unknown;
}

/**
 * Whether something may have been written although the answer is an error, which any writer can
 * bring about: the time was over or its client gone, a collection was deleted up to the object that failed, or
 * the object could not be shown in the form asked for (`Accept`, `includeObject`), which is logged
 * without a message. Source: transformResponseObject and FinishRequest of k8s.io/apiserver 0.36.
 */
function onlyAnswerFailed({ verb, decision, message }: Failure): boolean {
  if (decision !== 'allow') return false;
  if (verb === 'deletecollection' || message === undefined) return true;
  return typeof message === 'string' && timedOutPattern.test(message);
}

/** The `objectRef` of an audit Event; undefined if the request was not for a resource. */
export function objectOf(event: unknown): RequestedResource | undefined {
  const text = (key: string) => textAt(event, 'objectRef', key);
  const [version, plural] = [text('apiVersion'), text('resource')];
  if (version === undefined || plural === undefined) return;
  const [subresource, namespace, name] = [text('subresource'), text('namespace'), text('name')];
  const group = text('apiGroup') ?? '';
  return { group, version, plural, ...present({ subresource, namespace, name }) };
}

/** Go ignores a query of more than 10,000 parameters as a whole. */
const mostParameters = 1000;

/**
 * Whether a request was certainly a dry run. The API server ignores a malformed parameter such as
 * `dryRun=%zz` or `dryRun=All;x`, and all parameters of a delete that has a body.
 */
export function isDryRun(event: unknown): boolean {
  if (isDeletion.test(textAt(event, 'verb') ?? '')) return false;
  const query = textAt(event, 'requestURI')?.replace(/^[^?]*\??/, '') ?? '';
  const parameters = query.split('&', mostParameters + 1);
  return parameters.length <= mostParameters && parameters.includes('dryRun=All');
}

const isDeletion = /^delete/;

/** The user that a request was authorized as: the impersonated user, not the impersonator. */
export const userOf = (event: unknown): string =>
  textAt(event, 'impersonatedUser', 'username') ?? textAt(event, 'user', 'username') ?? '';
