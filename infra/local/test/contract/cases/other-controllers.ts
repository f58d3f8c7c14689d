import type { ContractCase, Step } from '../contract-case.ts';
import { budget, cronJob, daemonSet, deployment, job, paths, podTemplate } from '../objects.ts';
import { apply, del, get, mergePatch, post } from '../requests.ts';

const settled = (path: string, body: object): Step => ({
  eventually: true,
  request: get(path),
  expect: { status: 200, body },
});
const done = ['SuccessCriteriaMet', 'Complete'].map((type) => ({
  type,
  status: 'True',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
}));
const none = { active: undefined, ready: 0, terminating: 0, uncountedTerminatedPods: {} };
const time = /^\d{4}-.*Z$/;
const jobX = `${paths.jobs}/x`;
const daemonX = `${paths.daemonSets}/x`;
const budgetX = `${paths.budgets}/x`;

export const cases: readonly ContractCase[] = [
  {
    id: 'job',
    reason: 'a Job whose pods succeed is complete',
    steps: [
      {
        request: post(paths.jobs, job('x', { completions: 3, parallelism: 2 })),
        expect: { status: 201 },
      },
      settled(jobX, {
        status: { ...none, succeeded: 3, startTime: time, completionTime: time, conditions: done },
      }),
    ],
  },
  {
    id: 'job-parallel',
    reason: 'a Job without completions is complete when all its pods are',
    steps: [
      { request: post(paths.jobs, job('x', { parallelism: 2 })), expect: { status: 201 } },
      settled(jobX, { status: { succeeded: 2, conditions: done } }),
    ],
  },
  {
    id: 'job-indexed',
    reason: 'an indexed Job says which indexes are complete',
    steps: [
      {
        request: post(
          paths.jobs,
          job('x', { completionMode: 'Indexed', completions: 3, parallelism: 3 }),
        ),
        expect: { status: 201 },
      },
      settled(jobX, { status: { succeeded: 3, completedIndexes: '0-2', conditions: done } }),
    ],
  },
  {
    id: 'job-suspended',
    reason: 'a suspended Job waits until it is resumed',
    steps: [
      { request: post(paths.jobs, job('x', { suspend: true })), expect: { status: 201 } },
      settled(jobX, {
        status: {
          ...none,
          startTime: undefined,
          conditions: [
            {
              type: 'Suspended',
              status: 'True',
              reason: 'JobSuspended',
              message: 'Job suspended',
            },
          ],
        },
      }),
      { request: mergePatch(jobX, { spec: { suspend: false } }), expect: { status: 200 } },
      settled(jobX, {
        status: {
          succeeded: 1,
          conditions: [
            { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' },
            ...done,
          ],
        },
      }),
    ],
  },
  {
    id: 'job-managed',
    reason: 'a Job with another manager is left alone',
    steps: [
      {
        request: post(paths.jobs, job('x', { managedBy: 'example.com/queue' })),
        expect: { status: 201 },
      },
      { request: post(paths.jobs, job('y')), expect: { status: 201 } },
      settled(`${paths.jobs}/y`, { status: { conditions: done } }),
      { request: get(jobX), expect: { status: 200, at: { status: {} } } },
    ],
  },
  {
    id: 'job-time-to-live',
    reason: 'a finished Job is deleted once its time to live is over',
    steps: [
      {
        request: post(paths.jobs, job('x', { ttlSecondsAfterFinished: 0 })),
        expect: { status: 201 },
      },
      {
        request: post(paths.jobs, job('y', { ttlSecondsAfterFinished: 3600 })),
        expect: { status: 201 },
      },
      { eventually: true, request: get(jobX), expect: { status: 404 } },
      settled(`${paths.jobs}/y`, { status: { conditions: done } }),
    ],
  },
  {
    id: 'cron-job',
    reason: 'a CronJob whose time has not come has no Jobs',
    steps: [
      { request: post(paths.cronJobs, cronJob('x')), expect: { status: 201 } },
      { request: get(paths.jobs), expect: { status: 200, body: { items: [] } } },
    ],
  },
  {
    id: 'daemon-set',
    reason: 'a DaemonSet has a pod on every node',
    steps: [
      { request: apply(daemonX, daemonSet('x')), expect: { status: 201 } },
      settled(daemonX, {
        status: {
          observedGeneration: 1,
          desiredNumberScheduled: 1,
          currentNumberScheduled: 1,
          updatedNumberScheduled: 1,
          numberReady: 1,
          numberAvailable: 1,
          numberMisscheduled: 0,
          numberUnavailable: undefined,
        },
      }),
    ],
  },
  {
    id: 'daemon-set-nowhere',
    reason: 'a DaemonSet that no node is right for has no pods, and is up to date',
    steps: [
      {
        request: apply(
          daemonX,
          daemonSet('x', {
            template: {
              ...podTemplate(),
              spec: { ...podTemplate().spec, nodeSelector: { no: 'node' } },
            },
          }),
        ),
        expect: { status: 201 },
      },
      settled(daemonX, {
        status: { observedGeneration: 1, desiredNumberScheduled: 0, numberReady: 0 },
      }),
    ],
  },
  {
    id: 'budget',
    reason: 'as many pods may be evicted as are healthy beyond those that must be',
    steps: [
      {
        request: apply(`${paths.deployments}/x`, deployment('x', { replicas: 3 })),
        expect: { status: 201 },
      },
      {
        request: post(paths.budgets, budget('x', { minAvailable: '50%' })),
        expect: { status: 201 },
      },
      settled(budgetX, {
        status: {
          observedGeneration: 1,
          expectedPods: 3,
          currentHealthy: 3,
          desiredHealthy: 2,
          disruptionsAllowed: 1,
          conditions: [
            {
              type: 'DisruptionAllowed',
              status: 'True',
              reason: 'SufficientPods',
              message: '',
              observedGeneration: 1,
            },
          ],
        },
      }),
    ],
  },
  {
    id: 'budget-without-pods',
    reason: 'a budget for no pods allows no eviction',
    steps: [
      { request: post(paths.budgets, budget('x', { maxUnavailable: 1 })), expect: { status: 201 } },
      settled(budgetX, {
        status: {
          observedGeneration: 1,
          expectedPods: 0,
          disruptionsAllowed: 0,
          conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
        },
      }),
    ],
  },
  {
    id: 'protection',
    reason: 'a volume that no claim is bound to is deleted',
    steps: [
      {
        request: post('/api/v1/persistentvolumes', {
          apiVersion: 'v1',
          kind: 'PersistentVolume',
          metadata: { name: '{ns}' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            capacity: { storage: '1Gi' },
            hostPath: { path: '/x' },
            storageClassName: 'none',
          },
        }),
        expect: { status: 201 },
      },
      { request: del('/api/v1/persistentvolumes/{ns}'), expect: { status: 200 } },
      {
        eventually: true,
        request: get('/api/v1/persistentvolumes/{ns}'),
        expect: { status: 404 },
      },
    ],
  },
];
