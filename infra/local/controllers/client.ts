import type { AuditEvent } from '../api-server/audit/event.ts';
import { auditEvent, isAudited } from '../api-server/audit/record.ts';
import type { User } from '../api-server/authentication/user.ts';
import type { ApiServer } from '../api-server/dispatch/api-server.ts';
import { execute } from '../api-server/dispatch/execute.ts';
import { ApiError, type Status } from '../api-server/errors/status.ts';
import { jsonText } from '../api-server/json/text.ts';
import { apiVersionOf } from '../api-server/objects/object.ts';
import type { RequestInfo, Verb } from '../api-server/requests/request-info.ts';
import type { Resource } from '../api-server/resources/resource.ts';
import type { Outcome } from '../api-server/verbs/call.ts';

/** A request of a controller. */
export interface ControllerRequest {
  readonly verb: Verb;
  readonly resource: Pick<Resource, 'group' | 'plural'> & { readonly version: string };
  readonly namespace: string;
  readonly name?: string;
  readonly subresource?: string;
  readonly body?: unknown;
  readonly contentType?: string;
}

/** Sends the requests of one controller, under its own identity and recorded in the audit log. */
export type ControllerClient = (request: ControllerRequest) => Outcome;

export const mergePatchType = 'application/merge-patch+json';

const managerName = 'kube-controller-manager';

export function controllerClient(
  server: ApiServer,
  controller: string,
  onAudit: (event: AuditEvent) => void,
): ControllerClient {
  const user = serviceAccount(controller);
  const userAgent = `${managerName}/${server.version} (${process.platform}/${process.arch}) kubernetes/system:serviceaccount:kube-system:${controller}`;

  return (request) => {
    const info = infoOf(request);
    const body = request.body === undefined ? '' : jsonText(request.body);
    const received = server.clock();
    const report = (code: number, failure?: Status): void => {
      if (!isAudited(info)) return;
      const completed = server.clock();
      const audited = { info, requestURI: uriOf(info), user, userAgent, received, completed };
      onAudit(auditEvent({ ...audited, code, body, ...(failure ? { failure } : {}) }));
    };
    try {
      const outcome = execute(server, {
        info,
        query: new URLSearchParams(),
        // The group of administrators replaces the roles that a real cluster gives its controllers.
        user: { ...user, groups: [...user.groups, 'system:masters'] },
        userAgent,
        contentType: request.contentType ?? 'application/json',
        body,
        warn: () => undefined,
      });
      report('code' in outcome ? outcome.code : 200);
      return outcome;
    } catch (error) {
      if (error instanceof ApiError) report(error.status.code, error.status);
      throw error;
    }
  };
}

const serviceAccount = (name: string): User => ({
  username: `system:serviceaccount:kube-system:${name}`,
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
});

function infoOf({
  verb,
  resource,
  namespace,
  name = '',
  subresource = '',
}: ControllerRequest): RequestInfo {
  return {
    verb,
    group: resource.group,
    version: resource.version,
    plural: resource.plural,
    namespace,
    name,
    subresource,
  };
}

function uriOf({ group, version, plural, namespace, name, subresource }: RequestInfo): string {
  return [
    group === '' ? '/api' : '/apis',
    apiVersionOf(group, version),
    ...(namespace === '' ? [] : ['namespaces', namespace]),
    plural,
    name,
    subresource,
  ]
    .filter((part) => part !== '')
    .join('/');
}

/** Reports whether a request lost a race; the other writer's change queues the object again. */
export function isLostRace(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    ['Conflict', 'NotFound', 'AlreadyExists'].includes(error.status.reason ?? '')
  );
}

/**
 * Reports whether the server refused a controller's write, for example a claim from an invalid template. The
 * object's owner caused it, so the controller retries at the object's next change.
 */
export function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status.code < 500;
}

/** Ignores a lost race, because the other writer's change queues the object again. */
export function unlessLostRace(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    if (!isLostRace(error)) throw error;
  }
}
