import { expect, it } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { appliedAnnotation } from '../../shared/kinds/names.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import type { WriteDecision } from '../../shared/plan/decision/decision.ts';
import { type Origin, originOf } from '../../shared/plan/decision/origin.ts';
import { stamped } from '../../shared/plan/decision/stamped.ts';
import type { Difference } from '../../shared/plan/drift/drift.ts';
import type { ObservedChild } from '../../shared/plan/observed/observed.ts';
import { readStamp } from '../../shared/plan/observed/stamp.ts';
import { bareRef, keyOf, type World } from '../../shared/plan/observed/world.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { fooDeployment } from '../support/children.ts';
import { identity, observeChild, observeResource } from '../support/observe.ts';
import { foo } from '../support/resources.ts';
import { shop } from '../support/shop.ts';

const live = observeChild(fooDeployment());
const child = bareRef(live);
const wanted: JsonObject = { spec: { replicas: 1 } };
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
  /** What the child was last applied for; null: it has no stamp. */
  readonly applied?: JsonObject | null;
  /** It was applied for other read objects. */
  readonly readChanged?: boolean;
  /** Another child was applied since, for those that there are now. */
  readonly siblingApplied?: boolean;
  readonly edited?: boolean;
  /** The last run of this generation reported this; it was applied for the one before. */
  readonly unfinished?: string;
  readonly ours?: boolean;
  readonly differences?: readonly Difference[];
}

const cases: Readonly<Record<string, Case>> = {
  'an edit': { edited: true, want: 'edit', why: 'no run has acted on the generation' },
  'a field that others set': {
    applied: wanted,
    differences: [by('kubectl')],
    want: 'drift',
    why: 'the same was wanted before',
  },
  'a field that others removed': {
    applied: wanted,
    differences: [by(undefined)],
    want: 'drift',
    why: 'managedFields show nothing, but the same was wanted before',
  },
  'a field that is newly wanted': {
    applied: older,
    differences: [by(undefined)],
    want: 'code',
    why: 'it looks like one that others removed, but something else was wanted before',
  },
  'drift of a child that changes anyway': {
    applied: older,
    differences: [by('kubectl')],
    want: 'code',
    why: 'one apply does both',
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
    why: 'all of the edit was done',
  },
  'another read object': {
    applied: older,
    readChanged: true,
    want: 'reference',
    why: 'what the resource refers to has changed since',
  },
  'another read object that a run has acted on': {
    applied: older,
    readChanged: true,
    siblingApplied: true,
    want: 'code',
    why: 'another child shows it; this one did not depend on it',
  },
  'another read object that a run is acting on': {
    applied: older,
    readChanged: true,
    siblingApplied: true,
    want: 'reference',
    unfinished: 'Progressing',
    why: 'this child may have waited for the other one',
  },
  'a read object that changes nothing': {
    applied: wanted,
    readChanged: true,
    differences: [by('kubectl')],
    want: 'drift',
    why: 'the same is wanted',
  },
  'no stamp, a field that others set': {
    applied: null,
    differences: [by('kubectl')],
    want: 'drift',
    why: 'managedFields say so',
  },
  'no stamp, a field without a writer': {
    applied: null,
    differences: [by(undefined)],
    want: 'code',
    why: 'in doubt: it waits rather than disturbs',
  },
  'no stamp, a field that others set and one without a writer': {
    applied: null,
    differences: [by('kubectl'), by(undefined)],
    want: 'drift',
    why: 'who takes the stamp away cannot make others wait for it',
  },
  'an adopted child': {
    applied: null,
    ours: false,
    differences: [by(undefined)],
    want: 'drift',
    why: 'we never wrote it',
  },
  'a child that is no longer wanted': {
    verb: 'delete',
    applied: older,
    want: 'code',
    why: 'unedited',
  },
  'a child that its ConfigMap no longer asks for': {
    verb: 'delete',
    applied: older,
    readChanged: true,
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
    applied: wanted,
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
  'managedFields alone': { verb: 'consolidate', want: undefined, why: 'no field changes' },
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
    fields: wanted,
    differences,
    ...(word === 'create' ? { lost: verb === 'lost' } : {}),
  } as WriteDecision;
}

function worldOf(given: Case): World {
  const { applied = null, readChanged, siblingApplied, edited, unfinished, ours = true } = given;
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
  const kind = readChanged === undefined ? fooKind : shop;
  const subject = { identity, kind, children: new Map(), absent: new Set<string>() };
  const spec = { settings: 's', tokens: [] };
  const before = { ...subject, resource: { ...resource, spec }, reads: new Map() };
  const first = { ...before, resource: { ...before.resource, generation: 1 } };
  const stamp = applied === null ? undefined : stampIn(applied, first);
  const { ours: entry, ...rest } = live;
  const observed: ObservedChild = {
    ...rest,
    ours: ours ? entry : undefined,
    ...(stamp === undefined
      ? {}
      : { stamp: readChanged ? { ...stamp, reads: '0000000000000000' } : stamp }),
  };
  return {
    ...before,
    resource: { ...before.resource, generation: resource.generation + (edited ? 1 : 0) },
    children: new Map([
      [keyOf(child), observed],
      ...(siblingApplied ? [['sibling', { ...observed, stamp: stamp! }] as const] : []),
    ]),
  } as World;
}

function stampIn(fields: JsonObject, world: World) {
  const { metadata } = stamped(fields, world, undefined) as never as Parameters<
    typeof readStamp
  >[0];
  expect(metadata.annotations).toHaveProperty([appliedAnnotation]);
  return readStamp({ metadata });
}
