import { describe, expect, it } from 'vitest';
import { type Json, type JsonObject, keyOf } from '../../shared/kubernetes.ts';
import { maxChildren } from '../../shared/plan/observed/applied.ts';
import { readStatus } from '../../shared/plan/observed/recorded-status.ts';
import { withOwnStatus } from '../../shared/plan/status/finding.ts';
import { nextStatus, withoutStrays } from '../../shared/plan/status/status.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { nested } from '../properties/hostile-objects.ts';
import { casesOf } from '../support/cases.ts';
import { fooDeployment } from '../support/children.ts';
import { observeChild, observeResource } from '../support/observe.ts';
import { foo } from '../support/resources.ts';
import { team } from '../support/team.ts';

const ref = (name: string, kind = 'Deployment', apiVersion = 'apps/v1') => ({
  apiVersion,
  kind,
  name,
});
const { children, conditions } = foo().status as {
  readonly children: readonly object[];
  readonly conditions: readonly object[];
};
const { observedGeneration: _, ...withoutGeneration } = conditions[0] as JsonObject;
const record = '1528d116.1.aaaaaaaaaaaa.bbbbbbbbbb-_';
/** A status with records next to the children of the sample. */
const remembered = (lastApplied: unknown) => ({ children, lastApplied });
const repair = {
  child: 0,
  at: '2026-11-21T12:00:00Z',
  written: '2026-11-21T12:00:00Z',
  fields: ['spec.replicas'],
};
const many = Array.from({ length: maxChildren + 1 }, (_, at) => ref(`n-${at}`));

const at = {
  now: '2026-11-21T12:00:00Z',
  summary: { state: 'Ready' },
  desired: [{ ...observeChild(fooDeployment()), upToDate: true }],
  others: [],
  acted: true,
  applied: {},
} as const;

interface Case {
  readonly reason: string;
  readonly status: unknown;
  /** The field under test, as it is read. */
  readonly read?: object;
}

/** Values that no run writes, and that the first run overwrites. */
const strays: Record<string, Case> = {
  NoMap: { reason: 'the status is not a map, which a lax definition allows', status: 'x' },
  ChildrenNoList: { reason: 'children are not a list', status: { children: { 0: ref('a') } } },
  Unaddressable: {
    reason: 'a name of a child would change the path of the request',
    status: { children: ['..', '.', 'a/b', 'a%2Fb'].map((name) => ref(name)) },
    read: { children: [] },
  },
  LongName: {
    reason: "a name of a child is longer than any object's",
    status: { children: [ref('x'.repeat(254))] },
    read: { children: [] },
  },
  UnknownType: {
    reason: 'the kind does not own the type of a child',
    status: { children: [ref('x', 'Job', 'batch/v1')] },
    read: { children: [] },
  },
  WrongTypes: {
    reason: 'an entry is not a reference',
    status: {
      children: [
        null,
        'x',
        {},
        { ...ref('b'), more: {} },
        ...['apiVersion', 'kind', 'name'].map((field) => ({ ...ref('a'), [field]: 7 })),
      ],
    },
    read: { children: [] },
  },
  OtherKind: {
    reason: 'the type of a child is another one of the same group',
    status: { children: [ref('x', 'StatefulSet')] },
    read: { children: [] },
  },
  Namespaced: {
    reason: 'a child has a namespace, although it is in that of the resource',
    status: { children: [{ ...ref('x'), namespace: 'default' }] },
    read: { children: [] },
  },
  Twice: {
    reason: 'a child is listed twice',
    status: { children: [...children, ...children] },
    read: { children },
  },
  OtherVersion: {
    reason: "a child is listed in a version that is not the kind's",
    status: { children: children.map((one) => ({ ...one, apiVersion: 'apps/v1beta1' })) },
    read: { children },
  },
  OtherVersionTwice: {
    reason: 'a child is listed in two versions',
    status: { children: [...children, { ...children[0], apiVersion: 'apps/v1beta1' }] },
    read: { children },
  },
  OtherGroup: {
    reason: 'no kind owns it',
    status: {
      children: ['v1', 'extensions/v1', 'apps/v1/x', '/v1', 'apps/', ''].map((apiVersion) =>
        ref('x', 'Deployment', apiVersion),
      ),
    },
    read: { children: [] },
  },
  TooMany: {
    reason: 'the list is longer than the maximum',
    status: { children: many },
    read: { children: many.slice(0, maxChildren) },
  },
  Generation: {
    reason: 'the generation is not a number',
    status: { observedGeneration: '1' },
  },
  FractionalGeneration: {
    reason: 'the generation is a fraction',
    status: { observedGeneration: 1.5 },
  },
  ConditionsNoList: { reason: 'conditions are not a list', status: { conditions: nested(9_000) } },
  OwnConditionMalformed: {
    reason: 'a condition of our types is malformed',
    status: { conditions: [{ type: 'Ready', status: nested(9_000) }] },
    read: { conditions: [] },
  },
  OwnConditionTime: {
    reason: 'a time is invalid',
    status: { conditions: [{ ...conditions[0], lastTransitionTime: 'never' }] },
    read: { conditions: [] },
  },
  OwnConditionFields: {
    reason: 'a field of a condition has another type',
    status: {
      conditions: ['reason', 'message', 'observedGeneration', 'lastTransitionTime'].map(
        (field) => ({ ...conditions[0], [field]: field === 'observedGeneration' ? '1' : 1 }),
      ),
    },
    read: { conditions: [] },
  },
  OwnConditionTwice: {
    reason: 'a type of condition occurs twice',
    status: { conditions: [...conditions, ...conditions] },
    read: { conditions },
  },
  RecordsNoMap: { reason: 'the records are not a map', status: remembered('x') },
  RecordsWithoutList: { reason: 'the records are not a list', status: remembered({}) },
  RecordsTooMany: {
    reason: 'there are records without a list of children',
    status: remembered({ children: [record, record] }),
  },
  RecordsOfOtherChildren: {
    reason: 'the list of children was changed, so that a record may belong to another child',
    status: {
      children: [...children, ref('x', 'Job', 'batch/v1')],
      lastApplied: { children: [record] },
    },
    read: { children },
  },
  RecordsWithMore: {
    reason: 'a field is one that no run writes',
    status: remembered({ children: [record], theirs: 'x' }),
  },
  RecordsRead: {
    reason: 'a digest is too long',
    status: remembered({ children: [record], reads: 'x'.repeat(65) }),
  },
  RecordsTime: {
    reason: 'a time is invalid',
    status: remembered({ children: [record], comparedAt: 'never' }),
  },
  ...Object.fromEntries(
    Object.entries({
      RepairsNoList: { repairs: 'x' },
      RepairsTooMany: { repairs: Array(2001).fill(repair) },
      RepairOfNoChild: { repairs: [{ ...repair, child: 1 }] },
      RepairBeforeTheFirst: { repairs: [{ ...repair, child: -1 }] },
      RepairOfAFraction: { repairs: [{ ...repair, child: 0.5 }] },
      RepairWithoutTime: { repairs: [{ child: 0 }] },
      RepairWrittenNever: { repairs: [{ ...repair, written: 'never' }] },
      RepairOfManyFields: { repairs: [{ ...repair, fields: Array(17).fill('a') }] },
      RepairOfALongField: { repairs: [{ ...repair, fields: ['a'.repeat(257)] }] },
      RepairOfNoField: { repairs: [{ ...repair, fields: [1] }] },
      RepairNoMap: { repairs: [nested(9_000)] },
    }).map(([name, more]) => [
      name,
      { reason: 'no run writes it', status: remembered({ children: [record], ...more }) },
    ]),
  ),
};

