import { expect, it } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { type JsonObject, keyOf } from '../../shared/kubernetes.ts';
import type { WriteDecision } from '../../shared/plan/decision/decision.ts';
import { type Origin, originOf } from '../../shared/plan/decision/origin.ts';
import { recordFor } from '../../shared/plan/decision/records.ts';
import { readsOf } from '../../shared/plan/decision/target.ts';
import type { Difference } from '../../shared/plan/drift/differences.ts';
import { recordText } from '../../shared/plan/observed/applied.ts';
import { refOf, type World } from '../../shared/plan/observed/world.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { fooDeployment } from '../support/children.ts';
import { identity, observeChild, observeResource } from '../support/observe.ts';
import { foo } from '../support/resources.ts';
import { shop } from '../support/shop.ts';

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
  readonly why: string;
  readonly want: Origin | undefined;
  readonly verb?: 'update' | 'delete' | 'create' | 'lost' | 'consolidate' | 'foreign';
  /** The fields last applied to the child; null if there is no record. */
  readonly applied?: JsonObject | null;
  /** Names the objects that the last run acted on: those referred to now, or others. */
  readonly reads?: 'current' | 'others';
  readonly edited?: boolean;
  /** The Ready reason that the last run of this generation wrote; the recorded apply is of the previous generation. */
  readonly unfinished?: string;
  readonly ours?: boolean;
  readonly differences?: readonly Difference[];
}

const cases: Readonly<Record<string, Case>> = {
  'an edit': { edited: true, want: 'edit', why: 'no run has acted on the generation' },
  'a field that others set': {
    applied: desired,
    differences: [by('kubectl')],
    want: 'drift',
    why: 'the same was desired before',
  },
  'a field that others removed': {
    applied: desired,
    differences: [by(undefined)],
    want: 'drift',
    why: 'managedFields show nothing, but the same was desired before',
  },
  'a field that is newly desired': {
    applied: older,
    differences: [by(undefined)],
    want: 'code',
    why: 'it looks like one that others removed, but something else was desired before',
  },
  'drift of a child that changes anyway': {
    applied: older,
    differences: [by('kubectl')],
    want: 'code',
    why: 'one apply restores it and makes the change',
  },
  'an edit that was blocked': {
    applied: older,
    unfinished: 'NodePortTaken',
    want: 'edit',
    why: 'the obstacle has gone since',
  },
  'an edit elsewhere, while pods start': {
    applied: older,
    unfinished: 'Progressing',
    want: 'code',
    why: 'the edit was carried out in full',
  },
  'a changed object that was read': {
    applied: older,
    reads: 'others',
    want: 'reference',
    why: 'what the resource refers to has changed since',
  },
  'a changed object that a run has acted on': {
    applied: older,
    reads: 'current',
    want: 'code',
    why: 'the status says so; this child did not depend on it',
  },
  'a changed object that a run has acted on, while pods start': {
    applied: older,
    reads: 'current',
    unfinished: 'Progressing',
    want: 'code',
    why: 'all of it was carried out',
  },
  'a changed object that a run is acting on': {
    applied: older,
    reads: 'others',
    want: 'reference',
    unfinished: 'Progressing',
    why: 'this child may have waited for the other one',
  },
  'a changed object that changes nothing here': {
    applied: desired,
    reads: 'others',
    differences: [by('kubectl')],
    want: 'drift',
    why: 'the same is still desired',
  },
  'no record, a field that others set': {
    applied: null,
    differences: [by('kubectl')],
    want: 'drift',
    why: 'managedFields say so',
  },
  'no record, a field without a writer': {
    applied: null,
    differences: [by(undefined)],
    want: 'code',
    why: 'in doubt the child waits, as for new code',
  },
  'no record, a field that others set and one without a writer': {
    applied: null,
    differences: [by('kubectl'), by(undefined)],
    want: 'drift',
    why: 'losing a record delays no repair',
  },
  'an adopted child': {
    applied: null,
    ours: false,
    differences: [by(undefined)],
    want: 'drift',
    why: 'we never wrote it',
  },
  'a child that is no longer desired': {
    verb: 'delete',
    applied: older,
    want: 'code',
    why: 'unedited',
  },
  'a child that its ConfigMap no longer asks for': {
    verb: 'delete',
    applied: older,
    reads: 'others',
    want: 'reference',
    why: 'what the resource refers to has changed since',
  },
  'an unwanted child of others': {
    verb: 'delete',
    applied: null,
    ours: false,
    want: 'drift',
    why: 'we never wrote it',
  },
  'a child whose target is foreign': {
    verb: 'foreign',
    applied: desired,
    want: 'drift',
    why: 'others took its target',
  },
  'a new child': { verb: 'create', want: 'code', why: 'nothing else asks for it' },
  'a new child of a resource that is not Ready': {
    verb: 'create',
    unfinished: 'Progressing',
    want: 'edit',
    why: 'it may have waited for another child',
  },
  'a new child of a resource that could not be finished': {
    verb: 'create',
    unfinished: 'Forbidden',
    want: 'edit',
    why: 'the obstacle has gone since',
  },
  'a lost child': { verb: 'lost', want: 'drift', why: 'others deleted it' },
  'managedFields alone': {
    verb: 'consolidate',
    want: undefined,
    why: 'a change of managedFields alone',
  },
};

it.each(Object.entries(cases))('%s', (_, one) => {
  const world = worldOf(one);
  expect(originOf(decisionOf(one), world), one.why).toBe(one.want);
});

function decisionOf({ verb = 'update', differences = [] }: Case): WriteDecision {
  const about = { type: deployment, child, namespace: 'default', lock: 'previous' };
  const reason = verb === 'foreign' ? { reason: 'ErrResourceExists', message: '' } : {};
  const word = { lost: 'create', foreign: 'delete' }[verb as string] ?? verb;
  return {
    ...about,
    ...reason,
    verb: word,
    fields: desired,
    differences,
    ...(word === 'create' ? { lost: verb === 'lost' } : {}),
  } as WriteDecision;
}

function worldOf({ applied = null, reads, edited, unfinished, ours = true }: Case): World {
  const over = { status: { observedGeneration: 2 }, metadata: { generation: 2 } };
  const later = observeResource(foo(over));
  const [ready] = later.status.conditions!;
  const blocked = {
    ...ready!,
    status: 'False' as const,
    reason: unfinished!,
    observedGeneration: 2,
  };
  const resource =
    unfinished === undefined
      ? observeResource(foo())
      : { ...later, status: { ...later.status, conditions: [blocked] } };
  const record = applied === null ? undefined : recordFor(live, applied, { generation: 1 });
  const { ours: entry, ...rest } = live;
  const world: World = {
    identity,
    kind: reads === undefined ? fooKind : shop,
    resource: {
      ...resource,
      generation: resource.generation + (edited ? 1 : 0),
      spec: { settings: 's', tokens: [] },
      applied: record === undefined ? {} : { [keyOf(child)]: recordText(record) },
    },
    children: new Map([[keyOf(child), { ...rest, ours: ours ? entry : undefined }]]),
    absent: new Set(),
    reads: new Map(),
  };
  if (reads === undefined) return world;
  const lastApplied = { children: [], reads: reads === 'current' ? readsOf(world)! : 'others' };
  const { status } = world.resource;
  return { ...world, resource: { ...world.resource, status: { ...status, lastApplied } } };
}
