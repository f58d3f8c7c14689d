import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../shared/audit/record.ts';
import { type Route, routeOf } from '../../shared/audit/route.ts';
import { kinds } from './samples.ts';

const foo: AuditRecord = {
  group: 'example.com',
  version: 'v1alpha1',
  plural: 'foos',
  verb: 'patch',
  user: 'jane@example.com',
  failed: false,
  dryRun: false,
};
const inDefault = { namespace: 'default', name: 'x' };
const deployment = { group: 'apps', version: 'v1', plural: 'deployments' };
const type = { ...deployment, kind: 'Deployment' };
const fooType = { group: 'example.com', version: 'v1alpha1', kind: 'Foo', plural: 'foos' };

const cases: Record<string, { reason: string; given: Partial<AuditRecord>; want: Route }> = {
  Resource: {
    reason: 'exactly that one',
    given: inDefault,
    want: { requests: [{ kind: 'foos.example.com', ...inDefault }] },
  },
  ResourceWithoutName: {
    reason: 'deletecollection, generateName',
    given: { namespace: 'default' },
    want: { requests: [{ kind: 'foos.example.com', namespace: 'default' }] },
  },
  ResourceAnywhere: {
    reason: 'not even a namespace',
    given: {},
    want: { requests: [{ kind: 'foos.example.com' }] },
  },
  Child: {
    reason: 'the owner is on the child, not in the entry',
    given: { ...deployment, ...inDefault },
    want: { requests: [], child: { type, ...inDefault } },
  },
  ChildOfOtherVersion: {
    reason: 'is read in the version the kinds use',
    given: { ...deployment, version: 'v1beta1', ...inDefault },
    want: { requests: [], child: { type, ...inDefault } },
  },
  ChildScaled: {
    reason: 'a subresource leads to its child',
    given: { ...deployment, subresource: 'scale', ...inDefault },
    want: { requests: [], child: { type, ...inDefault } },
  },
  ChildWithoutName: {
    reason: 'every kind that owns such children',
    given: { ...deployment, namespace: 'default' },
    want: {
      requests: [
        { kind: 'foos.example.com', namespace: 'default' },
        { kind: 'websites.my.domain', namespace: 'default' },
      ],
    },
  },
  OneOwner: {
    reason: 'only the kinds that own such children',
    given: { group: '', version: 'v1', plural: 'services', namespace: 'default' },
    want: { requests: [{ kind: 'websites.my.domain', namespace: 'default' }] },
  },
  NameWithoutNamespace: {
    reason: 'a name alone identifies no resource',
    given: { name: 'x' },
    want: { requests: [{ kind: 'foos.example.com' }] },
  },
  OtherGroup: {
    reason: 'F-8: the plural alone does not make it a child',
    given: { ...deployment, group: 'example.org', ...inDefault },
    want: { dropped: 'another type' },
  },
  NobodysChild: {
    reason: 'no kind owns Pods',
    given: { group: '', version: 'v1', plural: 'pods', ...inDefault },
    want: { dropped: 'another type' },
  },
  IllegalName: {
    reason: 'a name that would broaden a selector',
    given: { namespace: 'default', name: 'x,metadata.namespace=other' },
    want: {
      dropped: 'name must be a DNS subdomain such as foo-sample, not "x,metadata.namespace=other"',
    },
  },
};

/** A kind that owns resources of another one. */
const garden = {
  group: 'example.org',
  kind: 'Garden',
  plural: 'gardens',
  owns: [fooType],
  refersTo: [],
};

const nested: typeof cases = {
  Both: {
    reason: 'the written resource has its own children, and its owner wants it as it was',
    given: inDefault,
    want: {
      requests: [{ kind: 'foos.example.com', ...inDefault }],
      child: { type: fooType, ...inDefault },
    },
  },
  BothWithoutName: {
    reason: 'each of both kinds',
    given: { namespace: 'default' },
    want: {
      requests: [
        { kind: 'foos.example.com', namespace: 'default' },
        { kind: 'gardens.example.org', namespace: 'default' },
      ],
    },
  },
};

describe('routeOf, where one kind owns resources of another', () => {
  it.each(Object.entries(nested))('%s', (_, { reason, given, want }) => {
    expect(routeOf({ ...foo, ...given }, [...kinds, garden]), reason).toEqual(want);
  });
});

describe('routeOf', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
    expect(routeOf({ ...foo, ...given }, kinds), reason).toEqual(want);
  });
});

/** A kind whose resources refer to resources of another one, which has children of its own. */
const reader = {
  group: 'example.org',
  kind: 'Reader',
  plural: 'readers',
  owns: [fooType],
  refersTo: [fooType],
};

describe('routeOf, where resources refer to other objects', () => {
  const written = { type: fooType, ...inDefault };

  it('leads to the resource itself, its owner and its readers', () => {
    expect(routeOf({ ...foo, ...inDefault }, [...kinds, reader])).toEqual({
      requests: [{ kind: 'foos.example.com', ...inDefault }],
      child: written,
      referred: written,
    });
  });

  it('leads to its readers alone, where only these are concerned', () => {
    const alone = routeOf({ ...foo, ...inDefault }, [...kinds, reader], { readersOnly: true });
    expect(alone).toEqual({ requests: [], referred: written });
  });

  it('leads to all readers in the namespace, where no name is given', () => {
    const { name: _, ...nameless } = foo;
    const given = { ...nameless, namespace: 'default' };
    expect(routeOf(given, [{ ...reader, owns: [] }])).toEqual({
      requests: [{ kind: 'readers.example.org', namespace: 'default' }],
    });
  });
});

describe('a cluster-scoped kind', () => {
  const core = { group: '', version: 'v1' };
  const namespaces = {
    ...core,
    kind: 'Namespace',
    plural: 'namespaces',
    scope: 'Cluster' as const,
  };
  const configMaps = { ...core, kind: 'ConfigMap', plural: 'configmaps' };
  const team = {
    group: 'example.org',
    plural: 'teams',
    kind: 'Team',
    scope: 'Cluster' as const,
    owns: [namespaces, configMaps],
    refersTo: [],
  };
  const entry = { verb: 'patch', user: 'jane', failed: false, dryRun: false };
  const written = (type: object, more: object) => ({ ...entry, ...type, ...more }) as AuditRecord;
  const requests = [{ kind: 'teams.example.org' }];

  it.each([
    [
      'a resource',
      written({ ...team, version: 'v1' }, { name: 'red' }),
      [{ ...requests[0], name: 'red' }],
    ],
    ['all of them', written({ ...team, version: 'v1' }, {}), requests],
    ['children without names', written(configMaps, { namespace: 'a' }), requests],
  ])('is routed: %s', (_, record, want) => {
    expect(routeOf(record, [team])).toEqual({ requests: want });
  });

  it.each([
    ['in a namespace', configMaps, { namespace: 'a', name: 'x' }, { namespace: 'a', name: 'x' }],
    // The entry has the name of the Namespace in both places.
    ['a Namespace', namespaces, { namespace: 'a', name: 'a' }, { namespace: '', name: 'a' }],
  ])('is found by its child: %s', (_, type, given, want) => {
    const child = { type, ...want };
    expect(routeOf(written(type, given), [team])).toEqual({ requests: [], child });
  });
});
