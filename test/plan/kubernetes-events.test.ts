import { describe, expect, it } from 'vitest';
import type { Kind, Note } from '../../shared/kinds/kind.ts';
import type { KubeObject } from '../../shared/kubernetes.ts';
import type { Outcome } from '../../shared/plan/decision/outcome.ts';
import { toFollow } from '../../shared/plan/decision/reasons.ts';
import type { Difference } from '../../shared/plan/drift/differences.ts';
import type { ConditionSummary } from '../../shared/plan/observed/conditions.ts';
import { eventsFor, repairsIn } from '../../shared/plan/status/kubernetes-events.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { website as websiteKind } from '../../systems/website.ts';
import { casesOf } from '../support/cases.ts';
import { observeResource } from '../support/observe.ts';
import { foo, website } from '../support/resources.ts';
import { shop } from '../support/shop.ts';

const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'website-sample' };
const before = '2026-11-21T10:38:35Z';
const unchanged: Outcome = { child: deployment, result: 'unchanged' };
const updated = (differences: readonly Partial<Difference>[], version = 'u/9'): Outcome => ({
  child: deployment,
  result: 'updated',
  differences: differences.map((one) => ({
    path: 'spec.replicas',
    from: undefined,
    to: undefined,
    writer: undefined,
    ...one,
  })),
  version,
});
const imageUpdated = updated([
  {
    path: 'spec.template.spec.containers[name="nginx"].image',
    from: 'abangser/todo-local-storage:1',
    to: 'abangser/todo-local-storage:2',
  },
]);
const scaled = updated([{ from: 5, to: 2, writer: { manager: 'kubectl', time: undefined } }]);
const ownerVersion = {
  path: 'metadata.ownerReferences[uid="u"].apiVersion',
  from: 'example.org/v1',
  to: 'example.org/v2',
};
const blocked = {
  child: deployment,
  result: 'blocked',
  reason: 'ErrResourceExists',
  message: 'it exists',
} as const;
const stalled: ConditionSummary = {
  state: 'Stalled',
  reason: 'ErrResourceExists',
  message: 'it exists',
};
const wasStalled = [
  {
    type: 'Ready',
    status: 'False',
    reason: 'ErrResourceExists',
    message: 'it exists',
    observedGeneration: 1,
    lastTransitionTime: before,
  },
  {
    type: 'Stalled',
    status: 'True',
    reason: 'ErrResourceExists',
    message: 'it exists',
    observedGeneration: 1,
    lastTransitionTime: before,
  },
];
const warning: Note = { type: 'Warning', reason: 'ErrResourceExists', message: 'it exists' };
const repaired = (message: string): Note => ({ type: 'Normal', reason: 'Repaired', message });
const synced: Note = { type: 'Normal', reason: 'Synced', message: 'Foo synced successfully' };

/** An edit that an earlier run tried but did not complete. */
const tried = website({
  metadata: { generation: 2 },
  status: {
    conditions: [{ ...(website().status.conditions as object[])[0], observedGeneration: 2 }],
  },
});

interface Case {
  readonly reason: string;
  readonly kind?: Kind;
  readonly resource?: KubeObject;
  readonly outcomes: readonly Outcome[];
  readonly summary?: ConditionSummary;
  readonly want: readonly Note[];
}

