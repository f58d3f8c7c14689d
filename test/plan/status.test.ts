import { describe, expect, it } from 'vitest';
import type { Kind } from '../../shared/kinds/kind.ts';
import { type JsonObject, type KubeObject, keyOf } from '../../shared/kubernetes.ts';
import { type LastApplied, recordText } from '../../shared/plan/observed/applied.ts';
import type { Condition } from '../../shared/plan/observed/conditions.ts';
import * as engine from '../../shared/plan/observed/observed-resource.ts';
import type { ResourceStatus } from '../../shared/plan/observed/recorded-status.ts';
import type { Finding } from '../../shared/plan/status/finding.ts';
import { withOwnStatus } from '../../shared/plan/status/own-status.ts';
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
  desired: [observeChild(fooDeployment())],
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
/** A record of the child, and a status with it and the time of the last comparison. */
const record = { uid: '1528d116', generation: 1, desired: 'aaaaaaaaaaaa', stored: 'bbbbbbbbbb-_' };
const withRecord = { applied: { [keyOf(child)]: recordText(record) } };
const remembered = (more: Partial<LastApplied> = {}): { readonly lastApplied: LastApplied } => ({
  lastApplied: { children: [recordText(record)], comparedAt: before, ...more },
});
/** When the child was last written, by its managedFields. */
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
    reason: 'the engine writes generation, children and Ready; the kind adds its own',
    resource: foo({ status: undefined }),
    finding: {},
    want: {
      ...steady,
      conditions: [condition('Ready', 'True', ready)],
    },
  },
  'C-8 OnlyTime': {
    reason: 'a change of time alone is not written',
    resource: foo(),
    finding: {},
    want: undefined,
  },
  'F-4 Available': {
    reason: 'a number that the kind quotes changed',
    resource: foo({ status: { availableReplicas: 0 } }),
    finding: {},
    want: {
      ...steady,
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  'C-8 NewGeneration': {
    reason: 'a generation that needed no write is observed, without a transition',
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
    reason: 'Ready changes, and Stalled is present while it is true',
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
    reason: 'Stalled is gone when it is over',
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
    reason: 'a generation is not observed during a transient failure',
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
    reason: 'the first generation is not observed during a transient failure, either',
    resource: foo({ status: undefined }),
    finding: { summary: { state: 'Reconciling', ...blocked }, desired: [], acted: false },
    want: {
      availableReplicas: 0,
      children: [],
      conditions: [condition('Ready', 'False', blocked), condition('Reconciling', 'True', blocked)],
    },
  },
  'C-5 Leftover': {
    reason: 'a child still to be pruned stays listed, or its name would be lost',
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
    reason: 'a child that was not read stays listed, too',
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
    reason: 'the list is as long as the schema allows',
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
    reason: 'only the conditions change',
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
    reason: 'no list of children equals an empty one',
    resource: foo({ status: { availableReplicas: 0, children: undefined } }),
    finding: { desired: [] },
    want: undefined,
  },
  'C-2 Recorded': {
    reason: 'the records have not changed',
    resource: foo({ status: remembered() }),
    finding: withRecord,
    want: undefined,
  },
  FirstRecord: {
    reason: 'a child in order gets a record, as if compared at some time of the previous day',
    resource: foo(),
    finding: withRecord,
    want: {
      ...steady,
      ...remembered({ comparedAt: '2026-11-20T20:14:34Z' }),
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  OtherRecord: {
    reason: 'the child was applied again',
    resource: foo({ status: remembered({ children: ['1528d116.1.cccccccccccc.bbbbbbbbbb-_'] }) }),
    finding: withRecord,
    want: {
      ...steady,
      ...remembered(),
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  RecordOfLeftover: {
    reason: 'each listed child has a record, or an empty string',
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
    reason: 'the digest of the read objects is written together with another record',
    resource: foo({ status: remembered({ children: [''], reads: 'older' }) }),
    finding: { ...withRecord, reads: 'newer' },
    want: {
      ...steady,
      ...remembered({ reads: 'newer' }),
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  NotActedOnReads: {
    reason: 'the digest stays until all was acted on',
    resource: foo({ status: remembered({ children: [''], reads: 'older' }) }),
    finding: {
      ...withRecord,
      summary: { state: 'Reconciling', ...blocked },
      acted: false,
      reads: 'newer',
    },
    want: {
      ...steady,
      ...remembered({ reads: 'older' }),
      conditions: [condition('Ready', 'False', blocked), condition('Reconciling', 'True', blocked)],
    },
  },
  'law 12 Repaired': {
    reason: 'a repair is recorded with the time of both clocks, so that the next run knows a fight',
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
    reason: 'a repair without fields is a creation, and recent repairs are kept',
    resource: foo({ status: remembered({ repairs: [recent] }) }),
    finding: { ...withRecord, repairs: new Map([[keyOf(child), undefined]]) },
    want: {
      ...steady,
      ...remembered({ repairs: [{ child: 0, at: now, written: wasWritten }, recent] }),
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  'law 12 OutdatedRepairs': {
    reason: 'a status is not written to drop what is outdated',
    resource: foo({ status: remembered({ repairs: [{ ...recent, at: before }] }) }),
    finding: withRecord,
    want: undefined,
  },
  'law 12 RepairedLater': {
    reason: 'what is outdated goes with the next repair',
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
  'law 12 Contested': {
    reason: 'the first time that a child is left to the next resync is kept',
    resource: foo({ status: remembered({ contested: [{ child: 0, since: before }] }) }),
    finding: { ...withRecord, contested: new Map([[keyOf(child), 'jane']]) },
    want: {
      ...steady,
      ...remembered({ contested: [{ child: 0, since: before, by: 'jane' }] }),
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  'law 12 StillContested': {
    reason: 'only times would differ',
    resource: foo({ status: remembered({ contested: [{ child: 0, since: before }] }) }),
    finding: { ...withRecord, contested: new Map([[keyOf(child), undefined]]) },
    want: undefined,
  },
  'law 12 NoLongerContested': {
    reason: 'a fight that is over is dropped',
    resource: foo({ status: remembered({ contested: [{ child: 0, since: before }] }) }),
    finding: withRecord,
    want: {
      ...steady,
      ...remembered(),
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  'C-14 SuspendedWithRecords': {
    reason: 'the records are needed when it is resumed',
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
    reason: 'a resource that is suspended always has a Ready condition',
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
    reason: 'values that no run of ours writes are replaced, although nothing else changed',
    resource: foo({ status: { children: [child, { ...child, extra: 'x' }] } }),
    finding: {},
    want: {
      ...steady,
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  'C-8 DeepField': {
    reason: 'a field of the kind that others nested deeply differs',
    resource: foo({ status: { availableReplicas: nested(40) as never } }),
    finding: {},
    want: {
      ...steady,
      conditions: [condition('Ready', 'True', ready, { time: before })],
    },
  },
  'C-14 SuspendedDeepField': {
    reason: 'a field that others nested deeply is not copied',
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
    reason: 'a resource without a status gets the conditions alone',
    resource: foo({ status: undefined }),
    finding: { suspended: true },
    want: {
      conditions: [condition('Ready', 'Unknown', paused), condition('Suspended', 'True', paused)],
    },
  },
  'C-2 ForeignCondition': {
    reason: 'a condition that others keep next to ours is no difference',
    resource: foo({
      status: { conditions: [foreign, ...(foo().status.conditions as JsonObject[])] },
    }),
    finding: {},
    want: undefined,
  },
  'C-14 Suspended': {
    reason: 'nothing but the Suspended condition changes',
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
    reason: 'Suspended is written once',
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
    reason: 'conditions of others are not adopted',
    resource: foo({ status: { conditions: [foreign] } }),
    finding: { suspended: true },
    want: {
      ...steady,
      conditions: [condition('Ready', 'Unknown', paused), condition('Suspended', 'True', paused)],
    },
  },
  'C-14 TakenUpAgain': {
    reason: 'Suspended is removed, and Ready has not changed',
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

/** Returns the status for a finding to which the kind has added its own part. */
function statusFor(
  world: { readonly kind: Kind; readonly resource: engine.ObservedResource },
  finding: Case['finding'],
  time = now,
): ResourceStatus | undefined {
  const at =
    'suspended' in finding ? finding : withOwnStatus(world, { ...found, ...finding } as Finding);
  return nextStatus(world.kind, world.resource, { now: time, ...at });
}

describe('nextStatus', () => {
  it.each(casesOf(cases))('%s', (_, { resource, finding, want }) => {
    const world = { kind: fooKind, resource: observeResource(resource) };
    expect(statusFor(world, finding)).toEqual(want);
  });

  it.each(Object.entries(cases).filter(([, { want }]) => want !== undefined))(
    'C-2 %s, once written, is not written again',
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
    conditionsOf: ({ state, children }) =>
      children.map(() => ({
        type: 'Reachable',
        status: state === 'Ready' ? 'True' : 'False',
        ...own,
      })),
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
      reason: 'a condition of the kind gets the generation and a time',
      resource: foo(),
      finding: {},
      want: [was('Ready', 'True', ready), condition('Reachable', 'True', own)],
    },
    Same: {
      reason: 'the order that the server keeps does not matter, nor do others’ conditions',
      resource: live(was('Reachable', 'True', own), foreign, was('Ready', 'True', ready)),
      finding: {},
      want: undefined,
    },
    Transition: {
      reason: 'only the condition that changed gets a new time',
      resource: live(was('Ready', 'True', ready), was('Reachable', 'False', own)),
      finding: {},
      want: [was('Ready', 'True', ready), condition('Reachable', 'True', own)],
    },
    OtherMessage: {
      reason: 'another message is no transition',
      resource: live(was('Ready', 'True', ready), was('Reachable', 'True', blocked)),
      finding: {},
      want: [was('Ready', 'True', ready), was('Reachable', 'True', own)],
    },
    NotReturned: {
      reason: 'a condition that is not returned is removed',
      resource: live(was('Ready', 'True', ready), was('Reachable', 'True', own)),
      finding: { desired: [] },
      want: [was('Ready', 'True', ready)],
    },
    Suspended: {
      reason: 'no child was read, so the condition stays',
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

  it('C-8 is removed even if others hold it, too, and theirs stay', () => {
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

  it('C-8 removes our fields that others set and we do not', () => {
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
      'a condition of our types, whatever else the list holds',
      { conditions: [null, 'Ready', { type: 'Stalled' }, { type: 1 }] },
      [{ op: 'remove', path: '/status/conditions/2' }],
    ],
  ])('law 17 removes %s', (_, live, want) => {
    expect(withoutStrays(fooKind, live, {})).toEqual(want);
  });
});

describe('a comparison of the children', () => {
  it('is written with its time, even if all was in order', () => {
    const compared = { ...found, ...withRecord, compared: true } as const;
    const resource = observeResource(foo({ status: remembered() }));
    expect(nextStatus(fooKind, resource, { now, ...compared })).toEqual({
      ...steady,
      ...remembered({ comparedAt: now }),
      conditions: [condition('Ready', 'True', ready, { time: before })],
    });
  });
});
