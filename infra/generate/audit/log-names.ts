import type { RequestedResource } from '../../../shared/audit/record.ts';

/** Writes a resource name as GKE does: `group/version[/namespaces/NS]/plural[/name[/subresource]]`. */
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
