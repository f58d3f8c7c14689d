import { randomUUID } from 'node:crypto';
import type { User } from '../authentication/user.ts';
import type { Status } from '../errors/status.ts';
import { isObject, type JsonObject, objectAt, textAt } from '../json/value.ts';
import { microTimestamp } from '../objects/object.ts';
import type { RequestInfo } from '../requests/request-info.ts';
import type { AuditEvent, ObjectReference } from './event.ts';

export interface Audited {
  readonly info: RequestInfo;
  readonly requestURI: string;
  readonly user: User;
  readonly userAgent: string;
  readonly received: Date;
  readonly completed: Date;
  readonly code: number;
  readonly failure?: Status;
  readonly auditId?: string;
  /** The body of a create or an update, which names the object better than the URL. */
  readonly body?: string;
}

const mutatingVerbs = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** Reports whether the audit log keeps a request. */
export function isAudited({ verb }: RequestInfo): boolean {
  return mutatingVerbs.includes(verb);
}

/** Builds the entry of the audit log for a request, at level Metadata. */
export function auditEvent(audited: Audited): AuditEvent {
  const { info, requestURI, user, userAgent, code, failure } = audited;
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: audited.auditId ?? randomUUID(),
    stage: 'ResponseComplete',
    requestURI,
    verb: info.verb,
    user: { username: user.username, groups: user.groups },
    sourceIPs: ['127.0.0.1'],
    userAgent,
    objectRef: referenceOf(info, audited.body ?? ''),
    responseStatus: {
      metadata: {},
      ...(failure === undefined
        ? {}
        : {
            status: failure.status,
            ...(failure.message === undefined ? {} : { message: failure.message }),
            ...(failure.reason === undefined ? {} : { reason: failure.reason }),
          }),
      code,
    },
    requestReceivedTimestamp: microTimestamp(audited.received),
    stageTimestamp: microTimestamp(audited.completed),
    annotations: decisionOn(code),
  };
}

/** Omits the decision if the user is unknown (401), because authorization was not reached. */
function decisionOn(code: number): AuditEvent['annotations'] {
  if (code === 401) return {};
  return {
    'authorization.k8s.io/decision': code === 403 ? 'forbid' : 'allow',
    'authorization.k8s.io/reason': '',
  };
}

function referenceOf(info: RequestInfo, body: string): ObjectReference {
  const { name, uid, resourceVersion } = namesIn(info, body);
  // A request for a Namespace has its name as the namespace, too.
  const namespace = info.plural === 'namespaces' && info.group === '' ? info.name : info.namespace;
  return {
    resource: info.plural,
    ...(namespace === '' ? {} : { namespace }),
    ...(name === '' ? {} : { name }),
    ...(uid === '' ? {} : { uid }),
    ...(info.group === '' ? {} : { apiGroup: info.group }),
    apiVersion: info.version,
    ...(resourceVersion === '' ? {} : { resourceVersion }),
    ...(info.subresource === '' ? {} : { subresource: info.subresource }),
  };
}

/** Returns the identity of the object; in a create or an update, the body completes the URL. */
function namesIn(info: RequestInfo, body: string) {
  const metadata = ['create', 'update'].includes(info.verb) ? metadataIn(body) : {};
  return {
    name: info.name || textAt(metadata, 'name'),
    uid: textAt(metadata, 'uid'),
    resourceVersion: textAt(metadata, 'resourceVersion'),
  };
}

function metadataIn(body: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(body);
    return isObject(parsed) ? objectAt(parsed, 'metadata') : {};
  } catch {
    return {};
  }
}
