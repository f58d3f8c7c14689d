import { describe, expect, it } from 'vitest';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { ReconcileRequest } from '../../shared/reconcile-request.ts';
import {
  type Area,
  areaOf,
  areasToFollow,
  keyOfAreas,
  laneOf,
  listsOf,
  misfitOf,
} from '../../shared/run/area.ts';
import type { LiveWorld } from '../../shared/run/run.ts';
import { application } from '../../systems/application.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { casesOf } from '../support/cases.ts';
import { kinds as installed } from '../support/config.ts';

const team: Kind = {
  ...foo,
  kind: 'Team',
  plural: 'teams',
  group: 'example.org',
  shortNames: [],
  scope: 'Cluster',
};
const kinds = [website, foo, team];
const everywhere = { kinds, namespaces: undefined };
const two = { kinds, namespaces: ['a', 'b'] };

interface Selected {
  readonly reason: string;
  readonly request: ReconcileRequest;
  readonly all?: Omit<Area, 'name'>;
  readonly want: Area;
}

const selections: readonly Selected[] = [
  { reason: 'all resources', request: {}, want: { kinds, namespaces: undefined, name: undefined } },
  {
    reason: 'all configured resources',
    request: {},
    all: two,
    want: { kinds, namespaces: ['a', 'b'], name: undefined },
  },
  {
    reason: 'all resources of a kind',
    request: { kind: 'Foo' },
    want: { kinds: [foo], namespaces: undefined, name: undefined },
  },
  {
    reason: 'selects nothing for a kind that is not configured',
    request: { kind: 'Other' },
    want: { kinds: [], namespaces: undefined, name: undefined },
  },
  {
    reason: 'selects no cluster-scoped resources for a namespace',
    request: { namespace: 'a' },
    want: { kinds: [website, foo], namespaces: ['a'], name: undefined },
  },
  {
    reason: 'one of the configured namespaces',
    request: { namespace: 'b' },
    all: two,
    want: { kinds: [website, foo], namespaces: ['b'], name: undefined },
  },
  {
    reason: 'selects nothing for a namespace that is not configured',
    request: { namespace: 'c' },
    all: two,
    want: { kinds: [], namespaces: ['c'], name: undefined },
  },
  {
    reason: 'a resource',
    request: { kind: 'Foo', namespace: 'a', name: 'x' },
    want: { kinds: [foo], namespaces: ['a'], name: 'x' },
  },
  {
    reason: 'a cluster-scoped resource',
    request: { kind: 'Team', name: 'x' },
    want: { kinds: [team], namespaces: undefined, name: 'x' },
  },
  {
    reason: 'a name without a namespace selects a cluster-scoped resource',
    request: { name: 'x' },
    want: { kinds: [team], namespaces: undefined, name: 'x' },
  },
];

describe('the area of a request', () => {
  it.each(selections)('$reason', ({ request, all = everywhere, want }) => {
    expect(areaOf(request, all)).toEqual(want);
  });

  const needsNamespace = 'Foo is namespaced: name requires a namespace';
  const isClusterScoped = 'Team is cluster-scoped: omit namespace';
  it.each<{ readonly request: ReconcileRequest; readonly want: string | undefined }>([
    { request: {}, want: undefined },
    { request: { kind: 'Other', name: 'x' }, want: undefined },
    { request: { kind: 'Foo' }, want: undefined },
    { request: { kind: 'Foo', namespace: 'a' }, want: undefined },
    { request: { kind: 'Foo', namespace: 'a', name: 'x' }, want: undefined },
    { request: { kind: 'Foo', name: 'x' }, want: needsNamespace },
    { request: { kind: 'Team' }, want: undefined },
    { request: { kind: 'Team', name: 'x' }, want: undefined },
    { request: { kind: 'Team', namespace: 'a' }, want: isClusterScoped },
    { request: { kind: 'Team', namespace: 'a', name: 'x' }, want: isClusterScoped },
  ])('$request fits the scope of its kind: $want', ({ request, want }) => {
    expect(misfitOf(request, everywhere)).toBe(want);
  });
});

describe('an area', () => {
  const area = (over: Partial<Area> = {}): Area => ({ ...everywhere, name: undefined, ...over });

  it('costs one list for each kind and each type of children, in each namespace', () => {
    // Foo owns Deployments; Website owns Deployments and Services.
    expect(listsOf(area({ kinds: [website, foo] }))).toBe(2 + 2);
    expect(listsOf(area({ kinds: [foo], namespaces: ['a', 'b', 'c'] }))).toBe(3 * 2);
    expect(listsOf(area({ kinds: [] }))).toBe(0);
  });

  it.each([
    {
      reason: 'its only namespace',
      areas: [{ namespaces: ['a'] }, { namespaces: ['a'] }],
      want: 'a',
    },
    {
      reason: 'the cluster, for several namespaces',
      areas: [{ namespaces: ['a', 'b'] }],
      want: '',
    },
    { reason: 'the cluster, for all namespaces', areas: [{ namespaces: undefined }], want: '' },
    {
      reason: 'the cluster, for one namespace and all',
      areas: [{ namespaces: ['a'] }, { namespaces: undefined }],
      want: '',
    },
    { reason: 'the cluster, without an area', areas: [], want: '' },
  ])('runs in the lane of $reason', ({ areas, want }) => {
    expect(laneOf(areas)).toBe(want);
  });
});

