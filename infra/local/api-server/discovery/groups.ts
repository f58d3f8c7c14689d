import { REVIEWS } from '../authorization/self-reviews.ts';
import { apiVersionOf, type JsonMap } from '../objects/object.ts';
import type { Registry } from '../resources/registry.ts';
import type { Resource, ServedVersion } from '../resources/resource.ts';

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

const BUILT_IN_VERBS = 'create delete deletecollection get list patch update watch'.split(' ');
const COLLECTION = 'deletecollection';
const CUSTOM_VERBS = 'delete deletecollection get list patch create update watch'.split(' ');

export const verbsOf = ({ custom, strategy }: Resource): readonly string[] => {
  if (custom) return CUSTOM_VERBS;
  return strategy.oneByOne ? BUILT_IN_VERBS.filter((verb) => verb !== COLLECTION) : BUILT_IN_VERBS;
};

export const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

/** Every group and version that is served, each once; within a group the preferred one first. */
export const groupVersionsOf = (registry: Registry): GroupVersion[] => {
  const all = [
    ...registry
      .resources()
      .flatMap(({ group, versions }) => versions.map(({ name }) => ({ group, version: name }))),
    ...REVIEWS.map(({ group, version }) => ({ group, version })),
  ];
  const seen = new Map(all.map((one) => [apiVersionOf(one.group, one.version), one]));
  return [...seen.values()].sort(byPreference);
};

const byPreference = (a: GroupVersion, b: GroupVersion): number =>
  a.group === b.group ? rank(b.version) - rank(a.version) : 0;

/** v2 before v1, both before v1beta1, that before v1alpha1. */
const rank = (version: string): number => {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return -1;
  const [, major, stage, minor] = match;
  const stable = stage === undefined ? 2 : stage === 'beta' ? 1 : 0;
  return stable * 1e6 + Number(major) * 1e3 + Number(minor ?? 0);
};

/** The subresources a version offers. */
export const subresourcesOf = (resource: Resource, version: ServedVersion): string[] => [
  ...(resource.collection === 'namespaces' ? ['finalize'] : []),
  ...(resource.custom
    ? [...offered(version.status, 'status'), ...offered(version.scale !== undefined, 'scale')]
    : [...offered(version.scale !== undefined, 'scale'), ...offered(version.status, 'status')]),
];

const offered = (isOffered: boolean, name: string): string[] => (isOffered ? [name] : []);

const groupOf = (registry: Registry, group: string): JsonMap => {
  const versions = groupVersionsOf(registry)
    .filter((one) => one.group === group)
    .map(({ version }) => ({ groupVersion: apiVersionOf(group, version), version }));
  return { name: group, versions, preferredVersion: versions[0] };
};

export const groupList = (registry: Registry): JsonMap => {
  const names = new Set(groupVersionsOf(registry).map(({ group }) => group));
  names.delete('');
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [...names].map((group) => groupOf(registry, group)),
  };
};

export const groupDocument = (registry: Registry, group: string): JsonMap => ({
  kind: 'APIGroup',
  apiVersion: 'v1',
  ...groupOf(registry, group),
});

/** The resources of one group and version, subresources among them. */
export const resourceList = (registry: Registry, group: string, version: string): JsonMap => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: apiVersionOf(group, version),
  resources: [
    ...inOrder(registry).flatMap((resource) => {
      const served = resource.versions.find(({ name }) => name === version);
      return resource.group === group && served ? entriesOf(resource, served) : [];
    }),
    ...REVIEWS.filter((one) => one.group === group && one.version === version).map(
      ({ plural, kind }) => ({
        name: plural,
        singularName: kind.toLowerCase(),
        namespaced: false,
        kind,
        verbs: ['create'],
      }),
    ),
  ],
});

/** As discovery lists them: by name. */
export const inOrder = (registry: Registry): readonly Resource[] =>
  registry.resources().toSorted((a, b) => (a.plural < b.plural ? -1 : 1));

const entriesOf = (resource: Resource, version: ServedVersion): JsonMap[] => {
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
    verbs: name === 'finalize' ? ['update'] : SUBRESOURCE_VERBS,
  }));
  return [whole, ...parts];
};
