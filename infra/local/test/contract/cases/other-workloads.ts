import type { ContractCase } from '../contract-case.ts';
import { invalid, modified } from '../errors.ts';
import {
  budget,
  cronJob,
  daemonSet,
  networkPolicy,
  onceTemplate,
  paths,
  podTemplate,
} from '../objects.ts';
import { apply, del, get, mergePatch, post, put, strategicPatch } from '../requests.ts';

const count = 'deprecated.daemonset.template.generation';
const elsewhere = {
  ...podTemplate(),
  spec: { ...podTemplate().spec, nodeSelector: { no: 'node' } },
};
const daemons = daemonSet('x', { template: elsewhere });

export const cases: readonly ContractCase[] = [
  {
    id: 'cron-job-changes',
    reason: 'everything in a CronJob may change, its schedule if it is one',
    steps: [
      { request: post(paths.cronJobs, cronJob('x', { suspend: true })), expect: { status: 201 } },
      {
        request: mergePatch(`${paths.cronJobs}/x`, { spec: { schedule: '@hourly' } }),
        expect: { status: 200, body: { metadata: { generation: 2 } } },
      },
      {
        request: mergePatch(`${paths.cronJobs}/x`, { spec: { schedule: 'hourly' } }),
        expect: {
          status: 422,
          error: invalid('CronJob.batch', 'x', [
            [
              'spec.schedule',
              'Invalid value: "hourly": expected exactly 5 fields, found 1: [hourly]',
            ],
          ]),
        },
      },
      {
        request: put(
          `${paths.cronJobs}/x`,
          cronJob('x', {
            suspend: true,
            jobTemplate: { spec: { template: onceTemplate({}, {}) } },
          }),
        ),
        expect: { status: 200, body: { metadata: { generation: 3 } } },
      },
      {
        request: del(`${paths.cronJobs}/x`),
        expect: { status: 200, headers: { warning: undefined }, body: { kind: 'Status' } },
      },
    ],
  },
  {
    id: 'cron-job-lists',
    reason: 'containers of a CronJob are merged by name, however deep they are',
    steps: [
      {
        request: apply(`${paths.cronJobs}/x`, cronJob('x', { suspend: true })),
        expect: { status: 201 },
      },
      {
        request: strategicPatch(`${paths.cronJobs}/x`, {
          spec: {
            jobTemplate: {
              spec: { template: { spec: { containers: [{ name: 'more', image: 'busybox:1' }] } } },
            },
          },
        }),
        expect: {
          status: 200,
          body: {
            spec: {
              jobTemplate: {
                spec: { template: { spec: { containers: [{ name: 'more' }, { name: 'web' }] } } },
              },
            },
          },
        },
      },
      {
        request: apply(`${paths.cronJobs}/x`, cronJob('x', { suspend: true })),
        expect: {
          status: 200,
          body: {
            spec: {
              jobTemplate: {
                spec: { template: { spec: { containers: [{ name: 'more' }, { name: 'web' }] } } },
              },
            },
          },
        },
      },
    ],
  },
  {
    id: 'daemon-set-templates',
    reason: 'a DaemonSet counts its templates, whatever a writer says',
    steps: [
      {
        request: post(paths.daemonSets, daemons),
        expect: { status: 201, body: { metadata: { annotations: { [count]: '1' } } } },
      },
      {
        request: mergePatch(`${paths.daemonSets}/x`, {
          metadata: { annotations: { [count]: '7' } },
          spec: { minReadySeconds: 1 },
        }),
        expect: {
          status: 200,
          body: { metadata: { generation: 2, annotations: { [count]: '1' } } },
        },
      },
      {
        request: mergePatch(`${paths.daemonSets}/x`, {
          spec: { template: { spec: { hostNetwork: true } } },
        }),
        expect: {
          status: 200,
          body: { metadata: { generation: 3, annotations: { [count]: '2' } } },
        },
      },
    ],
  },
  {
    id: 'daemon-set-selector',
    reason: 'the selector of a DaemonSet cannot change',
    steps: [
      { request: post(paths.daemonSets, daemons), expect: { status: 201 } },
      {
        request: mergePatch(`${paths.daemonSets}/x`, {
          spec: {
            selector: { matchLabels: { app: null, a: 'b' } },
            template: { metadata: { labels: { a: 'b' } } },
          },
        }),
        expect: {
          status: 422,
          error: invalid('DaemonSet.apps', 'x', [
            ['spec.selector', 'Invalid value: {"matchLabels":{"a":"b"}}: field is immutable'],
          ]),
        },
      },
    ],
  },
  {
    id: 'daemon-set-scale',
    reason: 'a DaemonSet does not scale',
    steps: [
      { request: post(paths.daemonSets, daemons), expect: { status: 201 } },
      { request: get(`${paths.daemonSets}/x/scale`), expect: { status: 404 } },
    ],
  },
  {
    id: 'budget-versions',
    reason: 'a budget is replaced only with its version',
    steps: [
      {
        name: 'made',
        request: post(paths.budgets, budget('x', { minAvailable: 1 })),
        expect: { status: 201, body: { metadata: { generation: 1 } } },
      },
      {
        request: put(
          `${paths.budgets}/x`,
          budget({ name: 'x', resourceVersion: '1' }, { maxUnavailable: 1 }),
        ),
        expect: { status: 409, error: modified('poddisruptionbudgets.policy', 'x') },
      },
      {
        request: put(`${paths.budgets}/x`, budget('x', { maxUnavailable: 1 })),
        expect: {
          status: 422,
          error: {
            ...invalid('poddisruptionbudgets.policy', 'x', [
              ['metadata.resourceVersion', 'Invalid value: 0: must be specified for an update'],
            ]),
          },
        },
      },
      {
        request: mergePatch(`${paths.budgets}/x`, {
          spec: { minAvailable: null, maxUnavailable: 1 },
        }),
        expect: {
          status: 200,
          body: {
            metadata: { generation: 2 },
            spec: { minAvailable: undefined, maxUnavailable: 1 },
          },
        },
      },
    ],
  },
  {
    id: 'budget-selector',
    reason: 'the selector of a budget is owned and replaced as a whole',
    steps: [
      {
        request: apply(`${paths.budgets}/x`, budget('x', { minAvailable: 1 })),
        expect: {
          status: 201,
          managers: [
            {
              manager: 'ours',
              operation: 'Apply',
              apiVersion: 'policy/v1',
              fields: { 'f:spec': { 'f:minAvailable': {}, 'f:selector': {} } },
            },
          ],
        },
      },
      {
        request: strategicPatch(`${paths.budgets}/x`, {
          spec: { selector: { matchLabels: { a: 'b' } } },
        }),
        expect: { status: 200, at: { 'spec.selector': { matchLabels: { a: 'b' } } } },
      },
    ],
  },
  {
    id: 'network-policy-types',
    reason: 'rules for egress make a policy one for egress, once',
    steps: [
      {
        request: post(
          paths.policies,
          networkPolicy('x', {
            egress: [{ ports: [{ port: 53, protocol: 'UDP' }, { port: 53 }] }],
          }),
        ),
        expect: {
          status: 201,
          at: {
            'spec.policyTypes': ['Ingress', 'Egress'],
            'spec.egress': [
              {
                ports: [
                  { port: 53, protocol: 'UDP' },
                  { port: 53, protocol: 'TCP' },
                ],
              },
            ],
          },
        },
      },
      {
        request: mergePatch(`${paths.policies}/x`, { spec: { egress: null } }),
        expect: {
          status: 200,
          body: { metadata: { generation: 2 } },
          at: { 'spec.policyTypes': ['Ingress', 'Egress'] },
        },
      },
    ],
  },
  {
    id: 'network-policy-rules',
    reason: 'an empty rule, which admits everything, is kept',
    steps: [
      {
        request: apply(`${paths.policies}/x`, networkPolicy('x', { ingress: [{}] })),
        expect: { status: 201, at: { 'spec.ingress': [{}] } },
      },
      {
        request: apply(`${paths.policies}/x`, networkPolicy('x', { ingress: [] })),
        expect: { status: 200, body: { spec: { ingress: undefined } } },
      },
    ],
  },
];