const spellings: Record<
  string,
  { readonly reason: string; readonly same: readonly ReconcileRequest[][] }
> = {
  Kinds: {
    reason: 'it does not depend on which of the four names a kind has, or on their case',
    same: [
      [{ kind: 'Foo' }],
      [{ kind: 'foos' }],
      [{ kind: 'FOOS' }],
      [{ kind: 'foos.example.com' }],
    ],
  },
  Order: {
    reason: 'it does not depend on the order and duplicates of requests',
    same: [
      [{ kind: 'Foo', namespace: 'a' }, { kind: 'Website' }],
      [{ kind: 'Website' }, { kind: 'Foo', namespace: 'a' }, { kind: 'foos', namespace: 'a' }],
    ],
  },
};

describe('the key of a run', () => {
  const everywhere = { kinds: installed, namespaces: undefined };

  it.each(casesOf(spellings))('is the same for each area: %s', (_, { same }) => {
    const keys = same.map((requests) => keyOfAreas(requests.map((one) => areaOf(one, everywhere))));
    expect(new Set(keys).size).toBe(1);
  });

  it('combines all areas in any order', () => {
    const [one, two] = [{ kind: 'Foo', namespace: 'a' }, { kind: 'Website' }].map((request) =>
      areaOf(request, everywhere),
    );
    expect(keyOfAreas([one!, two!, one!])).toBe(keyOfAreas([two!, one!]));
    expect(keyOfAreas([one!, two!])).not.toBe(keyOfAreas([one!]));
    const places = { ...everywhere, namespaces: ['b', 'a'] };
    expect(keyOfAreas([areaOf({ kind: 'Foo' }, places)])).toBe(
      keyOfAreas([areaOf({ kind: 'foos' }, { ...places, namespaces: ['a', 'b'] })]),
    );
  });

  it('differs for another area', () => {
    const requests = [{}, { kind: 'Foo' }, { namespace: 'a' }, { kind: 'Foo', namespace: 'a' }];
    const named = { kind: 'Foo', namespace: 'a', name: 'x' };
    const areas = [...requests, named].map((one) => areaOf(one, everywhere));
    expect(new Set(areas.map((one) => keyOfAreas([one]))).size).toBe(areas.length);
  });
});

describe('the areas in which resources are read again are', () => {
  const worlds = (count: number, kind: Kind = foo, places: readonly string[] = ['a']) =>
    places.flatMap((namespace) =>
      Array.from({ length: count }, (_, at) => ({
        kind,
        resource: { namespace, name: `x-${at}` },
      })),
    ) as unknown as readonly LiveWorld[];
  const places = (count: number) => Array.from({ length: count }, (_, at) => `ns-${at}`);
  const all = { kinds: [website, foo, team, application], namespaces: undefined };
  const named = (
    name: string | undefined,
    namespace: string | undefined = 'a',
    kind: Kind = foo,
  ) => ({
    kinds: [kind],
    name,
    namespaces: namespace === '' ? undefined : [namespace],
  });

  it.each([
    {
      reason: 'up to eight resources, by name',
      given: worlds(8),
      want: Array.from({ length: 8 }, (_, at) => named(`x-${at}`)),
    },
    { reason: 'the namespace of more resources', given: worlds(9), want: [named(undefined)] },
    {
      reason: 'each namespace of more resources',
      given: worlds(9, foo, places(8)),
      want: places(8).map((place) => named(undefined, place)),
    },
    {
      reason: 'no wider for a kind with more types of children',
      given: worlds(1, application, places(8)),
      want: places(8).map((place) => named('x-0', place, application)),
    },
    {
      reason: 'the whole kind, for many namespaces',
      given: worlds(1, foo, places(33)),
      want: [{ kinds: [foo], namespaces: undefined, name: undefined }],
    },
    {
      reason: 'separate for each kind',
      given: [...worlds(1, website), ...worlds(9)],
      want: [named('x-0', 'a', website), named(undefined)],
    },
    {
      reason: 'a cluster-scoped resource, by name',
      given: worlds(1, team, ['']),
      want: [named('x-0', '', team)],
    },
    {
      reason: 'all cluster-scoped resources, if there are more',
      given: worlds(9, team, ['']),
      want: [named(undefined, '', team)],
    },
    { reason: 'none without a resource', given: [], want: [] },
  ])('$reason', ({ given, want }) => {
    const areas = areasToFollow(given, all);
    expect(areas.map(({ uids: _, ...area }) => area)).toEqual(want);
  });
});
