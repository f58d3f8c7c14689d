import { writeVerbs } from '../../../shared/audit/filter.ts';
import { isDryRun, objectOf, userOf } from '../../../shared/audit/record.ts';
import { isFields, present, textAt, valueAt } from '../../../shared/json.ts';
import { methodNameOf, resourceNameOf } from '../../generate/audit/log-names.ts';
import type { ClusterName } from '../../generate/audit/sink-filter.ts';

interface LogEntryContext extends ClusterName {
  readonly receivedAt: string;
}

/**
 * Converts an `audit.k8s.io/v1` Event at level Metadata to the Cloud Logging entry that GKE writes. Returns undefined
 * for an Event of a stage other than ResponseComplete, because GKE logs only this stage.
 */
export function logEntryOf(event: unknown, context: LogEntryContext): object | undefined {
  if (textAt(event, 'stage') !== 'ResponseComplete') return;
  const { project, location, cluster, receivedAt } = context;
  const insertId = textAt(event, 'auditID') ?? '';
  const isWrite = writeVerbs.some((verb) => verb === textAt(event, 'verb'));
  return {
    insertId,
    logName: `projects/${project}/logs/cloudaudit.googleapis.com%2F${isWrite ? 'activity' : 'data_access'}`,
    operation: { id: insertId, producer: 'k8s.io', first: true, last: true },
    resource: {
      type: 'k8s_cluster',
      labels: { project_id: project, location, cluster_name: cluster },
    },
    labels: labelsOf(event),
    timestamp: textAt(event, 'requestReceivedTimestamp') ?? receivedAt,
    receiveTimestamp: receivedAt,
    protoPayload: payloadOf(event),
  };
}

function payloadOf(event: unknown): object {
  const { methodName, resourceName } = namesOf(event);
  return {
    '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
    serviceName: 'k8s.io',
    methodName,
    resourceName,
    authenticationInfo: { principalEmail: userOf(event) },
    authorizationInfo: [
      {
        granted: textAt(event, 'annotations', 'authorization.k8s.io/decision') !== 'forbid',
        permission: methodName,
        resource: resourceName,
      },
    ],
    requestMetadata: present({
      callerIp: firstOf(valueAt(event, 'sourceIPs')),
      callerSuppliedUserAgent: textAt(event, 'userAgent'),
    }),
    status: rpcStatusOf(valueAt(event, 'responseStatus')),
  };
}

/** Returns the method and resource names. The resource name of a non-resource URL is its path, such as `healthz`. */
function namesOf(event: unknown) {
  const verb = textAt(event, 'verb') ?? '';
  const resource = objectOf(event);
  if (resource === undefined) {
    const path = textAt(event, 'requestURI')?.split('?')[0] ?? '';
    return { methodName: `io.k8s.${verb}`, resourceName: path.replace(/^\//, '') };
  }
  return { methodName: methodNameOf(resource, verb), resourceName: resourceNameOf(resource) };
}

function labelsOf(event: unknown): object {
  const annotations = valueAt(event, 'annotations');
  return {
    ...(isFields(annotations) ? annotations : {}),
    ...(isDryRun(event) ? { 'command.gke.io/dryRun': 'All' } : {}),
  };
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined;
}

/** Maps HTTP codes to `google.rpc` codes. All other HTTP codes are mapped by their class: 4xx to 9, 5xx to 13. */
const rpcCodes: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  408: 4,
  409: 10,
  412: 9,
  422: 3,
  429: 8,
  499: 1,
  501: 12,
  503: 14,
  504: 4,
};
const alreadyExists = 6;

/** A `google.rpc.Status`; `{}` for success. */
function rpcStatusOf(responseStatus: unknown): object {
  const code = valueAt(responseStatus, 'code');
  if (typeof code !== 'number' || code < 400) return {};
  const exists = textAt(responseStatus, 'reason') === 'AlreadyExists';
  return {
    code: exists ? alreadyExists : (rpcCodes[code] ?? (code < 500 ? 9 : 13)),
    ...present({ message: textAt(responseStatus, 'message') }),
  };
}