describe('readStatus', () => {
  it.each(casesOf(strays))('C-8 the status is stray: %s', (_, { status, read }) => {
    const found = readStatus(status, fooKind, { holdsRecords: true });
    expect(found.hasStrays).toBe(true);
    expect(found.status).toMatchObject(read ?? {});
    expect(found.status).not.toHaveProperty('lastApplied');
    expect(found.applied).toEqual({});
  });

  it.each([
    ['nothing', undefined],
    ['a status that a run has written', foo().status],
    ['conditions of others in any form', { conditions: [...conditions, { type: 'x' }, 7] }],
    ['fields of others', { theirs: nested(9_000) }],
    ['a child with the longest name', { children: [ref('x'.repeat(253))] }],
    ['a condition without a generation', { conditions: [withoutGeneration] }],
    ['a record of each child', remembered({ children: [record], reads: 'x', comparedAt: at.now })],
    ['an empty record of a child', remembered({ children: [''] })],
    ['a repair', remembered({ children: [record], repairs: [repair, { child: 0, at: at.now }] })],
  ])('C-2 has no strays: %s', (_, status) => {
    expect(readStatus(status, fooKind, { holdsRecords: true }).hasStrays).toBe(false);
  });

  const job = ref('x', 'Job', 'batch/v1');
  const completed = ['c'];
  const records = { completed, reads: 'r', comparedAt: at.now };
  it.each([
    [
      'the version of a type has changed',
      children.map((one) => ({ ...one, apiVersion: 'apps/v1beta1' })),
      [record],
    ],
    ['the kind no longer owns a type', [job, ...children], ['other', record]],
  ])('C-5 the records of the other children stay if %s', (_, listed, all) => {
    const lastApplied = { children: all, ...records, repairs: [repair] };
    const found = readStatus({ children: listed, lastApplied }, fooKind, { holdsRecords: true });
    expect(found.hasStrays).toBe(true);
    expect(found.status).toMatchObject({
      children,
      lastApplied: { children: [record], ...records },
    });
    expect(found.applied).toEqual({ [keyOf(ref('foo-sample'))]: record });
  });

  it('reads a condition with a field that is nested more deeply than the stack allows', () => {
    const deep = [{ ...conditions[0], nested: nested(100_000) }];
    expect(readStatus({ conditions: deep }, fooKind, { holdsRecords: true })).toMatchObject({
      status: { conditions: [{ type: 'Ready' }] },
      hasStrays: false,
    });
  });

  it('returns the records by child', () => {
    const { applied, status } = readStatus(remembered({ children: [record] }), fooKind, {
      holdsRecords: true,
    });
    expect(status.lastApplied).toEqual({ children: [record] });
    expect(applied).toEqual({ [keyOf(ref('foo-sample'))]: record });
  });
});

