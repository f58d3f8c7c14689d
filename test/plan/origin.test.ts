import { expect, it } from 'vitest';
import { present } from '../../shared/json.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { type JsonObject, keyOf } from '../../shared/kubernetes.ts';
import { recordFor } from '../../shared/plan/decision/apply-records.ts';
import type { WriteDecision } from '../../shared/plan/decision/decision.ts';
import { type Origin, originOf } from '../../shared/plan/decision/origin.ts';
import { readsOf } from '../../shared/plan/decision/target.ts';
import type { Difference } from '../../shared/plan/drift/differences.ts';
import { recordText } from '../../shared/plan/observed/applied.ts';
import { refOf, type World } from '../../shared/plan/observed/world.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { casesOf } from '../support/cases.ts';
import { fooDeployment } from '../support/children.ts';
import { identity, observeChild, observeResource } from '../support/observe.ts';
import { foo } from '../support/resources.ts';
import { shop } from '../support/shop.ts';
import { unexplored } from '../support/unexplored.ts';

const live = observeChild(fooDeployment());
const child = refOf(live);
const desired: JsonObject = { spec: { replicas: 1 } };
const older: JsonObject = { spec: { replicas: 3 } };
const by = (manager: string | undefined): Difference => ({
  path: 'spec.replicas',
  from: undefined,
  to: 1,
  writer: manager === undefined ? undefined : { manager, time: undefined },
});

interface Case {
  readonly reason: string;
  readonly want: Origin | undefined;
  readonly verb?: 'update' | 'restored' | 'delete' | 'create' | 'lost' | 'consolidate' | 'foreign';
  /** The fields of the last apply to the child; null without a record. */
  readonly applied?: JsonObject | null;
  /** Whether the last run acted on the objects that the resource refers to now, or on others. */
  readonly reads?: 'current' | 'others';
  /** The labels on which the last run acted: those that the resource has now, others, or none. */
  readonly labels?: 'current' | 'others' | 'unread';
  readonly dueToTime?: true;
  readonly edited?: boolean;
  readonly deleting?: boolean;
  /** True if a run has tried the edit, which still waits. */
  readonly tried?: boolean;
  /** The Ready reason of the last run for this generation; the recorded apply is of the previous one. */
  readonly unfinished?: string;
  readonly ours?: boolean;
  /** False if `status.children` is empty. */
  readonly listed?: boolean;
  readonly differences?: readonly Difference[];
}

