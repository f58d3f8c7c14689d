import { reviews } from '../authorization/self-reviews.ts';
import type { JsonObject } from '../json/value.ts';
import { apiVersionOf } from '../objects/object.ts';
import type { Registry } from '../resources/registry.ts';
import type { Resource, ServedVersion } from '../resources/resource.ts';

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

const builtInVerbs = 'create delete deletecollection get list patch update watch'.split(' ');
const collectionName = 'deletecollection';
const customVerbs = 'delete deletecollection get list patch create update watch'.split(' ');

export function verbsOf({ custom, strategy }: Resource): readonly string[] {
  if (custom) return customVerbs;
  return strategy.noDeleteCollection
    ? builtInVerbs.filter((verb) => verb !== collectionName)
    : builtInVerbs;
}

export const subresourceVerbs = ['get', 'patch', 'update'];

/** Returns every served group and version once; in each group, the preferred version first. */
export function groupVersionsOf(registry: Registry): GroupVersion[] {
  const all = [
    ...registry
      .resources()
      .flatMap(({ group, versions }) => versions.map(({ name }) => ({ group, version: name }))),
    ...reviews.map(({ group, version }) => ({ group, version })),
  ];
  const seen = new Map(all.map((one) => [apiVersionOf(one.group, one.version), one]));
  return [...seen.values()].sort(byPreference);
}

function byPreference(a: GroupVersion, b: GroupVersion): number {
  return a.group === b.group ? rank(b.version) - rank(a.version) : 0;
}

/** Sorts v2 before v1, v1 before v1beta1, v1beta1 before v1alpha1. */
function rank(version: string): number {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return -1;
  const [, major, stage, minor] = match;
  const stable = stage === undefined ? 2 : stage === 'beta' ? 1 : 0;
  return stable * 1e6 + Number(major) * 1e3 + Number(minor ?? 0);
}

/** The subresources a version offers. */
export function subresourcesOf(resource: Resource, version: ServedVersion): string[] {
  return [
    ...(resource.collection === 'namespaces' ? ['finalize'] : []),
    ...(resource.custom
      ? [...offered(version.status, 'status'), ...offered(version.scale !== undefined, 'scale')]
      : [...offered(version.scale !== undefined, 'scale'), ...offered(version.status, 'status')]),
  ];
}

function offered(isOffered: boolean, name: string): string[] {
  return isOffered ? [name] : [];
}

function groupOf(registry: Registry, group: string): JsonObject {
  const versions = groupVersionsOf(registry)
    .filter((one) => one.group === group)
    .map(({ version }) => ({ groupVersion: apiVersionOf(group, version), version }));
  return { name: group, versions, preferredVersion: versions[0] };
}

export function groupList(registry: Registry): JsonObject {
  const names = new Set(groupVersionsOf(registry).map(({ group }) => group));
  names.delete('');
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [...names].map((group) => groupOf(registry, group)),
  };
}

export function groupDocument(registry: Registry, group: string): JsonObject {
  return {
    kind: 'APIGroup',
    apiVersion: 'v1',
    ...groupOf(registry, group),
  };
}

/** Returns the resources of one group and version, including subresources. */
export function resourceList(registry: Registry, group: string, version: string): JsonObject {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf(group, version),
    resources: [
      ...resourcesByName(registry).flatMap((resource) => {
        const served = resource.versions.find(({ name }) => name === version);
        return resource.group === group && served ? entriesOf(resource, served) : [];
      }),
      ...reviews
        .filter((one) => one.group === group && one.version === version)
        .map(({ plural, kind }) => ({
          name: plural,
          singularName: kind.toLowerCase(),
          namespaced: false,
          kind,
          verbs: ['create'],
        })),
    ],
  };
}

/** Sorts by name, as discovery does. */
export function resourcesByName(registry: Registry): readonly Resource[] {
  return registry.resources().toSorted((a, b) => (a.plural < b.plural ? -1 : 1));
}

function entriesOf(resource: Resource, version: ServedVersion): JsonObject[] {
  const { plural, singular, kind, namespaced, shortNames, categories } = resource;
  const whole = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: verbsOf(resource),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
  };
  const parts = subresourcesOf(resource, version).map((name) => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    ...(name === 'scale' ? { group: 'autoscaling', version: 'v1', kind: 'Scale' } : { kind }),
    verbs: name === 'finalize' ? ['update'] : subresourceVerbs,
  }));
  return [whole, ...parts];
}
