import type { ContractCase } from '../contract-case.ts';
import { badRequest, invalid } from '../errors.ts';
import { configMap, job, onceTemplate, paths } from '../objects.ts';
import { apply, del, get, mergePatch, post, put } from '../requests.ts';

const x = `${paths.jobs}/x`;
// Suspended, so that no controller changes it between two steps.
const suspended = (spec: object = {}) => job('x', { suspend: true, ...spec });
const made = { name: 'made', request: post(paths.jobs, suspended()), expect: { status: 201 } };
const uid = '{made.metadata.uid}';
const ownLabels = {
  'batch.kubernetes.io/controller-uid': uid,
  'batch.kubernetes.io/job-name': 'x',
  'controller-uid': uid,
  'job-name': 'x',
};
const warning =
  '299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"';

const owned = (name: string) =>
  configMap({
    name,
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'x', uid }],
  });

export const cases: readonly ContractCase[] = [
  {
    id: 'defaults',
    reason: 'a Job runs one pod once, six times at most, and selects it by its own uid',
    steps: [
      made,
      {
        request: get(x),
        expect: {
          status: 200,
          body: {
            metadata: { generation: 1 },
            spec: {
              parallelism: 1,
              completions: 1,
              backoffLimit: 6,
              completionMode: 'NonIndexed',
              podReplacementPolicy: 'TerminatingOrFailed',
              manualSelector: false,
              suspend: true,
            },
          },
          at: {
            'metadata.labels': { app: 'web', ...ownLabels },
            'spec.selector': { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
            'spec.template.metadata.labels': { app: 'web', ...ownLabels },
          },
        },
      },
    ],
  },
  {
    id: 'labels',
    reason: 'a Job with labels of its own does not get those of its pods',
    steps: [
      {
        request: post(
          paths.jobs,
          job({ name: 'x', labels: { app: 'web' } }, { suspend: true, parallelism: 2 }),
        ),
        expect: {
          status: 201,
          body: { spec: { parallelism: 2, completions: undefined } },
          at: { 'metadata.labels': { app: 'web' } },
        },
      },
    ],
  },
  {
    id: 'index-limits',
    reason: 'a limit for each index leaves that of the Job open',
    steps: [
      {
        request: post(
          paths.jobs,
          suspended({ completionMode: 'Indexed', completions: 2, backoffLimitPerIndex: 1 }),
        ),
        expect: { status: 201, body: { spec: { backoffLimit: 2147483647 } } },
      },
      {
        request: mergePatch(x, { spec: { completions: 3 } }),
        expect: {
          status: 422,
          error: invalid('Job.batch', 'x', [
            [
              'spec.completions',
              'Invalid value: 3: can only be modified in tandem with spec.parallelism',
            ],
          ]),
        },
      },
      {
        request: mergePatch(x, { spec: { completions: 3, parallelism: 3 } }),
        expect: { status: 200, body: { metadata: { generation: 2 } } },
      },
    ],
  },
  {
    id: 'apply-twice',
    reason: 'an apply of the same Job changes nothing, though its selector was generated',
    steps: [
      { name: 'first', request: apply(x, suspended()), expect: { status: 201 } },
      { name: 'second', request: apply(x, suspended()), expect: { status: 200 } },
      {
        request: get(x),
        expect: {
          status: 200,
          body: { metadata: { generation: 1, uid: '{first.metadata.uid}' } },
          at: { spec: '{first.spec}' },
        },
      },
    ],
  },
  {
    id: 'ownership',
    reason: 'what the server generates has no owner',
    steps: [
      {
        request: apply(x, suspended()),
        expect: {
          status: 201,
          managers: [
            {
              manager: 'ours',
              operation: 'Apply',
              apiVersion: 'batch/v1',
              fields: {
                'f:spec': {
                  'f:suspend': {},
                  'f:template': {
                    'f:metadata': { 'f:labels': { 'f:app': {} } },
                    'f:spec': {
                      'f:containers': {
                        'k:{"name":"web"}': { '.': {}, 'f:image': {}, 'f:name': {} },
                      },
                      'f:restartPolicy': {},
                    },
                  },
                },
              },
            },
          ],
        },
      },
    ],
  },
  {
    id: 'replaced-without-selector',
    reason: 'a PUT without the generated selector would remove it',
    steps: [
      made,
      {
        request: put(x, suspended()),
        expect: { status: 422, text: /spec\.selector: Required value.*field is immutable/ },
      },
    ],
  },
  {
    id: 'immutable',
    reason: 'what decides which pods a Job has, and how many, cannot change',
    steps: [
      made,
      {
        request: mergePatch(x, { spec: { completions: 3 } }),
        expect: {
          status: 422,
          error: invalid('Job.batch', 'x', [
            ['spec.completions', 'Invalid value: 3: field is immutable'],
          ]),
        },
      },
      {
        request: mergePatch(x, { spec: { completions: null, completionMode: 'Indexed' } }),
        expect: { status: 422, text: /when completion mode is Indexed.*field is immutable/ },
      },
      {
        request: mergePatch(x, { spec: { selector: { matchLabels: { 'job-name': 'x' } } } }),
        expect: { status: 422, text: /spec\.selector: Invalid value: .*: field is immutable/ },
      },
      {
        request: mergePatch(x, { spec: { template: { spec: { hostNetwork: true } } } }),
        expect: { status: 422, text: /field is immutable/ },
      },
      {
        request: mergePatch(x, { spec: { parallelism: 3 } }),
        expect: { status: 200, body: { metadata: { generation: 2 } } },
      },
    ],
  },
  {
    id: 'suspended',
    reason: 'where the pods of a suspended Job go may change, and what they need',
    steps: [
      made,
      {
        request: mergePatch(x, { spec: { template: { spec: { nodeSelector: { a: 'b' } } } } }),
        expect: { status: 200, body: { metadata: { generation: 2 } } },
      },
    ],
  },
  {
    id: 'running',
    reason: 'the template of a Job that runs cannot change at all',
    steps: [
      {
        request: post(
          paths.jobs,
          job('x', { template: onceTemplate({ nodeSelector: { no: 'node' } }) }),
        ),
        expect: { status: 201, body: { spec: { suspend: false } } },
      },
      {
        request: mergePatch(x, { spec: { template: { spec: { nodeSelector: { a: 'b' } } } } }),
        expect: { status: 422, text: /spec\.template: Invalid value: .*field is immutable/ },
      },
    ],
  },
  {
    id: 'unknown-fields',
    reason: 'a misspelt field of a Job or its pods is reported',
    steps: [
      {
        request: post(
          paths.jobs,
          suspended({ parallelsim: 2, template: onceTemplate({ restartPolcy: 'Never' }) }),
          { fieldValidation: 'Strict' },
        ),
        expect: {
          status: 400,
          error: badRequest(
            'Job in version "v1" cannot be handled as a Job: strict decoding error: unknown field "spec.template.spec.restartPolcy", unknown field "spec.parallelsim"',
          ),
        },
      },
    ],
  },
  {
    id: 'status',
    reason: 'a status is written by itself, and only so',
    steps: [
      {
        request: post(paths.jobs, { ...suspended(), status: { succeeded: 5 } }),
        expect: { status: 201, body: { status: { succeeded: undefined } } },
      },
      {
        request: mergePatch(`${x}/status`, { spec: { parallelism: 9 }, status: { active: 1 } }),
        expect: { status: 200, body: { spec: { parallelism: 1 } } },
      },
    ],
  },
  {
    id: 'selectors',
    reason: 'Jobs are listed by their success',
    steps: [
      made,
      {
        request: get(paths.jobs, { fieldSelector: 'status.successful=0' }),
        expect: { status: 200, body: { items: [{ metadata: { name: 'x' } }] } },
      },
      {
        request: get(paths.jobs, { fieldSelector: 'status.successful!=0' }),
        expect: { status: 200, body: { items: [] } },
      },
    ],
  },
  {
    id: 'deleted-by-default',
    reason: 'a DELETE that says nothing leaves what the Job owns, with a warning',
    steps: [
      made,
      { request: post(paths.configMaps, owned('kept')), expect: { status: 201 } },
      {
        request: del(x),
        expect: {
          status: 200,
          headers: { warning },
          body: { kind: 'Job', metadata: { finalizers: ['orphan'] } },
        },
      },
      { eventually: true, request: get(x), expect: { status: 404 } },
      {
        request: get(`${paths.configMaps}/kept`),
        expect: { status: 200, body: { metadata: { ownerReferences: undefined } } },
      },
    ],
  },
  {
    id: 'deleted-in-background',
    reason: 'a DELETE with a policy follows it, without a warning',
    steps: [
      made,
      { request: post(paths.configMaps, owned('gone')), expect: { status: 201 } },
      {
        request: del(x, { propagationPolicy: 'Background' }),
        expect: { status: 200, headers: { warning: undefined }, body: { kind: 'Status' } },
      },
      { request: get(x), expect: { status: 404 } },
      { eventually: true, request: get(`${paths.configMaps}/gone`), expect: { status: 404 } },
    ],
  },
];
