import type { ContractCase } from '../contract-case.ts';
import { applied } from '../managers.ts';
import { deployment, paths, podTemplate, secret, statefulSet } from '../objects.ts';
import { apply, mergePatch, post } from '../requests.ts';

const { deployments, statefulSets } = paths;
const container = 'spec.template.spec.containers.0';

export const cases: readonly ContractCase[] = [
  {
    id: 'null-group',
    reason: 'a reference to the core group shows an empty group',
    steps: [
      {
        request: post(paths.ingresses, {
          metadata: { name: 'x' },
          spec: { defaultBackend: { resource: { kind: 'Bucket', name: 'x' } } },
        }),
        expect: { status: 201, at: { 'spec.defaultBackend.resource.apiGroup': null } },
      },
    ],
  },
  {
    id: 'lost',
    reason: 'a zero that the server cannot distinguish from absence is dropped',
    steps: [
      {
        request: apply(
          `${deployments}/x`,
          deployment('x', {
            minReadySeconds: 0,
            paused: false,
            template: podTemplate({
              env: [{ name: 'A', value: '' }],
              livenessProbe: { httpGet: { port: 80 }, initialDelaySeconds: 0 },
            }),
          }),
        ),
        expect: {
          status: 201,
          body: { spec: { minReadySeconds: undefined, paused: undefined } },
          at: {
            [`${container}.env`]: [{ name: 'A' }],
            [`${container}.livenessProbe.initialDelaySeconds`]: undefined,
          },
        },
      },
    ],
  },
  {
    id: 'owned-all-the-same',
    reason: 'the applier of the zero owns the missing field',
    steps: [
      {
        request: apply(`${deployments}/x`, deployment('x', { replicas: 1, minReadySeconds: 0 })),
        expect: {
          status: 201,
          managers: [
            applied(
              'ours',
              'apps/v1',
              '{"f:spec":{"f:minReadySeconds":{},"f:replicas":{},"f:selector":{},"f:template":{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"web\\"}":{".":{},"f:image":{},"f:name":{}}}}}}}',
            ),
          ],
        },
      },
    ],
  },
  {
    id: 'added',
    reason: 'a zero that is always encoded is added',
    steps: [
      {
        request: apply(`${statefulSets}/x`, {
          ...statefulSet('x'),
          spec: { ...statefulSet('x').spec, serviceName: undefined },
        }),
        expect: { status: 201, at: { 'spec.serviceName': '' } },
      },
      {
        request: mergePatch(`${statefulSets}/x/status`, {
          status: { replicas: 1, conditions: [{ type: 'A', status: 'True', reason: '' }] },
        }),
        expect: {
          status: 200,
          at: {
            'status.conditions': [{ type: 'A', status: 'True', lastTransitionTime: null }],
          },
        },
      },
    ],
  },
  {
    id: 'null-in-a-map',
    reason: 'a null label is an empty label',
    steps: [
      {
        request: post(paths.secrets, secret({ name: 'x', labels: { a: null } })),
        expect: { status: 201, at: { 'metadata.labels': { a: '' } } },
      },
    ],
  },
];
