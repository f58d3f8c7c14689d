import { describe, expect, it } from 'vitest';
import type { Kind } from '../../shared/kinds/kind.ts';
import { type JsonObject, type KubeObject, keyOf } from '../../shared/kubernetes.ts';
import { type LastApplied, recordText } from '../../shared/plan/observed/applied.ts';
import type { Condition } from '../../shared/plan/observed/conditions.ts';
import * as engine from '../../shared/plan/observed/observed-resource.ts';
import type { ResourceStatus } from '../../shared/plan/observed/recorded-status.ts';
import type { Finding } from '../../shared/plan/status/finding.ts';
import { withOwnStatus } from '../../shared/plan/status/finding.ts';
import { nextStatus, withoutStrays } from '../../shared/plan/status/status.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { nested } from '../properties/hostile-objects.ts';
import { casesOf } from '../support/cases.ts';
import { fooDeployment } from '../support/children.ts';
import { identity, observeChild, observeResource } from '../support/observe.ts';
import { foo } from '../support/resources.ts';

const now = '2026-11-21T12:00:00Z';
const before = '2026-11-21T10:38:35Z';
const child = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'foo-sample' };
const old = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'old' };
const found: Finding = {
  summary: { state: 'Ready' },
  desired: [{ ...observeChild(fooDeployment()), upToDate: true }],
  others: [],
  acted: true,
  applied: {},
};
interface ConditionText {
  readonly reason: string;
  readonly message: string;
}

const condition = (
  type: string,
  status: Condition['status'],
  { reason, message }: ConditionText,
  { time = now, generation = 1 } = {},
): Condition => ({
  type,
  status,
  reason,
  message,
  observedGeneration: generation,
  lastTransitionTime: time,
});
/** A record of the child, and a status with this record and the time of the last comparison. */
const record = { uid: '1528d116', generation: 1, desired: 'aaaaaaaaaaaa', stored: 'bbbbbbbbbb-_' };
const withRecord = { applied: { [keyOf(child)]: recordText(record) } };
const remembered = (more: Partial<LastApplied> = {}): { readonly lastApplied: LastApplied } => ({
  lastApplied: { children: [recordText(record)], comparedAt: before, ...more },
});
/** The time of the last write of the child in its managedFields. */
const wasWritten = observeChild(fooDeployment()).ours?.time as string;
const recent = { child: 0, at: '2026-11-21T11:59:30Z', fields: ['spec.paused'] };
const steady = { availableReplicas: 1, observedGeneration: 1, children: [child] };
const ready = { reason: 'Ready', message: 'all children are up to date and ready' };
const blocked = { reason: 'ErrResourceExists', message: 'it exists' };
const paused = {
  reason: 'Suspended',
  message: 'nothing is written until the annotation serverless-reconciler/suspend is removed',
};
const foreign = condition(
  'Synced',
  'True',
  { reason: 'Synced', message: 'by argocd' },
  { time: before },
);

interface Case {
  readonly reason: string;
  readonly resource: KubeObject;
  readonly finding: Partial<Finding> | { readonly suspended: true };
  readonly want: ResourceStatus | undefined;
}

