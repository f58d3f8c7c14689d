import type { RequestedResource } from '../audit/record.ts';
import { present } from '../json.ts';

/**
 * Parses the resource name in a GKE audit entry: `group/version[/namespaces/NS]/plural[/name[/subresource]]`; undefined
 * without a plural. `group/version/namespaces/NS` names the Namespace itself.
 */
export function parseResourceName(resourceName: string): RequestedResource | undefined {
  const [group, version, ...rest] = resourceName.split('/').map((segment) => segment || undefined);
  if (!group || !version || !rest[0]) return;
  const type = { group: group === 'core' ? '' : group, version };
  const ownPath = type.group === '' && (rest[2] === 'finalize' || rest[2] === 'status');
  if (rest[0] === 'namespaces' && rest[2] && !ownPath) {
    const [, namespace, plural, name, subresource] = rest;
    return { ...type, plural, ...present({ namespace, name, subresource }) };
  }
  const [plural, name, subresource] = rest;
  const namespace = plural === 'namespaces' ? name : undefined;
  return { ...type, plural, ...present({ namespace, name, subresource }) };
}

/** The inverse of `parseResourceName`. */
export function resourceNameOf(resource: RequestedResource): string {
  const { group, version, plural, namespace, name, subresource } = resource;
  const scope = namespace === undefined || plural === 'namespaces' ? [] : ['namespaces', namespace];
  return [group === '' ? 'core' : group, version, ...scope, plural, name, subresource]
    .filter((segment) => segment !== undefined)
    .join('/');
}

/** Builds a method name, such as `io.k8s.apps.v1.deployments.scale.update` or `com.example.v1.foos.create`. */
export const methodNameOf = (resource: RequestedResource, verb: string): string =>
  [methodGroup(resource.group), resource.version, resource.plural, resource.subresource, verb]
    .filter((token) => token !== undefined)
    .join('.');

/** Writes a group as method names do: `batch` as `io.k8s.batch`, and `example.com` as `com.example`. */
export function methodGroup(group: string): string {
  if (group === '') return 'io.k8s.core';
  return group.includes('.') ? group.split('.').reverse().join('.') : `io.k8s.${group}`;
}
