import { describe, expect, it } from 'vitest';
import { type SyncState, syncStateOf } from '../../infra/actions/sync-state.ts';
import { syncStates } from '../../infra/actions/sync-states.ts';
import { observeAnnotation, suspendAnnotation } from '../../shared/kinds/names.ts';
import { type KubeObject, keyOf } from '../../shared/kubernetes.ts';
import type { DecisionBody } from '../../shared/plan/decision/decision.ts';
import type { FightDetector } from '../../shared/plan/drift/contest.ts';
import type { Difference } from '../../shared/plan/drift/differences.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { website as websiteKind } from '../../systems/website.ts';
import { websiteDeployment, websiteService } from '../support/children.ts';
import { decision, planned as planWith } from '../support/decisions.ts';
import { edited, scaled } from '../support/edits.ts';
import { observeResource } from '../support/observe.ts';
import { planWithResults } from '../support/plan-with-results.ts';
import { website } from '../support/resources.ts';
import { worldOf } from '../support/worlds.ts';

type State = SyncState['state'];

interface Case {
  readonly reason: string;
  readonly resource?: KubeObject;
  readonly live?: readonly KubeObject[];
  readonly contested?: FightDetector;
  readonly want: Omit<SyncState, 'message'>;
  readonly message?: string;
  /** States of the Deployment and the Service. */
  readonly children: readonly State[];
  /** Messages of the Deployment and the Service. */
  readonly messages?: readonly (string | undefined)[];
}

const isDeleting = { metadata: { deletionTimestamp: '2026-11-21T11:00:00Z' } };
const bySomebody = { by: 'kubectl-edit', at: '2026-11-21T11:00:00Z' };
const rescaled = edited(websiteDeployment(), bySomebody, (draft) => {
  draft.spec.replicas = 5;
});
const withCondition = (type: string, reason: string, message: string, generation = 1): KubeObject =>
  website({
    status: {
      conditions: [
        {
          type,
          status: type === 'Ready' ? 'False' : 'True',
          reason,
          message,
          observedGeneration: generation,
          lastTransitionTime: '2026-11-21T10:38:35Z',
        },
      ],
    },
  });
/** Empties `status.children`, as before either child was created. */
const childless = (resource: KubeObject): KubeObject => ({
  ...resource,
  status: { ...(resource.status as object), children: [] },
});
const observe = { metadata: { annotations: { [observeAnnotation]: 'true' } } };
const suspend = { metadata: { annotations: { [suspendAnnotation]: 'true' } } };
const drifted = { state: 'Drifted', by: 'kubectl-edit', at: bySomebody.at } as const;
const fought: FightDetector = ({ child }) => `${child.name}!`;

