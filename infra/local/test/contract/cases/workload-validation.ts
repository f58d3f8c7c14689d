import type { ContractCase } from '../contract-case.ts';
import { badRequest, invalid } from '../errors.ts';
import { deployment, paths, podTemplate, statefulSet } from '../objects.ts';
import { apply, mergePatch, post } from '../requests.ts';

const { deployments, statefulSets } = paths;

export const cases: readonly ContractCase[] = [
  {
    id: 'deployment',
    reason: 'a Deployment is validated',
    steps: [
      {
        request: post(deployments, deployment('x', { selector: undefined })),
        expect: {
          status: 422,
          error: invalid('Deployment.apps', 'x', [
            ['spec.selector', 'Required value', 'FieldValueRequired'],
            [
              'spec.template.metadata.labels',
              'Invalid value: {"app":"web"}: `selector` does not match template `labels`',
            ],
          ]),
        },
      },
      {
        request: post(
          deployments,
          deployment('x', { selector: { matchLabels: { app: 'other' } } }),
        ),
        expect: {
          status: 422,
          error: invalid('Deployment.apps', 'x', [
            [
              'spec.template.metadata.labels',
              'Invalid value: {"app":"web"}: `selector` does not match template `labels`',
            ],
          ]),
        },
      },
      {
        request: post(deployments, deployment('x', { replicas: -1 })),
        expect: {
          status: 422,
          error: invalid('Deployment.apps', 'x', [
            ['spec.replicas', 'Invalid value: -1: must be greater than or equal to 0'],
          ]),
        },
      },
      {
        request: post(
          deployments,
          deployment('x', {
            template: { metadata: { labels: { app: 'web' } }, spec: { containers: [] } },
          }),
        ),
        expect: {
          status: 422,
          error: invalid('Deployment.apps', 'x', [
            ['spec.template.spec.containers', 'Required value', 'FieldValueRequired'],
          ]),
        },
      },
      {
        request: post(deployments, deployment('x', { template: podTemplate({ image: '' }) })),
        expect: {
          status: 422,
          error: invalid('Deployment.apps', 'x', [
            ['spec.template.spec.containers[0].image', 'Required value', 'FieldValueRequired'],
          ]),
        },
      },
      {
        request: post(
          deployments,
          deployment('x', { template: podTemplate({ name: 'Bad_Name' }) }),
        ),
        expect: {
          status: 422,
          error: invalid('Deployment.apps', 'x', [
            [
              'spec.template.spec.containers[0].name',
              "Invalid value: \"Bad_Name\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
            ],
          ]),
        },
      },
      {
        request: post(
          deployments,
          deployment('x', { template: podTemplate({ ports: [{ containerPort: 70000 }] }) }),
        ),
        expect: {
          status: 422,
          error: invalid('Deployment.apps', 'x', [
            [
              'spec.template.spec.containers[0].ports[0].containerPort',
              'Invalid value: 70000: must be between 1 and 65535, inclusive',
            ],
          ]),
        },
      },
      {
        request: post(
          deployments,
          deployment('x', { template: podTemplate({ imagePullPolicy: 'Sometimes' }) }),
        ),
        expect: {
          status: 422,
          error: invalid('Deployment.apps', 'x', [
            [
              'spec.template.spec.containers[0].imagePullPolicy',
              'Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
              'FieldValueNotSupported',
            ],
          ]),
        },
      },
      {
        request: post(
          deployments,
          deployment('x', { template: podTemplate({ env: [{ name: '', value: '1' }] }) }),
        ),
        expect: {
          status: 422,
          error: invalid('Deployment.apps', 'x', [
            [
              'spec.template.spec.containers[0].env[0].name',
              'Required value',
              'FieldValueRequired',
            ],
          ]),
        },
      },
      {
        request: post(
          deployments,
          deployment('x', {
            template: podTemplate({ volumeMounts: [{ name: 'none', mountPath: '/x' }] }),
          }),
        ),
        expect: {
          status: 422,
          error: invalid('Deployment.apps', 'x', [
            [
              'spec.template.spec.containers[0].volumeMounts[0].name',
              'Not found: "none"',
              'FieldValueNotFound',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'deployment-selector',
    reason: 'the selector of a Deployment is immutable',
    steps: [
      { request: post(deployments, deployment('x')), expect: { status: 201 } },
      {
        request: apply(
          `${deployments}/x`,
          deployment('x', {
            selector: { matchLabels: { app: 'b' } },
            template: { ...podTemplate(), metadata: { labels: { app: 'b' } } },
          }),
        ),
        expect: {
          status: 422,
          body: {
            reason: 'Invalid',
            details: {
              causes: [
                {
                  field: 'spec.selector',
                  reason: 'FieldValueInvalid',
                  message: /: field is immutable$/,
                },
              ],
            },
          },
        },
      },
    ],
  },
  {
    id: 'stateful-set-name',
    reason: 'the names of its pods begin with it, so it is a label',
    steps: [
      {
        request: post(statefulSets, statefulSet('a.b')),
        expect: {
          status: 422,
          error: invalid('StatefulSet.apps', 'a.b', [
            ['metadata.name', 'Invalid value: "a.b": must not contain dots'],
          ]),
        },
      },
    ],
  },
  {
    id: 'stateful-set-mounts',
    reason: 'a claim template of a StatefulSet is a volume that its containers can mount',
    steps: ['data', 'none'].map((name) => ({
      request: post(
        statefulSets,
        statefulSet(name, {
          template: podTemplate({ volumeMounts: [{ name, mountPath: '/data' }] }),
          volumeClaimTemplates: [
            {
              metadata: { name: 'data' },
              spec: {
                accessModes: ['ReadWriteOnce'],
                resources: { requests: { storage: '1Gi' } },
              },
            },
          ],
        }),
      ),
      expect:
        name === 'data'
          ? { status: 201 }
          : {
              status: 422,
              error: invalid('StatefulSet.apps', name, [
                [
                  'spec.template.spec.containers[0].volumeMounts[0].name',
                  'Not found: "none"',
                  'FieldValueNotFound',
                ],
              ]),
            },
    })),
  },
  {
    id: 'resources',
    reason: 'requests may not exceed limits, and quantities must be quantities',
    steps: [
      {
        request: post(
          deployments,
          deployment('x', {
            template: podTemplate({ resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } }),
          }),
        ),
        expect: {
          status: 422,
          error: invalid('Deployment.apps', 'x', [
            [
              'spec.template.spec.containers[0].resources.requests',
              'Invalid value: "2": must be less than or equal to cpu limit of 1',
            ],
          ]),
        },
      },
      {
        request: post(
          deployments,
          deployment('x', { template: podTemplate({ resources: { limits: { cpu: 'much' } } }) }),
        ),
        expect: {
          status: 400,
          error: badRequest(
            'Deployment in version "v1" cannot be handled as a Deployment: quantities must match the regular expression \'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$\'',
          ),
        },
      },
      {
        request: apply(
          `${deployments}/x`,
          deployment('x', { template: podTemplate({ resources: { limits: { cpu: 'much' } } }) }),
        ),
        expect: {
          status: 500,
          error: {
            message:
              "failed to convert new object (/x; apps/v1, Kind=Deployment) to proper version: unable to convert unstructured object to apps/v1, Kind=Deployment: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
          },
        },
      },
    ],
  },
  {
    id: 'stateful-set',
    reason: 'only some fields of a StatefulSet are mutable',
    steps: [
      { request: post(statefulSets, statefulSet('x')), expect: { status: 201 } },
      {
        request: mergePatch(`${statefulSets}/x`, { spec: { serviceName: 'other' } }),
        expect: {
          status: 422,
          error: invalid('StatefulSet.apps', 'x', [
            [
              'spec',
              "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
              'FieldValueForbidden',
            ],
          ]),
        },
      },
      {
        request: mergePatch(`${statefulSets}/x`, { spec: { podManagementPolicy: 'Parallel' } }),
        expect: {
          status: 422,
          error: invalid('StatefulSet.apps', 'x', [
            [
              'spec',
              "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
              'FieldValueForbidden',
            ],
          ]),
        },
      },
      {
        request: mergePatch(`${statefulSets}/x`, {
          spec: {
            volumeClaimTemplates: [
              {
                metadata: { name: 'd' },
                spec: {
                  accessModes: ['ReadWriteOnce'],
                  resources: { requests: { storage: '1Gi' } },
                },
              },
            ],
          },
        }),
        expect: {
          status: 422,
          error: invalid('StatefulSet.apps', 'x', [
            [
              'spec',
              "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
              'FieldValueForbidden',
            ],
          ]),
        },
      },
      {
        request: mergePatch(`${statefulSets}/x`, {
          spec: { minReadySeconds: 5, updateStrategy: { type: 'OnDelete', rollingUpdate: null } },
        }),
        expect: { status: 200 },
      },
    ],
  },
];
