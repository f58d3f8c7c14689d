import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../shared/kubernetes.ts';
import type { Outcome } from '../../shared/plan/decision/outcome.ts';
import { plan } from '../../shared/plan/plan.ts';
import { findingOf } from '../../shared/plan/status/finding.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { casesOf } from '../support/cases.ts';
import { fooDeployment } from '../support/children.ts';
import { observeResource } from '../support/observe.ts';
import { planWithResults } from '../support/plan-with-results.ts';
import { createdAt, foo } from '../support/resources.ts';
import { worldOf } from '../support/worlds.ts';

const child = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'foo-sample' };
const outcome = (result: Outcome['result'], over: Partial<Outcome> = {}): Outcome => ({
  child,
  result,
  ...over,
});
const leftover = fooDeployment({ metadata: { name: 'old' } });
const foreign = fooDeployment({ metadata: { ownerReferences: [] } });

interface Want {
  readonly state: string;
  readonly desired: readonly string[];
  readonly others: readonly string[];
  readonly acted: boolean;
}

interface Case {
  readonly reason: string;
  readonly resource?: KubeObject;
  readonly live?: readonly KubeObject[];
  /** The names that were read by name and do not exist. */
  readonly absent?: readonly string[];
  readonly outcomes?: readonly Outcome[];
  readonly want: Want | undefined;
}

const inPlace: Want = { state: 'Ready', desired: ['foo-sample'], others: [], acted: true };