const cases: Record<string, Case> = {
  InSync: {
    reason: 'every child is up to date and ready, and the generation was acted on',
    want: { state: 'InSync' },
    children: ['InSync', 'InSync'],
  },
  New: {
    reason: 'a child that was never created is missing, too',
    resource: website({ status: undefined }),
    live: [],
    want: { state: 'Missing' },
    message: 'Deployment website-sample: not created yet; Service website-sample: not created yet',
    children: ['Missing', 'Missing'],
  },
  'C-4 Deleted': {
    reason: 'Ready is still True, from before the deletion',
    live: [websiteDeployment()],
    want: { state: 'Missing' },
    message: 'Service website-sample: gone, will be created again',
    children: ['InSync', 'Missing'],
  },
  'C-3 Drifted': {
    reason: 'managedFields tell who changed the child, and when',
    live: [rescaled, websiteService()],
    want: drifted,
    message: 'Deployment website-sample: spec.replicas 5 → 2, changed by kubectl-edit',
    children: ['Drifted', 'InSync'],
  },
  'C-3 Scaled': {
    reason: 'the entry of kubectl scale has no time',
    live: [scaled(websiteDeployment(), 5), websiteService()],
    want: { state: 'Drifted', by: 'kubectl' },
    children: ['Drifted', 'InSync'],
  },
  MissingAndDrifted: {
    reason: 'the worst child determines the state and the message',
    live: [rescaled],
    want: { state: 'Missing' },
    message: 'Service website-sample: gone, will be created again',
    children: ['Drifted', 'Missing'],
  },
  'W-1 Edited': {
    reason: 'a child that differs because of an edit was changed by nobody',
    resource: website({ metadata: { generation: 2 }, spec: { imageTag: '2' } }),
    want: { state: 'Progressing' },
    children: ['Progressing', 'InSync'],
  },
  EditedAndDrifted: {
    reason: 'a change by someone else is drift, even if the resource was edited',
    resource: website({ metadata: { generation: 2 }, spec: { nodePort: 31000 } }),
    live: [rescaled, websiteService()],
    want: drifted,
    children: ['Drifted', 'InSync'],
  },
  EditedWithoutEffect: {
    reason: 'the status is still of an older generation',
    resource: website({ metadata: { generation: 2 } }),
    want: { state: 'Progressing', reason: 'GenerationPending' },
    children: ['InSync', 'InSync'],
  },
  Progressing: {
    reason: 'the child is up to date, but not ready yet',
    live: [
      websiteDeployment({ status: { readyReplicas: 1, availableReplicas: 1 } }),
      websiteService(),
    ],
    want: { state: 'Progressing' },
    children: ['Progressing', 'InSync'],
  },
  'C-6 Foreign': {
    reason: 'an object of that name belongs to someone else',
    live: [websiteDeployment(), websiteService({ metadata: { ownerReferences: [] } })],
    want: { state: 'Foreign', reason: 'ErrResourceExists' },
    children: ['InSync', 'Foreign'],
  },
  'C-13 ChildDeleting': {
    reason: 'the resource itself is not being deleted',
    live: [websiteDeployment(isDeleting), websiteService()],
    want: { state: 'Progressing', reason: 'ChildDeleting' },
    message: 'Deployment website-sample is being deleted',
    children: ['Deleting', 'InSync'],
  },
  'C-5 Leftover': {
    reason: 'an unwanted child is drift, unless the resource was edited',
    live: [websiteDeployment(), websiteService(), websiteService({ metadata: { name: 'old' } })],
    want: { state: 'Drifted' },
    message: 'Service old: no longer desired',
    children: ['InSync', 'InSync', 'Unwanted'],
  },
  Deleting: {
    reason: 'children are deleted with their resource',
    resource: website(isDeleting),
    want: { state: 'Deleting' },
    children: ['Deleting', 'Deleting'],
  },
  'C-14 Suspended': {
    reason: 'there is nothing else to report',
    resource: website(suspend),
    want: { state: 'Suspended' },
    message: `nothing is written until the annotation ${suspendAnnotation} is removed`,
    children: ['InSync', 'InSync'],
  },
  'C-14 SuspendedAndDrifted': {
    reason: 'the message shows what a resumption would repair',
    resource: website(suspend),
    live: [rescaled, websiteService()],
    want: { state: 'Suspended' },
    message: `nothing is written until the annotation ${suspendAnnotation} is removed; Drifted: Deployment website-sample: spec.replicas 5 → 2, changed by kubectl-edit`,
    children: ['Drifted', 'InSync'],
  },
  ObservedAndDrifted: {
    reason: 'the message shows what managing it would repair',
    resource: website(observe),
    live: [rescaled, websiteService()],
    want: { state: 'Observed' },
    message: `nothing but the status is written until the annotation ${observeAnnotation} is removed; Drifted: Deployment website-sample: spec.replicas 5 → 2, changed by kubectl-edit`,
    children: ['Drifted', 'InSync'],
  },
  'C-9 InvalidSpec': {
    reason: 'without a valid spec there is no desired state to compare with',
    resource: website({ spec: { imageTag: 5 } }),
    want: { state: 'Blocked', reason: 'InvalidSpec' },
    children: ['Blocked', 'Blocked'],
  },
  'W-3 RefusedByTheServer': {
    reason: 'the last run reports an obstacle, which a plan would try again',
    resource: childless(
      withCondition('Stalled', 'NodePortTaken', 'node port 31000 is held by Service a/b'),
    ),
    live: [websiteDeployment()],
    want: { state: 'Blocked', reason: 'NodePortTaken' },
    message: 'node port 31000 is held by Service a/b',
    messages: [undefined, 'refused in the last run: NodePortTaken'],
    children: ['InSync', 'Missing'],
  },
  RefusedAll: {
    reason: 'the condition does not say which child it is about',
    resource: childless(withCondition('Stalled', 'QuotaExceeded', 'exceeded quota: pods')),
    live: [],
    want: { state: 'Blocked', reason: 'QuotaExceeded' },
    messages: [
      'not created yet; the last run reported QuotaExceeded',
      'not created yet; the last run reported QuotaExceeded',
    ],
    children: ['Missing', 'Missing'],
  },
  AnotherFails: {
    reason: 'a failing Deployment does not block the Service',
    resource: childless(
      withCondition('Stalled', 'ProgressDeadlineExceeded', 'Deployment website-sample: too slow'),
    ),
    live: [
      websiteDeployment({
        status: {
          conditions: [
            { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' },
          ],
        },
      }),
    ],
    want: { state: 'Failed', reason: 'ProgressDeadlineExceeded' },
    messages: ['progress deadline exceeded', 'not created yet'],
    children: ['Failed', 'Missing'],
  },
  AnotherIsBlocked: {
    reason: 'the obstacle of a Service is not that of a Deployment',
    resource: childless(
      withCondition('Stalled', 'ErrResourceExists', 'a Service of this name exists'),
    ),
    live: [websiteService({ metadata: { ownerReferences: [] } })],
    want: { state: 'Foreign', reason: 'ErrResourceExists' },
    messages: [
      'not created yet',
      'Resource "website-sample" already exists and is not managed by Website; it is a Service, labelled as a child of this Website but not owned by it, as after a restore; to take it over: reconciler adopt Website website-sample -n default',
    ],
    children: ['Missing', 'Foreign'],
  },
  RefusedBeforeTheEdit: {
    reason: 'an obstacle of an older generation may be gone',
    resource: withCondition('Stalled', 'NodePortTaken', 'held', 0),
    live: [websiteDeployment()],
    want: { state: 'Missing' },
    children: ['InSync', 'Missing'],
  },
  ObstacleGone: {
    reason: 'the obstacle in the status is outdated once every child is up to date',
    resource: withCondition('Stalled', 'NodePortTaken', 'held'),
    want: { state: 'InSync' },
    children: ['InSync', 'InSync'],
  },
  ContestedNow: {
    reason: 'this plan leaves the child to the next resync',
    live: [rescaled, websiteService()],
    contested: fought,
    want: { state: 'Contested', reason: 'Contested' },
    children: ['Contested', 'InSync'],
  },
  ContestedBefore: {
    reason: 'the last run left the child to the next resync, and this plan is for a resync',
    resource: withCondition('Ready', 'Contested', 'spec.replicas is set again and again by x'),
    live: [rescaled, websiteService()],
    want: { state: 'Contested', reason: 'Contested' },
    children: ['Drifted', 'InSync'],
  },
};

const syncOf = ({ resource = website(), live, contested }: Case) => {
  const given = live ?? [websiteDeployment(), websiteService()];
  const about = { kind: websiteKind, resource: observeResource(resource) };
  const world = { ...about, ...worldOf(...given), detectFight: contested };
  const free = { ...world, resource: { ...world.resource, suspended: false, observeOnly: false } };
  const { planned, world: withResults } = planWithResults(free, given);
  return syncStateOf({ ...withResults, resource: world.resource }, planned);
};

describe('the state of a resource and of its children', () => {
  it.each(Object.entries(cases))('%s', (_, given) => {
    const { sync, children } = syncOf(given);
    const { message, ...found } = sync;
    expect(found, given.reason).toEqual(given.want);
    if (given.message !== undefined) expect(message, given.reason).toBe(given.message);
    expect(
      children.map((one) => one.sync.state),
      given.reason,
    ).toEqual(given.children);
    if (given.messages !== undefined)
      expect(
        children.map((one) => one.sync.message),
        given.reason,
      ).toEqual(given.messages);
  });

  it('a resource is in sync only if each child is', () => {
    for (const [name, given] of Object.entries(cases)) {
      const { sync, children } = syncOf(given);
      const all = children.every((one) => one.sync.state === 'InSync');
      if (sync.state === 'InSync') expect(all, name).toBe(true);
    }
  });

  it('C-3 an older change is not shown as the latest if the drift has no time', () => {
    const { children } = syncOf(cases['C-3 Scaled'] as Case);
    expect(children.map(({ changed }) => changed?.manager)).toEqual([
      undefined,
      'serverless-reconciler',
    ]);
  });

  it('every other state has a message', () => {
    const seen = Object.values(cases).flatMap((given) => {
      const { sync, children } = syncOf(given);
      return [sync, ...children.map((one) => one.sync)];
    });
    for (const { state, message } of seen) if (state !== 'InSync') expect(message).toBeTruthy();
    const found = new Set(seen.map(({ state }) => state));
    expect(syncStates.filter((state) => !found.has(state))).toEqual([]);
  });
});

const worldWith = (live: readonly KubeObject[], resource = website()) => ({
  kind: websiteKind,
  resource: observeResource(resource),
  ...worldOf(...live),
});
const name = 'website-sample';
const why = { reason: 'Held', message: 'it is held' };
const lock = 'previous' as const;
const none: DecisionBody = { verb: 'none' };
const changing = (...differences: readonly Difference[]): DecisionBody => ({
  verb: 'update',
  lock,
  fields: {},
  differences,
});
const difference = (path: string, manager?: string, time?: string): Difference => ({
  path,
  from: 1,
  to: 2,
  writer: manager === undefined ? undefined : { manager, time },
});

describe('the state of a child for a decision', () => {
  const childSync = (body: DecisionBody, live: readonly KubeObject[] = [websiteDeployment()]) =>
    syncStateOf(worldWith(live), planWith([decision('Deployment', name, body)]));
  const failed = websiteDeployment({
    status: {
      conditions: [
        { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'no' },
      ],
    },
  } as never);
  const cases: readonly [string, DecisionBody, readonly KubeObject[], object][] = [
    ['up to date, and ready', none, [websiteDeployment()], { state: 'InSync' }],
    [
      'up to date, and failed',
      none,
      [failed],
      { state: 'Failed', reason: 'ProgressDeadlineExceeded' },
    ],
    ['up to date, but not listed', none, [], { state: 'InSync' }],
    [
      'up to date, with old managedFields entries',
      { verb: 'consolidate', lock },
      [websiteDeployment()],
      { state: 'InSync' },
    ],
    [
      'closed before it is deleted',
      { verb: 'withdraw', lock, difference: { ...difference('spec'), to: [] } },
      [websiteDeployment()],
      { state: 'Unwanted', message: 'no longer desired' },
    ],
    [
      'no longer desired',
      { verb: 'delete', lock },
      [websiteDeployment()],
      { state: 'Unwanted', message: 'no longer desired' },
    ],
    [
      'to be kept without its resource',
      { verb: 'release', lock },
      [websiteDeployment()],
      { state: 'Progressing', message: 'loses its owner reference, and stays' },
    ],
    [
      'no longer desired, for a reason',
      { verb: 'delete', lock, ...why },
      [websiteDeployment()],
      { state: 'Unwanted', ...why },
    ],
    ['waiting to be created', { verb: 'wait', ...why }, [], { state: 'Progressing', ...why }],
    [
      'waiting to be changed',
      { verb: 'wait', ...why },
      [websiteDeployment()],
      { state: 'Progressing', ...why },
    ],
    [
      'waiting for its own deletion',
      { verb: 'wait', ...why },
      [websiteDeployment(isDeleting)],
      { state: 'Deleting', ...why },
    ],
    ['blocked', { verb: 'block', ...why }, [], { state: 'Blocked', ...why }],
    [
      'refused',
      { verb: 'fail', ...why, transient: false },
      [websiteDeployment()],
      { state: 'Failed', ...why },
    ],
  ];
  it.each(cases)('%s', (_, body, live, want) => {
    const [found] = childSync(body, live).children;
    const { message, ...rest } = want as SyncState;
    const { message: said, ...state } = found!.sync;
    expect(state).toEqual(rest);
    if (message !== undefined) expect(said).toBe(message);
  });

  it('is the worst of several decisions about one child', () => {
    const bodies: DecisionBody[] = [none, { verb: 'block', ...why }];
    const all = bodies.map((body) => decision('Deployment', name, body));
    const { children } = syncStateOf(worldWith([websiteDeployment()]), planWith(all));
    expect(children.map(({ sync }) => sync.state)).toEqual(['Blocked']);
  });

  it.each(['Deployment website-sample: no', 'Deployment website-sample waits', 'no'])(
    'names the child once in the message of its resource: %j',
    (message) => {
      const { sync } = childSync({ verb: 'block', ...why, message }, [websiteDeployment()]);
      expect(sync.message?.match(/Deployment website-sample/g)).toHaveLength(1);
    },
  );

  it('C-3 has all differences, and the last writer', () => {
    const body = changing(
      difference('spec.a', 'early', '2026-11-21T10:00:00Z'),
      difference('spec.b'),
      difference('spec.c', 'late', '2026-11-21T12:00:00Z'),
      difference('spec.d', 'undated'),
    );
    const [found] = childSync(body).children;
    expect(found?.sync).toMatchObject({
      state: 'Drifted',
      by: 'late',
      at: '2026-11-21T12:00:00Z',
      message: expect.stringMatching(/^spec.a 1 → 2.*; spec.b 1 → 2.*; spec.c .*; spec.d /),
    });
    expect(found?.differences.map(({ path }) => path)).toHaveLength(4);
  });

  it('C-3 has no writer if no managedFields entry has the change', () => {
    const [found] = childSync(changing(difference('spec.a'))).children;
    expect(found?.sync).toStrictEqual({ state: 'Drifted', message: found?.sync.message });
    const [undated] = childSync(changing(difference('spec.a', 'x'))).children;
    expect(undated?.sync).toStrictEqual({
      state: 'Drifted',
      message: undated?.sync.message,
      by: 'x',
    });
  });

  it('has no differences if the child is only compared', () => {
    expect(childSync(none).children[0]?.differences).toEqual([]);
  });
});

describe('a child in the status output', () => {
  const childOf = (live: readonly KubeObject[], body: DecisionBody = none) =>
    syncStateOf(worldWith(live), planWith([decision('Deployment', name, body)])).children[0]!;

  it.each([
    ['ready', websiteDeployment(), { state: 'Current' }],
    ['being deleted', websiteDeployment(isDeleting), { state: 'Deleting' }],
    [
      'owned by someone else',
      websiteDeployment({ metadata: { ownerReferences: [] } }),
      { state: 'Absent' },
    ],
  ])('%s', (_, live, want) => {
    expect(childOf([live]).health).toEqual(want);
  });

  it('states why it is not ready', () => {
    const live = websiteDeployment({ status: { readyReplicas: 1, availableReplicas: 1 } });
    const { health } = childOf([live]);
    expect(health).toEqual({ state: 'InProgress', message: expect.stringMatching(/./) });
  });

  it('whose step is complete may be Absent, and has no last change', () => {
    expect(childOf([], { verb: 'none', completion: 'x' })).toStrictEqual({
      child: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      sync: { state: 'InSync', message: 'completed, then deleted' },
      health: { state: 'Absent' },
      differences: [],
    });
  });

  const orphaned = websiteDeployment({
    metadata: { ownerReferences: [] },
    status: { availableReplicas: 0 },
  });
  it.each([
    ['absent', []],
    ["somebody else's", [orphaned]],
  ])('that must be gone is in sync if it is %s', (_, live) => {
    const { sync, health } = childOf(live);
    expect(sync).toEqual({ state: 'InSync', message: 'gone or kept, as the clean-up requires' });
    expect(health).toEqual({ state: 'Absent' });
  });

  it.each([
    ['Forbidden', 'Unknown'],
    ['TypeNotServed', 'Absent'],
  ])('of a type that could not be listed (%s) is %s', (reason, state) => {
    const failure = { reason, message: 'no', transient: false };
    const world = { ...worldWith([]), unlisted: new Map([['deployments.apps', failure]]) };
    const all = [decision('Deployment', name, { verb: 'block', reason, message: 'no' })];
    expect(syncStateOf(world, planWith(all)).children[0]?.health).toEqual({ state });
  });

  it('states who changed it last, and when', () => {
    const at = (time: string) => ({ by: `at-${time}`, at: `2026-11-21T${time}:00Z` });
    const once = edited(websiteDeployment(), at('13:00'), (draft) => {
      draft.spec.paused = true;
    });
    const twice = edited(once, at('12:00'), (draft) => {
      draft.spec.minReadySeconds = 1;
    });
    expect(childOf([twice]).changed).toEqual({
      manager: 'at-13:00',
      time: '2026-11-21T13:00:00Z',
    });
    expect(childOf([rescaled], changing(difference('spec.replicas', 'x', 'then'))).changed).toEqual(
      { manager: 'kubectl-edit', time: bySomebody.at },
    );
  });

  it('has no last change if no managedFields entry has a time', () => {
    const untimed = (websiteDeployment().metadata.managedFields ?? []).map(
      ({ time: _, ...entry }) => entry,
    );
    const live = websiteDeployment({ metadata: { managedFields: untimed } } as never);
    expect(childOf([live])).not.toHaveProperty('changed');
    const bare = websiteDeployment({ metadata: { managedFields: [] } } as never);
    expect(childOf([bare])).not.toHaveProperty('changed');
  });
});

describe('a resource in the status output', () => {
  it('is not compared if an object that it needs could not be read', () => {
    const { sync, children } = syncStateOf(worldWith([websiteDeployment()]), {
      state: 'unseen',
      names: [],
    } as unknown as Plan);
    const message = 'some objects that its plan needs could not be read';
    expect(sync).toEqual({ state: 'Failed', reason: 'NotRead', message });
    expect(children.map((one) => one.sync.state)).toEqual(['Blocked']);
  });

  it('without children is in sync', () => {
    expect(syncStateOf(worldWith([]), planWith([])).sync).toEqual({ state: 'InSync' });
  });

  it('is Progressing after an edit until unwanted children are pruned', () => {
    const resource = website({ metadata: { generation: 2 } });
    const deletion = decision('Service', 'old', { verb: 'delete', lock });
    const { sync } = syncStateOf(worldWith([], resource), planWith([], [deletion]));
    expect(sync).toEqual({ state: 'Progressing', message: 'Service old: no longer desired' });
  });

  it('names after an edit what waits before unwanted children', () => {
    const resource = website({ metadata: { generation: 2 } });
    const message = `Deployment ${name} waits for Job one`;
    const waits = decision('Deployment', name, {
      verb: 'wait',
      reason: 'DependencyPending',
      message,
    });
    const deletion = decision('Service', 'old', { verb: 'delete', lock });
    const { sync } = syncStateOf(worldWith([], resource), planWith([waits], [deletion]));
    expect(sync).toEqual({
      state: 'Progressing',
      reason: 'DependencyPending',
      message: `${message}; Service old: no longer desired`,
    });
  });

  it('is Progressing if a child to be created waits for one that waits', () => {
    const why = { reason: 'DependencyPending', message: 'Service s waits for Cluster db' };
    const waits = decision('Service', 's', { verb: 'wait', ...why });
    const create = decision('Deployment', name, { verb: 'create', existed: false, fields: {} });
    const created = { ...create, needs: [waits.child] };
    const { sync, children } = syncStateOf(worldWith([]), planWith([created, waits]));
    expect(sync).toMatchObject({ state: 'Progressing', reason: 'DependencyPending' });
    expect(children[0]?.sync.message).toBe(`Deployment ${name} waits for Service s`);
  });

  it('is Progressing until a step is complete', () => {
    const planned = planWith([decision('Deployment', name, none)]);
    const steps = [keyOf({ apiVersion: 'apps/v1', kind: 'Deployment', name })];
    const { children } = syncStateOf(worldWith([websiteDeployment()]), {
      ...planned,
      steps,
    } as Plan);
    expect(children).toMatchObject([
      {
        sync: { state: 'Progressing', message: 'not complete yet' },
        health: { state: 'InProgress' },
      },
    ]);
  });
});
