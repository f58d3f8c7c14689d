import { describe, expect, it } from 'vitest';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import { daemonSet } from '../../shared/kinds/child-types/apps.ts';
import { job } from '../../shared/kinds/child-types/batch.ts';
import { persistentVolumeClaim, pod } from '../../shared/kinds/child-types/core.ts';
import { podDisruptionBudget } from '../../shared/kinds/child-types/small-groups.ts';
import type { Readiness } from '../../shared/kinds/readiness.ts';
import { apiVersionOf, type JsonObject, type KubeObject } from '../../shared/kubernetes.ts';
import { websiteDeployment, websiteService } from '../support/children.ts';
import {
  containerAppAutoscaler,
  containerAppIngress,
} from '../support/children-of-container-app.ts';
import { databaseSecret, databaseStatefulSet } from '../support/children-of-database.ts';
import { typeOf } from '../support/observe.ts';

const inProgress = (message: string): Readiness => ({ state: 'InProgress', message });
const unseen = inProgress('the Deployment controller has not observed the latest change yet');

const cases: Record<string, { reason: string; given: KubeObject; want: Readiness }> = {
  Current: {
    reason: 'all there, all new, all available',
    given: websiteDeployment(),
    want: { state: 'Current' },
  },
  New: {
    reason: 'the controller has not written a status yet',
    given: websiteDeployment({ status: undefined }),
    want: unseen,
  },
  OldGeneration: {
    reason: 'its status is of an older generation',
    given: websiteDeployment({ metadata: { generation: 2 } }),
    want: unseen,
  },
  NotUpdated: {
    reason: 'the first rung: new pods',
    given: websiteDeployment({ status: { updatedReplicas: 1 } }),
    want: inProgress('1 of 2 replicas updated'),
  },
  OldPods: {
    reason: 'the second rung: no old pods',
    given: websiteDeployment({ status: { replicas: 3 } }),
    want: inProgress('1 old replicas still running'),
  },
  NotAvailable: {
    reason: 'the third rung: pods that answer',
    given: websiteDeployment({ status: { availableReplicas: undefined } }),
    want: inProgress('0 of 2 replicas available'),
  },
  DeadlineExceeded: {
    reason: 'the controller gave up: waiting does not help',
    given: websiteDeployment({
      status: {
        availableReplicas: 0,
        conditions: [
          {
            type: 'Progressing',
            status: 'False',
            reason: 'ProgressDeadlineExceeded',
            message: 'ReplicaSet "x" has timed out progressing.',
          },
        ],
      },
    }),
    want: {
      state: 'Failed',
      reason: 'ProgressDeadlineExceeded',
      message: 'ReplicaSet "x" has timed out progressing.',
    },
  },
  DeadlineOfOldGeneration: {
    reason: 'a failure of an older generation does not concern the new one',
    given: websiteDeployment({
      metadata: { generation: 2 },
      status: { conditions: [{ type: 'Progressing', reason: 'ProgressDeadlineExceeded' }] },
    }),
    want: unseen,
  },
  ScaledToNone: {
    reason: 'zero wanted, none missing',
    given: websiteDeployment({
      spec: { replicas: 0 },
      status: { replicas: 0, updatedReplicas: 0, availableReplicas: 0 },
    }),
    want: { state: 'Current' },
  },
  ReplicasAbsent: {
    reason: 'without a number it is one',
    given: websiteDeployment({
      spec: { replicas: undefined },
      status: { replicas: 1, updatedReplicas: 1, availableReplicas: 0 },
    }),
    want: inProgress('0 of 1 replicas available'),
  },
  Service: {
    reason: 'a Service exists or not',
    given: websiteService(),
    want: { state: 'Current' },
  },
  LoadBalancer: {
    reason: 'an external address is not waited for',
    given: websiteService({ spec: { type: 'LoadBalancer' } }),
    want: { state: 'Current' },
  },
  Secret: { reason: 'it exists or not', given: databaseSecret(), want: { state: 'Current' } },
  Ingress: { reason: 'it exists or not', given: containerAppIngress(), want: { state: 'Current' } },
  Autoscaler: {
    reason: 'whether it has metrics is not waited for',
    given: containerAppAutoscaler(),
    want: { state: 'Current' },
  },
};

