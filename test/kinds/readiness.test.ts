import { describe, expect, it } from 'vitest';
import type { Readiness } from '../../shared/kinds/readiness.ts';
import type { KubeObject } from '../../shared/kubernetes.ts';
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
  LoadBalancerNoIp: {
    reason: 'a cluster IP is',
    given: websiteService({ spec: { type: 'LoadBalancer', clusterIP: undefined } }),
    want: inProgress('no cluster IP assigned yet'),
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

describe('readiness of a child type', () => {
  it.each(Object.entries({ ...cases, ...statefulSets }))('%s', (_, { reason, given, want }) => {
    expect(typeOf(given)?.readiness?.(given) ?? { state: 'Current' }, reason).toEqual(want);
  });
});
