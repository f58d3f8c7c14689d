import type { RequestedResource } from '../../../shared/audit/record.ts';

/** Formats `group/version[/namespaces/NS]/plural[/name[/subresource]]`, as GKE does. */
export function resourceNameOf(resource: RequestedResource): string {
  const { group, version, plural, namespace, name, subresource } = resource;
  const scope = namespace === undefined || plural === 'namespaces' ? [] : ['namespaces', namespace];
  return [group === '' ? 'core' : group, version, ...scope, plural, name, subresource]
    .filter((segment) => segment !== undefined)
    .join('/');
}

/** `io.k8s.apps.v1.deployments.scale.update`, `com.example.v1.foos.create` */
export const methodNameOf = (resource: RequestedResource, verb: string): string =>
  [methodGroup(resource.group), resource.version, resource.plural, resource.subresource, verb]
    .filter((token) => token !== undefined)
    .join('.');

/** `io.k8s.batch` for `batch`, `com.example` for `example.com`. */
export function methodGroup(group: string): string {
  if (group === '') return 'io.k8s.core';
  return group.includes('.') ? group.split('.').reverse().join('.') : `io.k8s.${group}`;
}
