import type { Subject } from '../errors/api-errors.ts';
import { badRequest } from '../errors/api-errors.ts';
import type { ApiError } from '../errors/status.ts';
import type { KubeObject } from '../objects/object.ts';
import { keyOf, read, type Stored } from '../storage/stored.ts';
import { groupVersionOf, type Served } from './resource.ts';

/** The target of a request: a resource in one version, a namespace, an object, a subresource. */
export interface Target {
  readonly served: Served;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

export function subjectOf({ served, name }: Target): Subject {
  return {
    group: served.resource.group,
    plural: served.resource.plural,
    name,
  };
}

export function kindSubjectOf(
  { served }: Target,
  name: string | undefined,
): { group: string; kind: string; name: string | undefined } {
  return {
    // Events of both groups are validated as one kind without a group.
    group: served.resource.kind === 'Event' && !served.resource.custom ? '' : served.resource.group,
    kind: served.resource.kind,
    name,
  };
}

/** Returns a private copy of a stored object in the version of the target. */
export function readIn(served: Served, stored: Stored): KubeObject {
  const { resource, version } = served;
  const object = read(stored, groupVersionOf(served), resource.kind);
  return version.conversion ? version.conversion.fromStored(object) : object;
}

/** The answer to a body that cannot be decoded as its kind. */
export function undecodable({ resource, version }: Served, why: string): ApiError {
  return badRequest(
    `${resource.kind} in version ${JSON.stringify(version.name)} cannot be handled as a ${resource.kind}: ${why}`,
  );
}

const directories: Readonly<Record<string, string>> = {
  apiservices: 'apiregistration.k8s.io/apiservices',
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
};

/** Returns the real server's storage path of an object or, without a name, of a namespace's objects. */
export function pathInRegistry({ served, namespace, name }: Target): string {
  const { group, plural, custom } = served.resource;
  const directory = custom ? `${group}/${plural}` : (directories[plural] ?? plural);
  return `/${directory}/${name === '' ? namespace : keyOf(namespace, name)}`;
}

/** Returns the same path as in the real server's errors. */
export function registryKey(target: Target, { dryRun }: { readonly dryRun: boolean }): string {
  return `${dryRun ? '' : '/registry'}${pathInRegistry(target)}`;
}
