import type { ContractCase, Step } from '../contract-case.ts';
import { type InvalidField, invalid } from '../errors.ts';
import { autoscaler, deployment, ingress, paths, podTemplate, statefulSet } from '../objects.ts';
import { apply, post } from '../requests.ts';

const { deployments, statefulSets, autoscalers, ingresses } = paths;
const container = 'spec.template.spec.containers[0]';
const needed = 'FieldValueRequired';
const forbidden = 'FieldValueForbidden';
const notSupported = 'FieldValueNotSupported';

const deploymentRefused = (spec: object, ...fields: readonly InvalidField[]): Step => ({
  request: post(deployments, deployment('x', spec)),
  expect: { status: 422, error: invalid('Deployment.apps', 'x', fields) },
});
const containerRefused = (content: object, ...fields: readonly InvalidField[]): Step =>
  deploymentRefused({ template: podTemplate(content) }, ...fields);

export const cases: readonly ContractCase[] = [
  {
    id: 'resources',
    reason: 'amounts are rounded up to thousandths, and are not negative',
    steps: [
      {
        request: apply(
          `${deployments}/x`,
          deployment('x', {
            template: podTemplate({ resources: { requests: { cpu: '100u', memory: '1500u' } } }),
          }),
        ),
        expect: {
          status: 201,
          at: {
            'spec.template.spec.containers.0.resources.requests': { cpu: '1m', memory: '2m' },
          },
        },
      },
      {
        request: post(
          deployments,
          deployment('y', { template: podTemplate({ resources: { requests: { cpu: '-1' } } }) }),
        ),
        expect: {
          status: 422,
          error: invalid('Deployment.apps', 'y', [
            [
              `${container}.resources.requests[cpu]`,
              'Invalid value: "-1": must be greater than or equal to 0',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'container',
    reason: 'each part of a container is validated',
    steps: [
      containerRefused({ ports: [{}] }, [
        `${container}.ports[0].containerPort`,
        'Required value',
        needed,
      ]),
      containerRefused({ livenessProbe: { tcpSocket: { port: 80 }, successThreshold: 2 } }, [
        `${container}.livenessProbe.successThreshold`,
        'Invalid value: 2: must be 1',
      ]),
      containerRefused({ readinessProbe: { exec: {} } }, [
        `${container}.readinessProbe.exec.command`,
        'Required value',
        needed,
      ]),
      containerRefused({ envFrom: [{}] }, [
        `${container}.envFrom`,
        'Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
      ]),
      containerRefused({ imagePullPolicy: 'Sometimes' }, [
        `${container}.imagePullPolicy`,
        'Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
        notSupported,
      ]),
    ],
  },
  {
    id: 'deployment',
    reason: 'the rolling update of a Deployment has bounds',
    steps: [
      deploymentRefused({ progressDeadlineSeconds: 5, minReadySeconds: 5 }, [
        'spec.progressDeadlineSeconds',
        'Invalid value: 5: must be greater than minReadySeconds',
      ]),
      deploymentRefused({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }, [
        'spec.strategy.rollingUpdate.maxUnavailable',
        'Invalid value: 0: may not be 0 when `maxSurge` is 0',
      ]),
      deploymentRefused({ strategy: { type: 'Recreate', rollingUpdate: {} } }, [
        'spec.strategy.rollingUpdate',
        "Forbidden: may not be specified when strategy `type` is 'Recreate'",
        forbidden,
      ]),
    ],
  },
  {
    id: 'stateful-set',
    reason: 'immutable fields are validated on creation',
    steps: [
      {
        request: post(
          statefulSets,
          statefulSet('x', {
            volumeClaimTemplates: [
              { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } },
            ],
          }),
        ),
        expect: {
          status: 422,
          error: invalid('StatefulSet.apps', 'x', [
            ['spec.volumeClaimTemplates[0].spec.resources[storage]', 'Required value', needed],
          ]),
        },
      },
    ],
  },
  {
    id: 'autoscaler',
    reason: 'an autoscaler needs a scale target and valid metrics',
    steps: [
      {
        request: post(
          autoscalers,
          autoscaler('x', {
            scaleTargetRef: { kind: 'Deployment', name: 'web' },
            metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Value' } } }],
          }),
        ),
        expect: {
          status: 422,
          error: invalid('HorizontalPodAutoscaler.autoscaling', 'x', [
            [
              'spec.scaleTargetRef.apiVersion',
              'Invalid value: "": apiVersion must specify API group',
            ],
            [
              'spec.metrics[0].resource.target.averageUtilization',
              'Required value: must set either a target raw value or a target utilization',
              needed,
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'ingress',
    reason: 'a path needs a backend',
    steps: [
      {
        request: post(
          ingresses,
          ingress('x', {
            rules: [{ http: { paths: [{ path: '/a//b', pathType: 'Prefix', backend: {} }] } }],
          }),
        ),
        expect: {
          status: 422,
          error: invalid('Ingress.networking.k8s.io', 'x', [
            ['spec.rules[0].http.paths[0].path', 'Invalid value: "/a//b": must not contain \'//\''],
            [
              'spec.rules[0].http.paths[0].backend',
              'Invalid value: "": resource or service backend is required',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'claim-templates',
    reason: 'two claim templates of one name are one volume',
    steps: [
      {
        request: post(
          statefulSets,
          statefulSet('x', {
            volumeClaimTemplates: ['1Gi', '2Gi'].map((storage) => ({
              metadata: { name: 'data' },
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
            })),
          }),
        ),
        expect: { status: 201 },
      },
    ],
  },
];