const notObserved = inProgress('the StatefulSet controller has not observed the latest change yet');
const statefulSets: typeof cases = {
  'D-7 Current': {
    reason: 'all there, all ready, all new',
    given: databaseStatefulSet(),
    want: { state: 'Current' },
  },
  'D-7 New': {
    reason: 'the controller has not written a status yet',
    given: databaseStatefulSet({ status: undefined }),
    want: notObserved,
  },
  'D-7 OldGeneration': {
    reason: 'its status is of an older generation',
    given: databaseStatefulSet({ metadata: { generation: 2 } }),
    want: notObserved,
  },
  'D-7 TooFew': {
    reason: 'one pod after the other',
    given: databaseStatefulSet({ spec: { replicas: 3 } }),
    want: inProgress('1 of 3 replicas created'),
  },
  'D-7 NotReady': {
    reason: 'none ready is left out of the status',
    given: databaseStatefulSet({ status: { readyReplicas: undefined } }),
    want: inProgress('0 of 1 replicas ready'),
  },
  'D-7 TooMany': {
    reason: 'scaled down: the rest is still going',
    given: databaseStatefulSet({ status: { replicas: 3, readyReplicas: 3, updatedReplicas: 3 } }),
    want: inProgress('2 excess replicas still running'),
  },
  'D-7 NotUpdated': {
    reason: 'ready, but with the old image',
    given: databaseStatefulSet({ status: { updatedReplicas: undefined } }),
    want: inProgress('0 of 1 replicas updated'),
  },
  'D-7 Partition': {
    reason: 'a partition holds back part of the update',
    given: databaseStatefulSet({
      spec: { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
      status: { replicas: 3, readyReplicas: 3, updatedReplicas: 1 },
    }),
    want: { state: 'Current' },
  },
  'D-7 PartitionNotUpdated': {
    reason: 'and that part is not ready yet',
    given: databaseStatefulSet({
      spec: { replicas: 3, updateStrategy: { rollingUpdate: { partition: 1 } } },
      status: { replicas: 3, readyReplicas: 3, updatedReplicas: 1 },
    }),
    want: inProgress('1 of 2 replicas updated'),
  },
  'D-7 PartitionBeyond': {
    reason: 'held back altogether',
    given: databaseStatefulSet({
      spec: { updateStrategy: { rollingUpdate: { partition: 5 } } },
      status: { updatedReplicas: undefined },
    }),
    want: { state: 'Current' },
  },
  'D-7 OnDelete': {
    reason: 'pods are updated by hand: no waiting for it',
    given: databaseStatefulSet({
      spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: undefined } },
      status: { updatedReplicas: undefined },
    }),
    want: { state: 'Current' },
  },
  'D-7 OnDeleteNotReady': {
    reason: 'but they have to be there and ready',
    given: databaseStatefulSet({
      spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: undefined } },
      status: { readyReplicas: undefined },
    }),
    want: inProgress('0 of 1 replicas ready'),
  },
  'D-7 ReplicasAbsent': {
    reason: 'without a number it is one',
    given: databaseStatefulSet({ spec: { replicas: undefined }, status: { replicas: 0 } }),
    want: inProgress('0 of 1 replicas created'),
  },
};

const liveOf = (type: ChildType, spec: JsonObject, status?: JsonObject): KubeObject => ({
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  metadata: {
    name: 'shop',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '1',
    generation: 2,
    creationTimestamp: '2026-11-22T10:00:00Z',
  },
  spec,
  ...(status === undefined ? {} : { status }),
});
const current: Readiness = { state: 'Current' };
const seen = { observedGeneration: 2 };
const nodes = { desiredNumberScheduled: 3, currentNumberScheduled: 3, updatedNumberScheduled: 3 };
const daemons = { ...seen, ...nodes, numberAvailable: 3, numberReady: 3 };
const isTrue = (type: string, more: JsonObject = {}): JsonObject => ({
  conditions: [{ type, status: 'True', ...more }],
});

interface TypedCase {
  readonly type: ChildType;
  readonly reason: string;
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  readonly want: Readiness;
}

