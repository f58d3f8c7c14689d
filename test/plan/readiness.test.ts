import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../shared/kubernetes.ts';
import { factsOf, type Readiness, readinessOf } from '../../shared/plan/readiness.ts';
import { websiteDeployment, websiteService } from '../support/children.ts';

const inProgress = (message: string): Readiness => ({ state: 'InProgress', message });
const unseen = inProgress('the Deployment controller has not seen the newest change yet');

const cases: Record<string, { reason: string; given: KubeObject; want: Readiness }> = {
  Current: {
    reason: 'all there, all new, all available',
    given: websiteDeployment(),
    want: { state: 'Current' },
  },
  New: {
    reason: 'the controller has not said anything yet',
    given: websiteDeployment({ status: undefined }),
    want: unseen,
  },
  OldGeneration: {
    reason: 'what it says is of an older specification',
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
    reason: 'the controller gives up: no waiting helps',
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
    reason: 'a failure of the older specification says nothing of the new one',
    given: websiteDeployment({
      metadata: { generation: 2 },
      status: { conditions: [{ type: 'Progressing', reason: 'ProgressDeadlineExceeded' }] },
    }),
    want: unseen,
  },
  ScaledToNone: {
    reason: 'nothing wanted is nothing missing',
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
    reason: 'a Service is there or not',
    given: websiteService(),
    want: { state: 'Current' },
  },
};

describe('readinessOf', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
    expect(readinessOf(given), reason).toEqual(want);
  });
});

const facts: Record<string, { reason: string; given: KubeObject; want: object }> = {
  'F-4 Available': {
    reason: 'as the controller counts them',
    given: websiteDeployment(),
    want: { availableReplicas: 2 },
  },
  'F-4 None': {
    reason: 'none is left out of the status',
    given: websiteDeployment({ status: { availableReplicas: undefined } }),
    want: { availableReplicas: 0 },
  },
  Service: { reason: 'nothing to quote', given: websiteService(), want: {} },
};

describe('factsOf', () => {
  it.each(Object.entries(facts))('%s', (_, { reason, given, want }) => {
    expect(factsOf(given), reason).toEqual(want);
  });
});