const cases: Readonly<Record<string, Case>> = {
  'an edit': { edited: true, want: 'edit', reason: 'no run has acted on the generation' },
  'a field that others set in a child that an edit leaves as it is': {
    edited: true,
    applied: desired,
    differences: [by('kubectl')],
    want: 'drift',
    reason: 'the edit changes another child',
  },
  'a child that an edit changes': {
    edited: true,
    applied: older,
    differences: [by('kubectl')],
    want: 'edit',
    reason: 'its fields are new',
  },
  'a child whose former fields are restored while those of an edit wait': {
    verb: 'restored',
    edited: true,
    applied: older,
    differences: [by('kubectl')],
    want: 'drift',
    reason: 'the new fields are not written yet',
  },
  'a child whose target is foreign, of an edited resource': {
    verb: 'foreign',
    edited: true,
    applied: desired,
    want: 'drift',
    reason: 'another owner took the target of the child',
  },
  'a child that is lost while an edit waits': {
    verb: 'lost',
    edited: true,
    tried: true,
    want: 'drift',
    reason: 'an earlier run has acted on the edit',
  },
  'a child that is lost before a run acts on an edit': {
    verb: 'lost',
    edited: true,
    want: 'edit',
    reason: 'all that the first run creates belongs to the edit',
  },
  'a field that others set': {
    applied: desired,
    differences: [by('kubectl')],
    want: 'drift',
    reason: 'a field was desired with the same value before',
  },
  'a field that others removed': {
    applied: desired,
    differences: [by(undefined)],
    want: 'drift',
    reason: 'managedFields name no writer, but the field was desired with the same value before',
  },
  'a field that is newly desired': {
    applied: older,
    differences: [by(undefined)],
    want: 'code',
    reason: 'a field that seems removed by others was desired with another value before',
  },
  'drift of a child that changes anyway': {
    applied: older,
    differences: [by('kubectl')],
    want: 'code',
    reason: 'one apply both restores a field and makes a change',
  },
  'an edit that was blocked': {
    applied: older,
    unfinished: 'NodePortTaken',
    want: 'edit',
    reason: 'the obstacle of the last run has gone',
  },
  'drift of a child while an edit of another one is blocked': {
    applied: desired,
    unfinished: 'NodePortTaken',
    differences: [by('kubectl')],
    want: 'drift',
    reason: 'the child was applied with the same fields',
  },
  'an edit elsewhere, while pods start': {
    applied: older,
    unfinished: 'Progressing',
    want: 'code',
    reason: 'the last run completed the edit',
  },
  'a changed object that was read': {
    applied: older,
    reads: 'others',
    want: 'reference',
    reason: 'an object that the resource refers to has changed since',
  },
  'a changed object that a run has acted on': {
    applied: older,
    reads: 'current',
    want: 'code',
    reason: 'the status shows a changed object, on which this child did not depend',
  },
  'a changed object that a run has acted on, while pods start': {
    applied: older,
    reads: 'current',
    unfinished: 'Progressing',
    want: 'code',
    reason: 'the last run completed all changes',
  },
  'a changed object that a run is acting on': {
    applied: older,
    reads: 'others',
    want: 'reference',
    unfinished: 'Progressing',
    reason: 'the child may have waited for another one',
  },
  'labels of the resource that the kind reads, and that have changed': {
    applied: older,
    labels: 'others',
    want: 'reference',
    reason: 'the labels are not those that the last run acted on',
  },
  'labels of the resource that a run has acted on': {
    applied: older,
    labels: 'current',
    want: 'code',
    reason: 'only the code can have changed',
  },
  'labels of the resource that the kind does not read': {
    applied: older,
    labels: 'unread',
    want: 'code',
    reason: 'other tools may label all resources before a rollout',
  },
  'a time that has come': {
    applied: older,
    dueToTime: true,
    want: 'reference',
    reason: 'the kind asked about it in the last run, when it was still to come',
  },
  'drift after a time has come': {
    applied: desired,
    dueToTime: true,
    differences: [by('kubectl')],
    want: 'drift',
    reason: 'the child was applied with the same fields',
  },
  'a child that is no longer desired once a time has come': {
    verb: 'delete',
    applied: older,
    dueToTime: true,
    want: 'reference',
    reason: 'the time decides which children are desired',
  },
  'a new child once a time has come': {
    verb: 'create',
    dueToTime: true,
    want: 'reference',
    reason: 'the time decides which children are desired',
  },
  'a changed object that changes nothing here': {
    applied: desired,
    reads: 'others',
    differences: [by('kubectl')],
    want: 'drift',
    reason: 'the child was applied with the same fields',
  },
  'no record, a field that others set': {
    applied: null,
    differences: [by('kubectl')],
    want: 'drift',
    reason: 'managedFields name the writer',
  },
  'no record, a field without a writer': {
    applied: null,
    differences: [by(undefined)],
    want: 'code',
    reason: 'without certainty the change is attributed to new code',
  },
  'no record, a field that others set and one without a writer': {
    applied: null,
    differences: [by('kubectl'), by(undefined)],
    want: 'drift',
    reason: 'a lost record does not delay a repair',
  },
  'an adopted child': {
    applied: null,
    ours: false,
    differences: [by(undefined)],
    want: 'drift',
    reason: 'we never wrote the child',
  },
  'a child that is no longer desired': {
    verb: 'delete',
    applied: older,
    want: 'code',
    reason: 'unedited',
  },
  'a child that its ConfigMap no longer asks for': {
    verb: 'delete',
    applied: older,
    reads: 'others',
    want: 'reference',
    reason: 'an object that the resource refers to has changed since',
  },
  'an unwanted child of others': {
    verb: 'delete',
    applied: null,
    ours: false,
    want: 'drift',
    reason: 'we never wrote the child',
  },
  'an unwanted child that the status does not list': {
    verb: 'delete',
    applied: null,
    listed: false,
    want: 'drift',
    reason: 'others made it ours, or another run has deleted it',
  },
  'a child whose target is foreign': {
    verb: 'foreign',
    applied: desired,
    want: 'drift',
    reason: 'another owner took the target of the child',
  },
  'a new child': {
    verb: 'create',
    want: 'code',
    reason: 'nothing but the code can have changed',
  },
  'a new child because of a new object': {
    verb: 'create',
    reads: 'others',
    want: 'reference',
    reason: 'the kind returns a child for each object that it reads',
  },
  'a new child while the objects are as before': {
    verb: 'create',
    reads: 'current',
    want: 'code',
    reason: 'the objects have not changed',
  },
  'a new child of a resource that is not Ready': {
    verb: 'create',
    unfinished: 'Progressing',
    want: 'edit',
    reason: 'the child may have waited for another child',
  },
  'a new child of a resource that could not be finished': {
    verb: 'create',
    unfinished: 'Forbidden',
    want: 'edit',
    reason: 'the obstacle of the last run has gone',
  },
  'a lost child': { verb: 'lost', want: 'drift', reason: 'others deleted the child' },
  'a child that the last run saw being deleted': {
    verb: 'lost',
    applied: desired,
    unfinished: 'ChildDeleting',
    want: 'drift',
    reason: 'no run deletes a child to create it again with the same fields',
  },
  'a child that the last run saw being deleted, and that gets other fields': {
    verb: 'lost',
    edited: true,
    tried: true,
    applied: older,
    unfinished: 'ChildDeleting',
    want: 'edit',
    reason: 'that run deleted the child to create it again',
  },
  'a child that goes before its resource': {
    verb: 'delete',
    applied: desired,
    edited: true,
    deleting: true,
    want: undefined,
    reason: 'a deletion is no edit',
  },
  'managedFields alone': {
    verb: 'consolidate',
    want: undefined,
    reason: 'a change of managedFields alone has no origin',
  },
};