const cases: Record<string, Case> = {
  'C-8 Steady': { reason: 'no Event without a change', outcomes: [unchanged], want: [] },
  'W-1 NewTag': {
    reason: 'an edit of the resource is reported by the kind, not as a repair',
    resource: website({ metadata: { generation: 2 } }),
    outcomes: [imageUpdated],
    want: [
      {
        type: 'Normal',
        reason: 'ImageUpdated',
        message: 'Image tag has updated from "1" to "2"',
      },
    ],
  },
  'W-1 CommittedByAnother': {
    reason: 'a write for a generation that another run has committed is an edit, not a repair',
    outcomes: [unchanged, { ...imageUpdated, origin: 'edit' }],
    want: [
      {
        type: 'Normal',
        reason: 'ImageUpdated',
        message: 'Image tag has updated from "1" to "2"',
      },
    ],
  },
  'W-1 HandEdit': {
    reason: 'a repaired image is not reported as an update of the tag',
    outcomes: [imageUpdated],
    want: [
      repaired(
        'Deployment website-sample: spec.template.spec.containers[name="nginx"].image "abangser/todo-local-storage:1" → "abangser/todo-local-storage:2"',
      ),
    ],
  },
  'C-3 Repaired': {
    reason: 'the Event names the writer and the change',
    outcomes: [scaled],
    want: [repaired('Deployment website-sample: spec.replicas 5 → 2, changed by kubectl')],
  },
  NewVersion: {
    reason: 'an owner reference with an older version of the kind is no repair',
    outcomes: [updated([ownerVersion])],
    want: [],
  },
  NewVersionAndDrift: {
    reason: 'a repair of another field of the same child is reported',
    outcomes: [updated([ownerVersion, { from: 5, to: 2 }])],
    want: [repaired('Deployment website-sample: spec.replicas 5 → 2')],
  },
  VersionByOthers: {
    reason: 'an owner reference that another writer changed is reported',
    outcomes: [updated([{ ...ownerVersion, writer: { manager: 'kubectl', time: undefined } }])],
    want: [
      repaired(
        'Deployment website-sample: metadata.ownerReferences[uid="u"].apiVersion "example.org/v1" → "example.org/v2", changed by kubectl',
      ),
    ],
  },
  OtherGroup: {
    reason: 'an owner reference of another group is a repair',
    outcomes: [updated([{ ...ownerVersion, from: 'example.com/v1' }])],
    want: [
      repaired(
        'Deployment website-sample: metadata.ownerReferences[uid="u"].apiVersion "example.com/v1" → "example.org/v2"',
      ),
    ],
  },
  OwnerLost: {
    reason: 'an owner reference without a version is a repair',
    outcomes: [updated([{ ...ownerVersion, from: undefined }])],
    want: [
      repaired(
        'Deployment website-sample: metadata.ownerReferences[uid="u"].apiVersion (none) → "example.org/v2"',
      ),
    ],
  },
  'C-4 Recreated': {
    reason: 'a recreated child is reported',
    outcomes: [{ child: deployment, result: 'created', existed: true, version: 'u2/10' }],
    want: [repaired('Deployment website-sample: was gone, created again')],
  },
  'C-4 DeletedBy': {
    reason: 'the Event names the user who deleted it if an audit entry does',
    outcomes: [
      {
        child: deployment,
        result: 'created',
        existed: true,
        by: { user: 'jane', agent: undefined, time: '2026-11-21T12:00:00Z' },
      },
    ],
    want: [
      repaired(
        'Deployment website-sample: was deleted by jane at 12:00 UTC (audit log), created again',
      ),
    ],
  },
  'C-3 SeveralFields': {
    reason: 'one Event reports all fields of a child',
    outcomes: [
      updated([
        { from: 5, to: 2 },
        { path: 'spec.paused', from: true },
      ]),
    ],
    want: [repaired('Deployment website-sample: spec.replicas 5 → 2; spec.paused true → (none)')],
  },
  'law 12 Repeated': {
    reason: 'a second repair within 30 s is not reported again',
    outcomes: [
      { ...scaled, repeated: true },
      { child: deployment, result: 'created', existed: true, repeated: true },
    ],
    want: [],
  },
  'C-3 NotRepaired': {
    reason: 'a failed repair is not reported',
    outcomes: [
      { ...scaled, result: 'failed' },
      { child: deployment, result: 'failed', existed: true },
    ],
    want: [],
  },
  'C-3 RepairedByAnEdit': {
    reason: 'the first run for an edit does not report changes of others that it undoes',
    resource: website({ metadata: { generation: 2 } }),
    outcomes: [scaled],
    want: [],
  },
  'C-3 RepairedAfterAnEdit': {
    reason: 'a later run for the same edit reports changes of others',
    resource: tried,
    outcomes: [scaled],
    want: [repaired('Deployment website-sample: spec.replicas 5 → 2, changed by kubectl')],
  },
  'W-1 RevertedAfterAnEdit': {
    reason: 'the kind receives only the changes that were written for the edit',
    resource: tried,
    outcomes: [imageUpdated],
    want: [
      repaired(
        'Deployment website-sample: spec.template.spec.containers[name="nginx"].image "abangser/todo-local-storage:1" → "abangser/todo-local-storage:2"',
      ),
    ],
  },
  'W-1 RevertedBesideAnEdit': {
    reason: 'a repair is reported although another child was written for the edit',
    resource: tried,
    outcomes: [{ ...scaled, origin: 'edit' }, imageUpdated],
    want: [
      repaired(
        'Deployment website-sample: spec.template.spec.containers[name="nginx"].image "abangser/todo-local-storage:1" → "abangser/todo-local-storage:2"',
      ),
    ],
  },
  'W-1 WrittenAtTheSecondTry': {
    reason: 'a write for the edit is reported, whichever run makes it',
    resource: tried,
    outcomes: [{ ...imageUpdated, origin: 'edit' }],
    want: [
      {
        type: 'Normal',
        reason: 'ImageUpdated',
        message: 'Image tag has updated from "1" to "2"',
      },
    ],
  },
  'W-1 AddedAtTheSecondTry': {
    reason: 'a field that a later run adds for the edit is no repair',
    resource: tried,
    outcomes: [{ ...updated([{ path: 'data.a', to: 'b' }]), origin: 'edit' }],
    want: [],
  },
  'C-1 Follows': {
    reason: 'a field from an object that the resource reads is an update',
    kind: shop,
    outcomes: [{ ...updated([{ path: 'data.a', to: 'b' }]), origin: 'reference' }],
    want: [{ ...repaired('Deployment website-sample: data.a (none) → "b"'), reason: 'Updated' }],
  },
  'C-1 FollowsBesideARepair': {
    reason: 'a repair is reported as a repair beside an update',
    kind: shop,
    outcomes: [{ ...scaled, origin: 'reference' }],
    want: [repaired('Deployment website-sample: spec.replicas 5 → 2, changed by kubectl')],
  },
  'C-1 FollowsTheCode': {
    reason: 'a write without a change by others is no repair',
    outcomes: [{ ...updated([{ from: 5, to: 2 }]), origin: 'code' }],
    want: [{ ...repaired('Deployment website-sample: spec.replicas 5 → 2'), reason: 'Updated' }],
  },
  'C-1 FollowsTheCodeWithANewField': {
    reason: 'a field from new code is an update',
    outcomes: [{ ...updated([{ path: 'data.a', to: 'b' }]), origin: 'code' }],
    want: [{ ...repaired('Deployment website-sample: data.a (none) → "b"'), reason: 'Updated' }],
  },
  'C-1 RemovedByOthers': {
    reason: 'a field that others removed is a repair',
    kind: shop,
    outcomes: [{ ...updated([{ path: 'data.a', to: 'b' }]), origin: 'drift' }],
    want: [repaired('Deployment website-sample: data.a (none) → "b"')],
  },
  'C-1 Created': {
    reason: 'the first creation of a child is no repair',
    outcomes: [{ child: deployment, result: 'created', existed: false, version: 'u2/10' }],
    want: [],
  },
  Tidied: {
    reason: 'consolidated managedFields are no repair',
    outcomes: [updated([]), { child: deployment, result: 'updated' }],
    want: [],
  },
  'C-5 Pruned': {
    reason: 'the deletion of a child after an edit is no repair',
    outcomes: [{ child: deployment, result: 'deleted', origin: 'edit' }],
    want: [],
  },
  'C-5 PrunedByTheCode': {
    reason: 'the deletion of a child after an upgrade is reported',
    outcomes: [{ child: deployment, result: 'deleted', origin: 'code' }],
    want: [
      { ...repaired('Deployment website-sample: no longer desired, deleted'), reason: 'Updated' },
    ],
  },
  'C-5 PrunedAsAStranger': {
    reason: 'the deletion of a child that another writer made ours is not reported',
    outcomes: [{ child: deployment, result: 'deleted', origin: 'drift' }],
    want: [],
  },
  'C-13 CleanedUp': {
    reason: 'deletions of the clean-up are not reported',
    outcomes: [{ child: deployment, result: 'deleted' }],
    want: [],
  },
  'C-6 Stalled': {
    reason: 'a stall is reported when it begins',
    outcomes: [blocked],
    summary: stalled,
    want: [warning],
  },
  'C-6 StillStalled': {
    reason: 'a stall is not reported again',
    resource: website({ status: { conditions: wasStalled } }),
    outcomes: [blocked],
    summary: stalled,
    want: [],
  },
  'C-6 StalledOtherwise': {
    reason: 'a stall with another message is reported',
    resource: website({ status: { conditions: wasStalled } }),
    outcomes: [blocked],
    summary: { ...stalled, message: 'that exists' },
    want: [{ ...warning, message: 'that exists' }],
  },
  'C-6 StalledFromTheFirst': {
    reason: 'a stall is reported if the resource had no condition before',
    resource: website({ status: undefined }),
    outcomes: [blocked],
    summary: stalled,
    want: [warning],
  },
  'C-10 Reconciling': {
    reason: 'a transient failure posts no Event',
    outcomes: [{ ...blocked, result: 'failed', transient: true }],
    summary: { ...stalled, state: 'Reconciling' },
    want: [],
  },
  'F-5 NewGeneration': {
    reason: 'a completed generation is reported',
    kind: fooKind,
    resource: foo({ metadata: { generation: 2 } }),
    outcomes: [updated([{ from: 1, to: 3 }])],
    want: [synced],
  },
  'F-5 New': {
    reason: 'a completed first generation is reported',
    kind: fooKind,
    resource: foo({ status: undefined }),
    outcomes: [{ child: deployment, result: 'created' }],
    want: [synced],
  },
  'F-5 NothingToWrite': {
    reason: 'a generation that needed no write is reported as completed',
    kind: fooKind,
    resource: foo({ metadata: { generation: 2 } }),
    outcomes: [unchanged],
    want: [synced],
  },
  'F-5 SameGeneration': {
    reason: 'a generation is reported as completed only once, and not after repairs',
    kind: fooKind,
    resource: foo(),
    outcomes: [scaled],
    want: [repaired('Deployment website-sample: spec.replicas 5 → 2, changed by kubectl')],
  },
  'F-5 NotInPlace': {
    reason: 'a generation is not completed while a write of a child fails',
    kind: fooKind,
    resource: foo({ metadata: { generation: 2 } }),
    outcomes: [blocked],
    summary: stalled,
    want: [warning],
  },
  'F-5 Broken': {
    reason: 'a generation is not completed if a child fails to progress',
    kind: fooKind,
    resource: foo({ metadata: { generation: 2 } }),
    outcomes: [unchanged],
    summary: stalled,
    want: [warning],
  },
  'F-5 Skipped': {
    reason: 'a generation is not completed while a child is postponed',
    kind: fooKind,
    resource: foo({ metadata: { generation: 2 } }),
    outcomes: [{ child: deployment, result: 'skipped' }],
    summary: { ...stalled, state: 'Reconciling' },
    want: [],
  },
  'F-5 StillStalled': {
    reason: 'a generation is not completed while the resource is stalled',
    kind: fooKind,
    resource: foo({ status: { conditions: wasStalled } }),
    outcomes: [unchanged],
    summary: stalled,
    want: [],
  },
  'F-5 AfterReconciling': {
    reason: 'a completed generation is not reported again once its children are ready',
    kind: fooKind,
    resource: foo({ status: { conditions: [{ ...wasStalled[0] }] } }),
    outcomes: [unchanged],
    want: [],
  },
  'F-5 NotFollowed': {
    reason: 'an edit is not complete before what is made of the written objects has followed',
    kind: fooKind,
    resource: foo({ status: { conditions: wasStalled } }),
    summary: { state: 'Reconciling', ...toFollow(deployment) },
    outcomes: [{ child: deployment, result: 'created', existed: false }],
    want: [],
  },
  'F-5 AfterStall': {
    reason: 'a generation is reported when a later run completes it',
    kind: fooKind,
    resource: foo({ status: { conditions: wasStalled } }),
    outcomes: [{ child: deployment, result: 'created', existed: false }],
    want: [synced],
  },
};