const cases: Record<string, Case> = {
  'C-8 First': {
    reason: 'has the generation, children and Ready of the engine, and the fields of the kind',
    resource: foo({ status: undefined }),
    finding: {},
    want: {
      ...steady,
      conditions: [condition('Ready', 'True', ready)],
    },
  },
  'C-8 OnlyTime': {
    reason: 'is not written if only a time would change',
    resource: foo(),
    finding: {},
    want: undefined,
  },
  'F-4 Available': {
    reason: 'is written if a number of the kind changes',
    resource: foo({ status: { availableReplicas: 0 } }),
    finding: {},
    want: {
      ...steady,
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  'C-8 NewGeneration': {
    reason: 'observes a generation that needed no write, without a transition',
    resource: foo({ metadata: { generation: 2 } }),
    finding: {},
    want: {
      availableReplicas: 1,
      observedGeneration: 2,
      children: [child],
      conditions: [condition('Ready', 'True', ready, { time: before, generation: 2 })],
    },
  },
  'C-8 Stalled': {
    reason: 'has the condition Stalled while it is true',
    resource: foo(),
    finding: { summary: { state: 'Stalled', ...blocked }, desired: [] },
    want: {
      availableReplicas: 0,
      observedGeneration: 1,
      children: [],
      conditions: [condition('Ready', 'False', blocked), condition('Stalled', 'True', blocked)],
    },
  },
  'C-8 Healed': {
    reason: 'removes the condition Stalled when it ends',
    resource: foo({
      status: {
        conditions: [
          condition('Ready', 'False', blocked, { time: before }),
          condition('Stalled', 'True', blocked, { time: before }),
        ],
      },
    }),
    finding: {},
    want: {
      ...steady,
      conditions: [condition('Ready', 'True', ready)],
    },
  },
  'C-8 NotActed': {
    reason: 'does not observe a generation during a transient failure',
    resource: foo({ metadata: { generation: 2 } }),
    finding: { summary: { state: 'Reconciling', ...blocked }, acted: false },
    want: {
      ...steady,
      conditions: [
        condition('Ready', 'False', blocked, { generation: 2 }),
        condition('Reconciling', 'True', blocked, { generation: 2 }),
      ],
    },
  },
  'C-8 NeverActed': {
    reason: 'does not observe the first generation during a transient failure, either',
    resource: foo({ status: undefined }),
    finding: { summary: { state: 'Reconciling', ...blocked }, desired: [], acted: false },
    want: {
      availableReplicas: 0,
      children: [],
      conditions: [condition('Ready', 'False', blocked), condition('Reconciling', 'True', blocked)],
    },
  },
  'C-5 Leftover': {
    reason: 'keeps listing a child that is still to be pruned',
    resource: foo(),
    finding: {
      others: [observeChild(fooDeployment({ metadata: { name: 'old' } }))],
    },
    want: {
      availableReplicas: 1,
      observedGeneration: 1,
      children: [child, old],
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  'C-5 Unseen': {
    reason: 'keeps listing a child that was not read',
    resource: foo(),
    finding: { others: [old] },
    want: {
      availableReplicas: 1,
      observedGeneration: 1,
      children: [child, old],
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  'C-8 TooManyChildren': {
    reason: 'lists as many children as the schema allows',
    resource: foo(),
    finding: { others: Array.from({ length: 2100 }, (_, at) => ({ ...old, name: `old-${at}` })) },
    want: {
      availableReplicas: 1,
      observedGeneration: 1,
      children: [
        child,
        ...Array.from({ length: 1999 }, (_, at) => ({ ...old, name: `old-${at}` })),
      ],
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  'C-8 OtherMessage': {
    reason: 'is written if only the conditions change',
    resource: foo({
      status: {
        conditions: [
          condition('Ready', 'False', blocked, { time: before }),
          condition('Stalled', 'True', blocked, { time: before }),
        ],
      },
    }),
    finding: { summary: { state: 'Stalled', ...blocked, message: 'that exists' } },
    want: {
      ...steady,
      conditions: [
        condition('Ready', 'False', { ...blocked, message: 'that exists' }, { time: before }),
        condition('Stalled', 'True', { ...blocked, message: 'that exists' }, { time: before }),
      ],
    },
  },
  'C-8 NoChildren': {
    reason: 'treats a missing list of children as empty',
    resource: foo({ status: { availableReplicas: 0, children: undefined } }),
    finding: { desired: [] },
    want: undefined,
  },
  'C-2 Recorded': {
    reason: 'is not written if the records are unchanged',
    resource: foo({ status: remembered() }),
    finding: withRecord,
    want: undefined,
  },
  FirstRecord: {
    reason: 'records a child that is up to date, as if compared at some time of the previous day',
    resource: foo(),
    finding: withRecord,
    want: {
      ...steady,
      ...remembered({ comparedAt: '2026-11-20T20:14:34Z' }),
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  OtherRecord: {
    reason: 'records a child that was applied again',
    resource: foo({ status: remembered({ children: ['1528d116.1.cccccccccccc.bbbbbbbbbb-_'] }) }),
    finding: withRecord,
    want: {
      ...steady,
      ...remembered(),
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  RecordOfLeftover: {
    reason: 'has a record, or an empty string, for each listed child',
    resource: foo({ status: remembered() }),
    finding: { ...withRecord, others: [old] },
    want: {
      ...steady,
      children: [child, old],
      ...remembered({ children: [recordText(record), ''] }),
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  ActedOnReads: {
    reason: 'writes the digest of the referenced objects together with another record',
    resource: foo({ status: remembered({ children: [''], reads: 'older' }) }),
    finding: { ...withRecord, inputs: { reads: 'newer' } },
    want: {
      ...steady,
      ...remembered({ reads: 'newer' }),
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  NextTime: {
    reason: 'writes the next time that the kind asked about, even if nothing else has changed',
    resource: foo({ status: remembered({ children: [''], until: '2026-01-01T00:00:00.000Z' }) }),
    finding: { ...withRecord, inputs: { until: '2026-01-02T00:00:00.000Z' } },
    want: {
      ...steady,
      ...remembered({ until: '2026-01-02T00:00:00.000Z' }),
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  NoNextTime: {
    reason: 'forgets a time once the kind asks about none',
    resource: foo({ status: remembered({ children: [''], until: '2026-01-01T00:00:00.000Z' }) }),
    finding: { ...withRecord, inputs: {} },
    want: {
      ...steady,
      ...remembered(),
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  NotActedOnTime: {
    reason: 'keeps the time until the run is complete',
    resource: foo({ status: remembered({ children: [''], until: '2026-01-01T00:00:00.000Z' }) }),
    finding: { ...withRecord, summary: { state: 'Reconciling', ...blocked }, acted: false },
    want: {
      ...steady,
      ...remembered({ until: '2026-01-01T00:00:00.000Z' }),
      conditions: [condition('Ready', 'False', blocked), condition('Reconciling', 'True', blocked)],
    },
  },
  NotActedOnReads: {
    reason: 'keeps the digest of the referenced objects until the run is complete',
    resource: foo({ status: remembered({ children: [''], reads: 'older' }) }),
    finding: {
      ...withRecord,
      summary: { state: 'Reconciling', ...blocked },
      acted: false,
    },
    want: {
      ...steady,
      ...remembered({ reads: 'older' }),
      conditions: [condition('Ready', 'False', blocked), condition('Reconciling', 'True', blocked)],
    },
  },
  'law 12 Repaired': {
    reason: 'records a repair with the time of both clocks, so that the next run detects a fight',
    resource: foo({ status: remembered() }),
    finding: { ...withRecord, repairs: new Map([[keyOf(child), ['spec.replicas']]]) },
    want: {
      ...steady,
      ...remembered({
        repairs: [{ child: 0, at: now, written: wasWritten, fields: ['spec.replicas'] }],
      }),
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  'law 12 CreatedAgain': {
    reason: 'records a recreation as a repair without fields, and keeps recent repairs',
    resource: foo({ status: remembered({ repairs: [recent] }) }),
    finding: { ...withRecord, repairs: new Map([[keyOf(child), undefined]]) },
    want: {
      ...steady,
      ...remembered({ repairs: [{ child: 0, at: now, written: wasWritten }, recent] }),
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  'law 12 OutdatedRepairs': {
    reason: 'is not written only to drop outdated repairs',
    resource: foo({ status: remembered({ repairs: [{ ...recent, at: before }] }) }),
    finding: withRecord,
    want: undefined,
  },
  'law 12 RepairedLater': {
    reason: 'drops outdated repairs with the next one',
    resource: foo({ status: remembered({ repairs: [{ ...recent, at: before }] }) }),
    finding: { ...withRecord, repairs: new Map([[keyOf(child), ['spec.replicas']]]) },
    want: {
      ...steady,
      ...remembered({
        repairs: [{ child: 0, at: now, written: wasWritten, fields: ['spec.replicas'] }],
      }),
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  'C-14 SuspendedWithRecords': {
    reason: 'keeps the records of a suspended resource',
    resource: foo({ status: remembered() }),
    finding: { suspended: true },
    want: {
      ...steady,
      ...remembered(),
      conditions: [
        condition('Ready', 'True', ready, { time: before }),
        condition('Suspended', 'True', paused),
      ],
    },
  },
  'C-14 ReadyMissing': {
    reason: 'has the condition Ready for a suspended resource',
    resource: foo({
      status: { conditions: [condition('Reconciling', 'True', blocked, { time: before })] },
    }),
    finding: { suspended: true },
    want: {
      ...steady,
      conditions: [
        condition('Reconciling', 'True', blocked, { time: before }),
        condition('Ready', 'Unknown', paused),
        condition('Suspended', 'True', paused),
      ],
    },
  },
  'C-8 Strays': {
    reason: 'replaces values that no run writes, although nothing else changed',
    resource: foo({ status: { children: [child, { ...child, extra: 'x' }] } }),
    finding: {},
    want: {
      ...steady,
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  'C-8 DeepField': {
    reason: 'corrects a field of the kind that others have nested deeply',
    resource: foo({ status: { availableReplicas: nested(40) as never } }),
    finding: {},
    want: {
      ...steady,
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  'C-14 SuspendedDeepField': {
    reason: 'does not copy a field that others have nested deeply',
    resource: foo({ status: { availableReplicas: nested(40) as never } }),
    finding: { suspended: true },
    want: {
      observedGeneration: 1,
      children: [child],
      conditions: [
        condition('Ready', 'True', ready, { time: before }),
        condition('Suspended', 'True', paused),
      ],
    },
  },
  'C-14 SuspendedFromTheFirst': {
    reason: 'has only conditions for a resource that is not planned',
    resource: foo({ status: undefined }),
    finding: { suspended: true },
    want: {
      conditions: [condition('Ready', 'Unknown', paused), condition('Suspended', 'True', paused)],
    },
  },
  'C-2 ForeignCondition': {
    reason: 'a condition of another writer causes no write',
    resource: foo({
      status: { conditions: [foreign, ...(foo().status.conditions as JsonObject[])] },
    }),
    finding: {},
    want: undefined,
  },
  'C-14 Suspended': {
    reason: 'adds only the condition Suspended',
    resource: foo({ metadata: { generation: 2 } }),
    finding: { suspended: true },
    want: {
      ...steady,
      conditions: [
        condition('Ready', 'True', ready, { time: before }),
        condition('Suspended', 'True', paused, { generation: 2 }),
      ],
    },
  },
  'C-14 StillSuspended': {
    reason: 'writes the condition Suspended once',
    resource: foo({
      status: {
        conditions: [
          condition('Ready', 'True', ready, { time: before }),
          condition('Suspended', 'True', paused, { time: before }),
        ],
      },
    }),
    finding: { suspended: true },
    want: undefined,
  },
  'C-14 ForeignCondition': {
    reason: 'does not take over conditions of others',
    resource: foo({ status: { conditions: [foreign] } }),
    finding: { suspended: true },
    want: {
      ...steady,
      conditions: [condition('Ready', 'Unknown', paused), condition('Suspended', 'True', paused)],
    },
  },
  'C-14 TakenUpAgain': {
    reason: 'removes the condition Suspended without a transition of Ready',
    resource: foo({
      status: {
        conditions: [
          condition('Ready', 'True', ready, { time: before }),
          condition('Suspended', 'True', paused, { time: before }),
        ],
      },
    }),
    finding: {},
    want: {
      ...steady,
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
};

/** Returns the status for a finding, with the part that the kind adds. */
function statusFor(
  world: { readonly kind: Kind; readonly resource: engine.ObservedResource },
  finding: Case['finding'],
  time = now,
): ResourceStatus | undefined {
  const own =
    'suspended' in finding
      ? undefined
      : withOwnStatus({ ...world, reads: new Map() }, { ...found, ...finding });
  return nextStatus(world.kind, world.resource, { now: time, found: own });
}

describe('nextStatus', () => {
  it.each(casesOf(cases))('%s', (_, { resource, finding, want }) => {
    const world = { kind: fooKind, resource: observeResource(resource) };
    expect(statusFor(world, finding)).toEqual(want);
  });

  it.each(Object.entries(cases).filter(([, { want }]) => want !== undefined))(
    'C-2 is not written twice: %s',
    (_, { resource, finding, want }) => {
      const again = 'suspended' in finding ? finding : { ...finding, repairs: new Map() };
      const world = { kind: fooKind, resource: observeResource({ ...resource, status: want }) };
      expect(statusFor(world, again, '2026-11-21T13:00:00Z')).toBe(undefined);
    },
  );
});

describe('the status of a kind with conditions of its own', () => {
  const own = { reason: 'Answers', message: 'the port is open' };
  const kind: Kind = {
    ...fooKind,
    conditions: ['Reachable', 'Seeded'],
    ownStatus: (found) => ({
      ...fooKind.ownStatus(found),
      conditions: found.children.map(() => ({
        type: 'Reachable',
        status: found.state === 'Ready' ? 'True' : 'False',
        ...own,
      })),
    }),
  };
  const next = (live: KubeObject, finding: Case['finding']) => {
    const resource = engine.observeResource(kind, live, { identity });
    return statusFor({ kind, resource }, finding)?.conditions;
  };
  const was = (type: string, status: Condition['status'], text: ConditionText) =>
    condition(type, status, text, { time: before });
  const live = (...conditions: readonly Condition[]) => foo({ status: { conditions } });

  const changes: Record<string, Omit<Case, 'want'> & { readonly want: Condition[] | undefined }> = {
    First: {
      reason: 'adds the generation and a time to a condition of the kind',
      resource: foo(),
      finding: {},
      want: [was('Ready', 'True', ready), condition('Reachable', 'True', own)],
    },
    Same: {
      reason: 'ignores the order of the conditions, and conditions of others',
      resource: live(was('Reachable', 'True', own), foreign, was('Ready', 'True', ready)),
      finding: {},
      want: undefined,
    },
    Transition: {
      reason: 'changes only the time of the condition that changed',
      resource: live(was('Ready', 'True', ready), was('Reachable', 'False', own)),
      finding: {},
      want: [was('Ready', 'True', ready), condition('Reachable', 'True', own)],
    },
    OtherMessage: {
      reason: 'keeps the time if only the message changes',
      resource: live(was('Ready', 'True', ready), was('Reachable', 'True', blocked)),
      finding: {},
      want: [was('Ready', 'True', ready), was('Reachable', 'True', own)],
    },
    NotReturned: {
      reason: 'removes a condition that the kind does not return',
      resource: live(was('Ready', 'True', ready), was('Reachable', 'True', own)),
      finding: { desired: [] },
      want: [was('Ready', 'True', ready)],
    },
    Suspended: {
      reason: 'keeps a condition while no child was read',
      resource: live(was('Ready', 'True', ready), was('Reachable', 'True', own)),
      finding: { suspended: true },
      want: [
        was('Ready', 'True', ready),
        was('Reachable', 'True', own),
        condition('Suspended', 'True', paused),
      ],
    },
  };
  it.each(casesOf(changes))('C-8 %s', (_, { resource, finding, want }) => {
    expect(next(resource, finding)).toEqual(want);
  });

  it('C-8 removes a condition of the kind even if others hold it, too, and keeps theirs', () => {
    const status = { conditions: [was('Seeded', 'True', own), foreign] };
    expect(withoutStrays(kind, status, { conditions: [] })).toEqual([
      { op: 'remove', path: '/status/conditions/0' },
    ]);
    expect(withoutStrays(fooKind, status, { conditions: [] })).toEqual([]);
  });
});

describe('withoutStrays', () => {
  it('C-8 removes duplicate conditions of our types, from the end', () => {
    const one = (type: string) => condition(type, 'True', paused);
    const live = { conditions: [one('Stalled'), one('Ready'), one('Theirs'), one('Suspended')] };
    expect(withoutStrays(fooKind, live, { conditions: [one('Ready')] })).toEqual([
      { op: 'remove', path: '/status/conditions/3' },
      { op: 'remove', path: '/status/conditions/0' },
    ]);
    const both = { conditions: [one('Ready'), one('Stalled')] };
    expect(withoutStrays(fooKind, both, both)).toEqual([]);
    expect(withoutStrays(fooKind, {}, {})).toEqual([]);
  });

  it('C-8 removes fields of ours that only others set', () => {
    const live = { ...steady, theirs: 1, conditions: [foreign] };
    const removed = (desired: ResourceStatus) =>
      withoutStrays(fooKind, live, desired).map(({ path }) => path);
    expect(removed({})).toEqual([
      '/status/observedGeneration',
      '/status/children',
      '/status/availableReplicas',
    ]);
    expect(removed({ children: [], observedGeneration: 2 })).toEqual(['/status/availableReplicas']);
    expect(removed(steady)).toEqual([]);
  });

  it.each([
    ['nothing from a value that is not a map', 'x', []],
    ['nothing from a missing status', undefined, []],
    ['nothing from conditions that are not a list', { conditions: 'x' }, []],
    [
      'a condition of our types, whatever else is in the list',
      { conditions: [null, 'Ready', { type: 'Stalled' }, { type: 1 }] },
      [{ op: 'remove', path: '/status/conditions/2' }],
    ],
  ])('law 17 removes %s', (_, live, want) => {
    expect(withoutStrays(fooKind, live, {})).toEqual(want);
  });
});

describe('a comparison of the children', () => {
  it('is written with its time, even if every child was up to date', () => {
    const compared = { ...found, ...withRecord, compared: true } as const;
    const resource = observeResource(foo({ status: remembered() }));
    expect(nextStatus(fooKind, resource, { now, found: compared })).toEqual({
      ...steady,
      ...remembered({ comparedAt: now }),
      conditions: [condition('Ready', 'True', ready, { time: before })],
    });
  });
});