it.each(casesOf(cases))('the origin of %s', (_, one) => {
  expect(originOf(decisionOf(one), worldOf(one))).toBe(one.want);
});

function decisionOf({ verb = 'update', differences = [], dueToTime }: Case): WriteDecision {
  const about = { type: deployment, child, namespace: 'default', lock: 'previous' };
  const reason = { foreign: 'ErrResourceExists', restored: 'DependencyPending' }[verb as string];
  const word = { lost: 'create', foreign: 'delete', restored: 'update' }[verb as string] ?? verb;
  return {
    ...about,
    ...(reason === undefined ? {} : { reason, message: '' }),
    verb: word,
    ...present({ dueToTime }),
    fields: desired,
    differences,
    ...(word === 'create' ? { existed: verb === 'lost' } : {}),
  } as WriteDecision;
}

function worldOf({
  applied = null,
  reads,
  labels,
  edited,
  deleting = false,
  tried,
  unfinished,
  ours = true,
  listed = true,
}: Case): World {
  const over = { status: { observedGeneration: 2 }, metadata: { generation: 2 } };
  const later = observeResource(foo(over));
  const [ready] = later.status.conditions!;
  const blocked = {
    ...ready!,
    status: 'False' as const,
    reason: unfinished ?? 'DependencyPending',
    observedGeneration: tried ? 3 : 2,
  };
  const resource =
    unfinished === undefined && !tried
      ? observeResource(foo())
      : { ...later, status: { ...later.status, conditions: [blocked] } };
  const record = applied === null ? undefined : recordFor(live, applied, { generation: 1 });
  const { ours: entry, ...rest } = live;
  const world: World = {
    ...unexplored,
    identity,
    kind: reads === undefined ? fooKind : shop,
    resource: {
      ...resource,
      ...(listed ? {} : { status: { ...resource.status, children: [] } }),
      deleting,
      generation: resource.generation + (edited ? 1 : 0),
      ...(labels && { labels: { team: 'a' } }),
      spec: { settings: 's', tokens: [] },
      applied: record === undefined ? {} : { [keyOf(child)]: recordText(record) },
    },
    children: new Map([[keyOf(child), { ...rest, ours: ours ? entry : undefined }]]),
  };
  if (reads === undefined && (labels ?? 'unread') === 'unread') return world;
  const isCurrent = (reads ?? labels) === 'current';
  const digest = isCurrent ? readsOf(world, labels !== undefined) : undefined;
  const lastApplied = { children: [], reads: digest ?? 'others' };
  const { status } = world.resource;
  return { ...world, resource: { ...world.resource, status: { ...status, lastApplied } } };
}