describe('eventsFor', () => {
  it.each(casesOf(cases))('%s', (_, { reason, outcomes, want, ...given }) => {
    const { kind = websiteKind, resource = website(), summary = { state: 'Ready' } } = given;
    const events = eventsFor(kind, observeResource(resource), { summary, outcomes });
    const notes = events.map(({ type, reason, message }) => ({ type, reason, message }));
    expect(notes, reason).toEqual(want);
  });
});

describe('the repairs that are recorded', () => {
  const writer = { manager: 'kubectl', time: undefined };
  const long = `spec.${'x'.repeat(260)}`;
  const recorded = (...outcomes: readonly Outcome[]) => [...repairsIn(outcomes).values()];

  it.each<[string, Outcome, readonly (readonly string[] | undefined)[]]>([
    ['the fields that others changed', scaled, [['spec.replicas']]],
    [
      'a child that was created again',
      { ...unchanged, result: 'created', existed: true },
      [undefined],
    ],
    ['no fields that an edit changed', { ...scaled, origin: 'edit' }, []],
    ['no second repair within 30 s', { ...scaled, repeated: true }, []],
    ['no fields that new code changed', { ...updated([{ from: 5, to: 2 }]), origin: 'code' }, []],
    ['no new child', { ...unchanged, result: 'created', existed: false }, []],
    ['no other version in the owner reference', updated([ownerVersion]), []],
    ['no failed write', { ...scaled, result: 'failed' }, []],
    [
      'the fields that contain many changed fields',
      updated(Array.from({ length: 17 }, (_, at) => ({ path: `spec.a${at}`, writer }))),
      [['spec']],
    ],
    [
      'the field that contains a field with a long path',
      updated([{ path: long, writer }]),
      [['spec']],
    ],
  ])('are %s', (_, outcome, want) => {
    expect(recorded(outcome)).toEqual(want);
  });
});
