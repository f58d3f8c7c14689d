import { describe, expect, it } from 'vitest';
import type { AuditedKind } from '../../shared/audit/filter.ts';
import type { AuditRecord } from '../../shared/audit/record.ts';
import { type Route, routeOf } from '../../shared/audit/route.ts';
import { casesOf } from '../support/cases.ts';
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
const routed = (record: AuditRecord, kinds: readonly AuditedKind[]): Route =>
  routeOf(record, { ownIdentity: [], kinds });
const inDefault = { namespace: 'default', name: 'x' };
const deployment = { group: 'apps', version: 'v1', plural: 'deployments' };
const type = { ...deployment, kind: 'Deployment' };
const fooType = { group: 'example.com', version: 'v1alpha1', kind: 'Foo', plural: 'foos' };

const cases: Record<string, { reason: string; given: Partial<AuditRecord>; want: Route }> = {
  Resource: {
    reason: 'the entry names the resource',
    given: inDefault,
    want: { requests: [{ kind: 'foos.example.com', ...inDefault }] },
  },
  ResourceWithoutName: {
    reason: 'deletecollection and generateName have no name',
    given: { namespace: 'default' },
    want: { requests: [{ kind: 'foos.example.com', namespace: 'default' }] },
  },
  ResourceAnywhere: {
    reason: 'an entry without a namespace may concern all namespaces',
    given: {},
    want: { requests: [{ kind: 'foos.example.com' }] },
  },
  Child: {
    reason: 'an entry does not name the owner, so the child is read',
    given: { ...deployment, ...inDefault },
    want: { requests: [], child: { type, ...inDefault } },
  },
  ChildOfOtherVersion: {
    reason: 'the child is read in the version that the kinds use',
    given: { ...deployment, version: 'v1beta1', ...inDefault },
    want: { requests: [], child: { type, ...inDefault } },
  },
  ChildScaled: {
    reason: 'a write of a subresource concerns its child',
    given: { ...deployment, subresource: 'scale', ...inDefault },
    want: { requests: [], child: { type, ...inDefault } },
  },
  ChildWithoutName: {
    reason: 'without a name, every kind that owns the type is reconciled',
    given: { ...deployment, namespace: 'default' },
    want: {
      requests: [
        { kind: 'foos.example.com', namespace: 'default' },
        { kind: 'websites.my.domain', namespace: 'default' },
      ],
    },
  },
  OneOwner: {
    reason: 'kinds that do not own the type are omitted',
    given: { group: '', version: 'v1', plural: 'services', namespace: 'default' },
    want: { requests: [{ kind: 'websites.my.domain', namespace: 'default' }] },
  },
  NameWithoutNamespace: {
    reason: 'a name without a type identifies no resource',
    given: { name: 'x' },
    want: { requests: [{ kind: 'foos.example.com' }] },
  },
  OtherGroup: {
    reason: 'F-8: the same plural in another group is no child',
    given: { ...deployment, group: 'example.org', ...inDefault },
    want: { dropped: 'another type' },
  },
  NobodysChild: {
    reason: 'no kind owns Pods',
    given: { group: '', version: 'v1', plural: 'pods', ...inDefault },
    want: { dropped: 'another type' },
  },
  IllegalName: {
    reason: 'an illegal name, which could widen a selector, is dropped',
    given: { namespace: 'default', name: 'x,metadata.namespace=other' },
    want: {
      dropped: 'name must be a DNS subdomain such as foo-sample, not "x,metadata.namespace=other"',
    },
  },
};

/** A kind that owns resources of another kind. */
const garden = {
  group: 'example.org',
  kind: 'Garden',
  plural: 'gardens',
  owns: [fooType],
  refersTo: [],
};

const nested: typeof cases = {
  Both: {
    reason: 'both the resource and its owner are reconciled, which may revert the write',
    given: inDefault,
    want: {
      requests: [{ kind: 'foos.example.com', ...inDefault }],
      child: { type: fooType, ...inDefault },
    },
  },
  BothWithoutName: {
    reason: 'without a name, all resources of both kinds are reconciled',
    given: { namespace: 'default' },
    want: {
      requests: [
        { kind: 'foos.example.com', namespace: 'default' },
        { kind: 'gardens.example.org', namespace: 'default' },
      ],
    },
  },
};

describe('routeOf with a kind that owns resources of another kind', () => {
  it.each(casesOf(nested))('%s', (_, { given, want }) => {
    expect(routed({ ...foo, ...given }, [...kinds, garden])).toEqual(want);
  });
});

describe('routeOf', () => {
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    expect(routed({ ...foo, ...given }, kinds)).toEqual(want);
  });
});

/** A kind whose resources refer to Foos, which is a configured kind as well. */
const reader = {
  group: 'example.org',
  kind: 'Reader',
  plural: 'readers',
  owns: [fooType],
  refersTo: [fooType],
};

describe('routeOf with a kind that refers to other objects', () => {
  const written = { type: fooType, ...inDefault };

  it('selects the resource itself, its owner, and the resources that refer to it', () => {
    expect(routed({ ...foo, ...inDefault }, [...kinds, reader])).toEqual({
      requests: [{ kind: 'foos.example.com', ...inDefault }],
      child: written,
      referred: written,
    });
  });

  it('selects only the resources that refer to the object if its status was written', () => {
    const given = { ...foo, ...inDefault, subresource: 'status' };
    const alone = routed(given, [...kinds, reader]);
    expect(alone).toEqual({ requests: [], referred: written });
  });

  it('selects all resources of the namespace that may refer to the object if the entry has no name', () => {
    const { name: _, ...nameless } = foo;
    const given = { ...nameless, namespace: 'default' };
    expect(routed(given, [{ ...reader, owns: [] }])).toEqual({
      requests: [{ kind: 'readers.example.org', namespace: 'default' }],
    });
  });
});

describe('routeOf with a cluster-scoped kind', () => {
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
    ['all resources', written({ ...team, version: 'v1' }, {}), requests],
    ['children without names', written(configMaps, { namespace: 'a' }), requests],
  ])('routes an entry about %s', (_, record, want) => {
    expect(routed(record, [team])).toEqual({ requests: want });
  });

  it.each([
    ['in a namespace', configMaps, { namespace: 'a', name: 'x' }, { namespace: 'a', name: 'x' }],
    // An audit entry about a Namespace has its name as the namespace, too.
    [
      'that is a Namespace',
      namespaces,
      { namespace: 'a', name: 'a' },
      { namespace: '', name: 'a' },
    ],
  ])('finds the resource through a child %s', (_, type, given, want) => {
    const child = { type, ...want };
    expect(routed(written(type, given), [team])).toEqual({ requests: [], child });
  });
});
