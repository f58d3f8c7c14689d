import { job } from '../../../index.ts';
import type { JsonObject } from '../../../shared/kubernetes.ts';
import { casesOf, current, inProgress } from '../cases.ts';
import { containers, onceTemplate } from '../samples.ts';

const having = (status: JsonObject): JsonObject => ({ spec: {}, status });

export const cases = casesOf(job, {
  body: { spec: { backoffLimit: 3, template: onceTemplate } },
  edit: { patch: { spec: { backoffLimit: 9 } }, path: 'spec.backoffLimit' },
  readiness: {
    New: {
      reason: 'it exists, but has not started',
      live: { spec: {} },
      want: inProgress('not started yet'),
    },
    Started: {
      reason: 'its end is not waited for',
      live: having({ startTime: '2026-11-22T10:00:00Z', active: 1 }),
      want: current,
    },
    Complete: {
      reason: 'it is done',
      live: having({ conditions: [{ type: 'Complete', status: 'True' }] }),
      want: current,
    },
    Failed: {
      reason: 'it will not be tried again',
      live: having({
        startTime: '2026-11-22T10:00:00Z',
        conditions: [
          {
            type: 'Failed',
            status: 'True',
            reason: 'BackoffLimitExceeded',
            message: 'tried 7 times',
          },
        ],
      }),
      want: { state: 'Failed', reason: 'BackoffLimitExceeded', message: 'tried 7 times' },
    },
    NotFailed: {
      reason: 'a condition may be present and False',
      live: having({ conditions: [{ type: 'Failed', status: 'False' }] }),
      want: inProgress('not started yet'),
    },
    Suspended: {
      reason: 'it is not meant to start',
      live: { spec: { suspend: true } },
      want: current,
    },
  },
  fixed: {
    'spec.backoffLimitPerIndex': 1,
    'spec.completionMode': 'Indexed',
    'spec.completions': 5,
    'spec.managedBy': 'example.org/other',
    'spec.podFailurePolicy': {
      rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }],
    },
    'spec.selector': { matchLabels: { app: 'other' } },
    'spec.successPolicy': { rules: [{ succeededCount: 1 }] },
    'spec.template': { spec: { containers: [{ ...containers[0], image: 'nginx:2' }] } },
  },
  impact: {
    created: [],
    deleted: ['interrupt'],
    changes: {
      'a Job that is suspended': {
        reason: 'its pods are deleted',
        fields: { 'spec.suspend': [false, true] },
        want: ['interrupt'],
      },
      'fewer pods at a time': {
        reason: 'those beyond the number are deleted',
        fields: { 'spec.parallelism': [3, 1] },
        want: ['reduce'],
      },
      'a Job that is resumed': {
        reason: 'nothing was running',
        fields: { 'spec.suspend': [true, false] },
        want: [],
      },
    },
  },
});
