import type { AuditFormat } from '../audit/envelope.ts';
import {
  type AuditRecord,
  type Dropped,
  decisionKey,
  onlyResponseFailed,
  type RequestedResource,
} from '../audit/record.ts';
import { isFields, present, textAt, valueAt } from '../json.ts';

export const dryRunLabel = 'command.gke.io/dryRun';

/** Reads Pub/Sub's messages, and GKE's audit entries from Cloud Logging. */
export const auditFormat: AuditFormat = (value) => {
  const { message, protoPayload } = value;
  if (isFields(protoPayload)) return { ...readLogEntry(value), clusters: clustersIn(value) };
  if (!isFields(message)) return;
  const { data } = message;
  if (typeof data === 'string') return { contents: [Buffer.from(data, 'base64')] };
  return {
    problem: 'the message has no data; is the subscription on the topic of the audit sink?',
  };
};

/** Returns the names of the cluster. Returns none if the entry names no cluster: such an entry is not from GKE. */
function clustersIn(entry: unknown): readonly string[] {
  const label = (key: string) => textAt(entry, 'resource', 'labels', key);
  const cluster = label('cluster_name');
  if (cluster === undefined) return [];
  return [cluster, `${label('project_id')}/${label('location')}/${cluster}`];
}

export function readLogEntry(entry: unknown): AuditRecord | Dropped {
  const payload = valueAt(entry, 'protoPayload');
  if (textAt(payload, 'serviceName') !== 'k8s.io') return { dropped: 'not a k8s.io audit entry' };
  if ((valueAt(entry, 'split', 'index') ?? 0) !== 0)
    return { dropped: 'later part of a split entry' };
  const method = textAt(payload, 'methodName') ?? '';
  const verb = method.slice(method.lastIndexOf('.') + 1);
  const decision = textAt(entry, 'labels', decisionKey);
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
    }),
    failed:
      ![0, '0'].includes((valueAt(payload, 'status', 'code') ?? 0) as number) &&
      !onlyResponseFailed(verb, decision, valueAt(payload, 'status', 'message')),
    dryRun: !verb.startsWith('delete') && valueAt(entry, 'labels', dryRunLabel) !== undefined,
  };
}

/** Parses `group/version[/namespaces/NS]/plural[/name[/subresource]]`, and `…/namespaces/NS` itself. */
export function parseResourceName(resourceName: string): RequestedResource | undefined {
  const [group, version, ...rest] = resourceName.split('/').map((segment) => segment || undefined);
  if (!group || !version || !rest[0]) return;
  const isOwnPath = group === 'core' && ['finalize', 'status'].includes(rest[2] ?? '');
  const isInNamespace = rest[0] === 'namespaces' && rest[2] && !isOwnPath;
  const [plural = '', name, subresource] = isInNamespace ? rest.slice(2) : rest;
  const namespace = rest[0] === 'namespaces' ? rest[1] : undefined;
  return {
    group: group === 'core' ? '' : group,
    version,
    plural,
    ...present({ namespace, name, subresource }),
  };
}