describe('records that our managedFields entry does not hold', () => {
  it('are dropped, because anyone who may write the status could forge them', () => {
    const given = remembered({ children: [record], repairs: [repair] });
    expect(readStatus(given, fooKind, { holdsRecords: false })).toEqual({
      status: { children },
      applied: {},
      hasStrays: true,
    });
    const { hasStrays } = readStatus({ children }, fooKind, { holdsRecords: false });
    expect(hasStrays).toBe(false);
  });
});

describe('readStatus of a cluster-scoped kind', () => {
  const settings = ref('a', 'ConfigMap', 'v1');
  const role = ref('a', 'ClusterRole', 'rbac.authorization.k8s.io/v1');
  it.each([
    ['keeps a child in a namespace', { ...settings, namespace: 'team-a' }, true],
    ['keeps a cluster-scoped child', role, true],
    ['drops a child without its namespace', settings, false],
    ['drops a cluster-scoped child in a namespace', { ...role, namespace: 'team-a' }, false],
    ['drops an illegal namespace', { ...settings, namespace: '../x' }, false],
    ['drops a namespace that is no string', { ...settings, namespace: 7 }, false],
  ])('C-8 %s', (_, child, want) => {
    const { status, hasStrays } = readStatus({ children: [child] }, team, { holdsRecords: true });
    expect(status.children).toEqual(want ? [child] : []);
    expect(hasStrays).toBe(!want);
  });
});

describe('readStatus of a kind with conditions of its own', () => {
  const kind = { ...fooKind, conditions: ['Reachable'] };
  const reachable = { ...conditions[0], type: 'Reachable' };
  const own: Record<string, { reason: string; given: Json; want: object }> = {
    Declared: {
      reason: 'conditions of the kind and the engine are kept, and others are dropped',
      given: [...conditions, reachable, { type: 'Theirs' }] as Json,
      want: {
        status: { conditions: [...conditions, reachable] },
        applied: {},
        hasStrays: false,
      },
    },
    Malformed: {
      reason: 'a condition that no run writes is stray',
      given: [...conditions, { ...reachable, status: 'true' }] as Json,
      want: { status: { conditions }, applied: {}, hasStrays: true },
    },
    Twice: {
      reason: 'a type of condition occurs twice',
      given: [reachable, reachable] as Json,
      want: { status: { conditions: [reachable] }, applied: {}, hasStrays: true },
    },
  };
  it.each(casesOf(own))('C-8 %s', (_, { given, want }) => {
    expect(readStatus({ conditions: given }, kind, { holdsRecords: true })).toEqual(want);
  });
});

describe('nextStatus', () => {
  const next = (status: unknown) => {
    const resource = observeResource({ ...foo(), status: status as Json });
    const own = withOwnStatus({ kind: fooKind, resource, reads: new Map() }, at);
    return nextStatus(fooKind, resource, { now: at.now, found: own })?.children;
  };

  it.each(Object.entries(strays))('C-8 is overwritten by the first run: %s', (_, { status }) => {
    const before = typeof status === 'object' ? { ...foo().status, ...status } : status;
    expect(next(before)).toEqual(children);
  });

  it.each([
    ['with another value', 7],
    ['with another type', 'x'],
    ['that is nested without end', nested(9_000)],
  ])('D-7 corrects a declared field %s', (_, availableReplicas) => {
    expect(next({ ...foo().status, availableReplicas })).toEqual(children);
  });

  it('C-2 ignores an undeclared field', () => {
    expect(next({ ...foo().status, theirs: nested(9_000) })).toBe(undefined);
  });

  it('C-8 lists at most as many children as the definition allows', () => {
    const others = many.map(({ name }) => observeChild(fooDeployment({ metadata: { name } })));
    const status = nextStatus(fooKind, observeResource(foo()), {
      now: at.now,
      found: { ...at, others },
    });
    expect(status?.children).toHaveLength(maxChildren);
    expect(status?.children?.[0]).toEqual(children[0]);
  });
});

describe('withoutStrays', () => {
  it('D-7 removes declared fields that are not desired, and no others', () => {
    const lastApplied = { children: [record] };
    const live = { availableReplicas: 3, observedGeneration: 7, theirs: 1, children, lastApplied };
    expect(withoutStrays(fooKind, live, { children: [] })).toEqual([
      { op: 'remove', path: '/status/observedGeneration' },
      { op: 'remove', path: '/status/lastApplied' },
      { op: 'remove', path: '/status/availableReplicas' },
    ]);
    expect(withoutStrays(fooKind, 'x', {})).toEqual([]);
  });
});