const cases: Record<string, Case> = {
  InPlace: {
    reason: 'lists a desired child that exists',
    outcomes: [outcome('unchanged')],
    want: inPlace,
  },
  'C-5 Leftover': {
    reason: 'lists a child of ours that is no longer desired',
    live: [fooDeployment(), leftover],
    outcomes: [outcome('unchanged'), outcome('skipped', { reason: 'PruningPending' })],
    want: { ...inPlace, state: 'Reconciling', others: ['old'], acted: false },
  },
  'C-5 LeftoverRefused': {
    reason: 'the generation is not acted on while a deletion that it needs is pending',
    live: [fooDeployment(), leftover],
    outcomes: [outcome('failed', { reason: 'Forbidden' })],
    want: { ...inPlace, state: 'Stalled', others: ['old'], acted: false },
  },
  'C-5 LeftoverHeldBack': {
    reason: 'the generation is acted on while a deletion waits for a blocked child',
    live: [fooDeployment(), leftover],
    outcomes: [outcome('blocked'), outcome('skipped', { reason: 'PruningPending' })],
    want: { ...inPlace, state: 'Stalled', others: ['old'], acted: false },
  },
  'C-2 LeftoversInOrder': {
    reason: 'sorts children, so that the order of lists does not change the status',
    live: [
      fooDeployment({ metadata: { name: 'z' } }),
      fooDeployment(),
      fooDeployment({ metadata: { name: 'a' } }),
      leftover,
    ],
    want: { ...inPlace, others: ['a', 'old', 'z'], acted: false },
  },
  'C-6 Foreign': {
    reason: 'does not list a foreign object, desired or not',
    live: [foreign, fooDeployment({ metadata: { name: 'old', ownerReferences: [] } })],
    outcomes: [outcome('blocked', { reason: 'ErrResourceExists' })],
    want: { state: 'Stalled', desired: [], others: [], acted: true },
  },
  'C-10 Transient': {
    reason: 'the generation is not acted on after a transient failure',
    outcomes: [outcome('failed', { transient: true })],
    want: { ...inPlace, state: 'Reconciling', acted: false },
  },
  'C-10 Permanent': {
    reason: 'the generation is acted on if only an edit can help',
    outcomes: [outcome('failed', { reason: 'Invalid' })],
    want: { ...inPlace, state: 'Stalled' },
  },
  'C-13 Waiting': {
    reason: 'the generation is not acted on while a child is being deleted',
    live: [fooDeployment({ metadata: { deletionTimestamp: createdAt } })],
    outcomes: [outcome('skipped')],
    want: { ...inPlace, state: 'Reconciling', acted: false },
  },
  'C-9 Invalid': {
    reason: 'the generation of an invalid spec is acted on, and existing children stay listed',
    resource: foo({ spec: { deploymentName: '' } }),
    want: { state: 'InvalidSpec', desired: [], others: ['foo-sample'], acted: true },
  },
  'C-9 InvalidAndUnseen': {
    reason: 'a child without labels stays listed even if the resource is not planned',
    resource: foo({ spec: { deploymentName: '' } }),
    live: [],
    want: { state: 'InvalidSpec', desired: [], others: ['foo-sample'], acted: true },
  },
  'C-5 NotCreated': {
    reason: 'a child that could not be recreated stays listed',
    live: [],
    outcomes: [outcome('failed', { reason: 'Forbidden' })],
    want: { state: 'Stalled', desired: [], others: ['foo-sample'], acted: true },
  },
  'C-5 ReadAndAbsent': {
    reason: 'a child that was read and found absent is not listed',
    live: [],
    absent: ['apps/v1/Deployment/foo-sample'],
    outcomes: [outcome('failed', { reason: 'Forbidden' })],
    want: { state: 'Stalled', desired: [], others: [], acted: true },
  },
  'law 12 DeletedAgain': {
    reason: 'a child that others keep deleting stays listed, so that the next resync knows it',
    live: [],
    absent: ['apps/v1/Deployment/foo-sample'],
    outcomes: [
      outcome('unchanged', { child: { ...child, name: 'other' } }),
      outcome('skipped', { reason: 'Contested' }),
    ],
    want: {
      state: 'Reconciling',
      desired: [],
      others: ['foo-sample'],
      acted: false,
    },
  },
  'law 12 ContestedBeside': {
    reason: 'an absent child is not listed because of a fight over another child',
    live: [],
    absent: ['apps/v1/Deployment/foo-sample'],
    outcomes: [
      outcome('updated'),
      outcome('skipped', { reason: 'Contested', child: { ...child, name: 'other' } }),
    ],
    want: { state: 'Reconciling', desired: [], others: [], acted: false },
  },
  'law 12 ContestedAndThere': {
    reason: 'a contested child that exists after all is listed once',
    absent: ['apps/v1/Deployment/foo-sample'],
    outcomes: [outcome('skipped', { reason: 'Contested' })],
    want: { ...inPlace, state: 'Reconciling', acted: false },
  },
  'C-2 UnseenInOrder': {
    reason: 'sorts children that were not read, too',
    resource: foo({
      status: { children: [{ ...child, name: 'z' }, child, { ...child, name: 'a' }] },
    }),
    live: [],
    outcomes: [outcome('failed', { reason: 'Forbidden' })],
    want: {
      state: 'Stalled',
      desired: [],
      others: ['a', 'foo-sample', 'z'],
      acted: false,
    },
  },
  'C-5 KindOfThePast': {
    reason: 'a child of an unknown type is not listed',
    resource: foo({
      status: { children: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'x' }] },
    }),
    want: inPlace,
  },
  'C-6 WaitsForBlocked': {
    reason: 'a child that waits for a blocked one does not make the resource Reconciling',
    outcomes: [outcome('blocked', { reason: 'ErrResourceExists' }), outcome('skipped')],
    want: { ...inPlace, state: 'Stalled', acted: true },
  },
  'C-14 Suspended': {
    reason: 'a suspended resource is neither Ready nor not Ready by its children',
    resource: foo({ metadata: { annotations: { 'serverless-reconciler/suspend': 'true' } } }),
    want: undefined,
  },
  'C-7 Deleting': {
    reason: 'a resource that is being deleted has no finding',
    resource: foo({ metadata: { deletionTimestamp: createdAt } }),
    want: undefined,
  },
};

describe('findingOf', () => {
  it.each(casesOf(cases))('%s', (_, { reason, want, ...given }) => {
    const resource = observeResource(given.resource ?? foo());
    const live = given.live ?? [fooDeployment()];
    const world = { ...worldOf(...live), kind: fooKind, resource, absent: new Set(given.absent) };
    const { planned } = planWithResults(world, live);
    const finding = findingOf(world, planned, given.outcomes ?? []);
    expect(
      finding && {
        state:
          'reason' in finding.summary && finding.summary.reason === 'InvalidSpec'
            ? finding.summary.reason
            : finding.summary.state,
        desired: finding.desired.map(({ name }) => name),
        others: finding.others.map(({ name }) => name),
        acted: finding.acted,
      },
      reason,
    ).toEqual(want);
  });

  it('F-2 has the message of the refused spec', () => {
    const resource = observeResource(foo({ spec: { deploymentName: '' } }));
    const world = { kind: fooKind, resource, ...worldOf() };
    expect(findingOf(world, plan(world), [])?.summary).toEqual({
      state: 'Stalled',
      reason: 'InvalidSpec',
      message: 'deploymentName must be specified',
    });
  });
});
