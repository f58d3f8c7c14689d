import type { User } from '../authentication/user.ts';
import type { RequestInfo } from '../requests/request-info.ts';

/** The request that authorization decides about: a user, a verb, and a resource or path. */
export interface Attributes {
  readonly user: User;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export function attributesOf(user: User, info: RequestInfo): Attributes {
  return {
    user,
    verb: info.verb,
    group: info.group,
    resource: info.plural,
    subresource: info.subresource,
    // RBAC treats a request for a Namespace as a request in that namespace.
    namespace: info.plural === 'namespaces' && info.group === '' ? info.name : info.namespace,
    name: info.name,
  };
}

/** Returns the server's message for a refused request. */
export function refusal(attributes: Attributes): string {
  const { user, verb, group, resource, subresource, namespace } = attributes;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  return `User ${JSON.stringify(user.username)} cannot ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
}
