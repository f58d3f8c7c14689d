import { reviews } from '../authorization/self-reviews.ts';
import type { JsonObject } from '../json/value.ts';
import type { Registry } from '../resources/registry.ts';
import type { Resource, ServedVersion } from '../resources/resource.ts';
import {
  groupVersionsOf,
  resourcesByName,
  subresourcesOf,
  subresourceVerbs,
  verbsOf,
} from './groups.ts';

/** Builds aggregated discovery: all groups with their versions and resources. */
export function aggregatedGroups(registry: Registry, core: boolean): JsonObject {
  const versions = groupVersionsOf(registry).filter(({ group }) => (group === '') === core);
  const groups = [...new Set(versions.map(({ group }) => group))];
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map((group) => ({
      metadata:
        group === '' ? { creationTimestamp: null } : { name: group, creationTimestamp: null },
      versions: versions
        .filter((one) => one.group === group)
        .map(({ version }) => ({
          version,
          resources: resourcesOf(registry, group, version),
          freshness: 'Current',
        })),
    })),
  };
}

function resourcesOf(registry: Registry, group: string, version: string): JsonObject[] {
  return [
    ...resourcesByName(registry).flatMap((resource) => {
      const served = resource.versions.find(({ name }) => name === version);
      return resource.group === group && served ? [describe(resource, served)] : [];
    }),
    ...reviews
      .filter((one) => one.group === group && one.version === version)
      .map(({ plural, kind }) => ({
        resource: plural,
        responseKind: { group: '', version: '', kind },
        scope: 'Cluster',
        singularResource: kind.toLowerCase(),
        verbs: ['create'],
      })),
  ];
}

function describe(resource: Resource, version: ServedVersion): JsonObject {
  const { group, kind, plural, singular, namespaced, shortNames, categories } = resource;
  // Omits the group and version of built-in kinds, which the list has.
  const own = resource.custom
    ? { group, version: version.name, kind }
    : { group: '', version: '', kind };
  const subresources = subresourcesOf(resource, version).map((name) => ({
    subresource: name,
    responseKind: name === 'scale' ? { group: 'autoscaling', version: 'v1', kind: 'Scale' } : own,
    verbs: name === 'finalize' ? ['update'] : subresourceVerbs,
  }));
  return {
    resource: plural,
    responseKind: own,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: verbsOf(resource),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}