const typed: Record<string, TypedCase> = {
  DaemonSet: {
    type: daemonSet,
    reason: 'a pod on every node that should run one',
    status: daemons,
    want: current,
  },
  DaemonSetNew: {
    type: daemonSet,
    reason: 'the controller has not written a status yet',
    want: inProgress('the DaemonSet controller has not observed the latest change yet'),
  },
  DaemonSetNodes: {
    type: daemonSet,
    reason: 'the first rung: a pod on each node',
    status: { ...daemons, currentNumberScheduled: 1 },
    want: inProgress('1 of 3 pods created'),
  },
  DaemonSetOld: {
    type: daemonSet,
    reason: 'the second: of the new template',
    status: { ...daemons, updatedNumberScheduled: 2 },
    want: inProgress('2 of 3 pods updated'),
  },
  DaemonSetByHand: {
    type: daemonSet,
    reason: 'with OnDelete a person updates them',
    spec: { updateStrategy: { type: 'OnDelete' } },
    status: { ...daemons, updatedNumberScheduled: 0 },
    want: current,
  },
  DaemonSetNotAvailable: {
    type: daemonSet,
    reason: 'the third: for long enough',
    status: { ...daemons, numberAvailable: 2 },
    want: inProgress('2 of 3 pods available'),
  },
  DaemonSetNoNode: {
    type: daemonSet,
    reason: 'no node matches, so none is missing',
    status: seen,
    want: current,
  },
  Job: {
    type: job,
    reason: 'it exists, and is not started',
    want: inProgress('not started yet'),
  },
  JobStarted: {
    type: job,
    reason: 'its end is not waited for',
    status: { startTime: '2026-11-22T10:00:00Z', active: 1 },
    want: current,
  },
  JobComplete: {
    type: job,
    reason: 'done',
    status: isTrue('Complete'),
    want: current,
  },
  JobFailed: {
    type: job,
    reason: 'it will not be tried again',
    status: {
      startTime: '2026-11-22T10:00:00Z',
      ...isTrue('Failed', { reason: 'BackoffLimitExceeded', message: 'tried 7 times' }),
    },
    want: { state: 'Failed', reason: 'BackoffLimitExceeded', message: 'tried 7 times' },
  },
  JobNotFailed: {
    type: job,
    reason: 'a condition may be False',
    status: { conditions: [{ type: 'Failed', status: 'False' }] },
    want: inProgress('not started yet'),
  },
  JobSuspended: {
    type: job,
    reason: 'it is not supposed to start',
    spec: { suspend: true },
    want: current,
  },
  Claim: {
    type: persistentVolumeClaim,
    reason: 'it has its volume',
    status: { phase: 'Bound' },
    want: current,
  },
  ClaimPending: {
    type: persistentVolumeClaim,
    reason: 'a volume is made, or a pod waited for',
    status: { phase: 'Pending' },
    want: inProgress('not bound yet, its phase is Pending'),
  },
  ClaimLost: {
    type: persistentVolumeClaim,
    reason: 'its volume is gone',
    status: { phase: 'Lost' },
    want: inProgress('not bound yet, its phase is Lost'),
  },
  ClaimNew: {
    type: persistentVolumeClaim,
    reason: 'no status yet',
    want: inProgress('not bound yet, its phase is Pending'),
  },
  Budget: {
    type: podDisruptionBudget,
    reason: 'the allowed disruptions are computed',
    status: seen,
    want: current,
  },
  BudgetOld: {
    type: podDisruptionBudget,
    reason: 'for an older generation',
    status: { observedGeneration: 1 },
    want: inProgress('the PodDisruptionBudget controller has not observed the latest change yet'),
  },
  Pod: {
    type: pod,
    reason: 'it runs and answers',
    status: { phase: 'Running', ...isTrue('Ready') },
    want: current,
  },
  PodNotReady: {
    type: pod,
    reason: 'it runs',
    status: { phase: 'Running' },
    want: inProgress('running, but not ready yet'),
  },
  PodCrashing: {
    type: pod,
    reason: 'its container is restarted again and again',
    status: {
      phase: 'Running',
      containerStatuses: [
        { name: 'a', state: {} },
        { name: 'b', state: { waiting: { reason: 'CrashLoopBackOff' } } },
      ],
    },
    want: { state: 'Failed', reason: 'CrashLoopBackOff', message: 'container b keeps crashing' },
  },
  PodUnschedulable: {
    type: pod,
    reason: 'a node may join',
    status: {
      phase: 'Pending',
      conditions: [
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' },
      ],
    },
    want: inProgress('not scheduled yet: 0/3 nodes'),
  },
  PodPending: {
    type: pod,
    reason: 'images are pulled',
    status: { phase: 'Pending' },
    want: inProgress('not running yet, its phase is Pending'),
  },
  PodSucceeded: {
    type: pod,
    reason: 'all containers ended well',
    status: { phase: 'Succeeded' },
    want: current,
  },
  PodFailed: {
    type: pod,
    reason: 'it is not started again',
    status: { phase: 'Failed', reason: 'Evicted', message: 'the node was low on memory' },
    want: { state: 'Failed', reason: 'Evicted', message: 'the node was low on memory' },
  },
};

describe('readiness of further child types', () => {
  it.each(Object.entries(typed))('%s', (_, { type, reason, spec = {}, status, want }) => {
    expect(type.readiness?.(liveOf(type, spec, status)), reason).toEqual(want);
  });
});

describe('readiness of a child type', () => {
  it.each(Object.entries({ ...cases, ...statefulSets }))('%s', (_, { reason, given, want }) => {
    expect(typeOf(given)?.readiness?.(given) ?? { state: 'Current' }, reason).toEqual(want);
  });
});
