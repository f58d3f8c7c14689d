import type { ContractCase } from '../contract-case.ts';
import { defaultedContainer, defaultedPodSpec } from '../defaulted-pods.ts';
import { applied } from '../managers.ts';
import { deployment, paths, podTemplate, service } from '../objects.ts';
import { apply, mergePatch, post, theirs } from '../requests.ts';

const { deployments, serviceAccounts, services } = paths;
const account = (secrets: readonly object[]) => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'x' },
  secrets,
});
const omitsKey =
  '.secrets: element 1: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)';

export const cases: readonly ContractCase[] = [
  {
    id: 'atomic-maps',
    reason: 'the selector of a Service is atomic',
    steps: [
      {
        request: apply(`${services}/x`, service('x', { selector: { a: '1' } })),
        expect: {
          status: 201,
          managers: [
            applied(
              'ours',
              'v1',
              '{"f:spec":{"f:ports":{"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:port":{},"f:protocol":{}}},"f:selector":{}}}',
            ),
          ],
        },
      },
      {
        request: apply(`${services}/x`, service('x', { selector: { b: '1' } })),
        expect: { status: 200, at: { 'spec.selector': { b: '1' } } },
      },
      {
        request: apply(`${services}/x`, service('x', { selector: { c: '1' } }), theirs),
        expect: {
          status: 409,
          error: {
            message: 'Apply failed with 1 conflict: conflict with "ours": .spec.selector',
            reason: 'Conflict',
            details: {
              causes: [
                {
                  reason: 'FieldManagerConflict',
                  message: 'conflict with "ours"',
                  field: '.spec.selector',
                },
              ],
            },
          },
        },
      },
    ],
  },
  {
    id: 'containers',
    reason: 'containers, environment and ports are keyed',
    steps: [
      {
        request: apply(
          `${deployments}/x`,
          deployment('x', {
            template: podTemplate({
              env: [{ name: 'A', value: '1' }],
              ports: [{ containerPort: 80 }],
              resources: { limits: { cpu: '0.1', memory: '1024Mi' } },
            }),
          }),
        ),
        expect: {
          status: 201,
          managers: [
            applied(
              'ours',
              'apps/v1',
              '{"f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"web\\"}":{".":{},"f:env":{"k:{\\"name\\":\\"A\\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},"f:name":{},"f:ports":{"k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:containerPort":{}}},"f:resources":{"f:limits":{"f:cpu":{},"f:memory":{}}}}}}}}}',
            ),
          ],
          at: {
            'spec.template.spec': defaultedPodSpec({
              containers: [
                defaultedContainer({
                  ports: [{ containerPort: 80, protocol: 'TCP' }],
                  env: [{ name: 'A', value: '1' }],
                  resources: { limits: { cpu: '100m', memory: '1Gi' } },
                }),
              ],
            }),
          },
        },
      },
      {
        request: apply(
          `${deployments}/x`,
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name: 'x' },
            spec: {
              template: {
                spec: { containers: [{ name: 'web', env: [{ name: 'B', value: '2' }] }] },
              },
            },
          },
          theirs,
        ),
        expect: {
          status: 200,
          at: {
            'spec.template.spec.containers.0.env': [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
          },
        },
      },
    ],
  },
  {
    id: 'shared-container-port',
    reason: 'two Service ports of one number and different protocols are two items',
    steps: [
      {
        request: apply(
          `${services}/x`,
          service('x', {
            ports: [
              { name: 'a', port: 53, protocol: 'TCP' },
              { name: 'b', port: 53, protocol: 'UDP' },
            ],
          }),
        ),
        expect: {
          status: 201,
          at: {
            'spec.ports': [
              { name: 'a', protocol: 'TCP', port: 53, targetPort: 53 },
              { name: 'b', protocol: 'UDP', port: 53, targetPort: 53 },
            ],
          },
        },
      },
      {
        request: apply(
          `${services}/x`,
          service('x', { ports: [{ name: 'b', port: 53, protocol: 'UDP' }] }),
        ),
        expect: {
          status: 200,
          at: { 'spec.ports': [{ name: 'b', protocol: 'UDP', port: 53, targetPort: 53 }] },
        },
      },
    ],
  },
  {
    id: 'item-without-key',
    reason:
      'an update may store an item without its key, which ends the tracking, and no apply works until it goes',
    steps: [
      {
        request: apply(`${serviceAccounts}/x`, account([{ name: 'a' }])),
        expect: {
          status: 201,
          managers: [applied('ours', 'v1', '{"f:secrets":{"k:{\\"name\\":\\"a\\"}":{}}}')],
        },
      },
      {
        request: mergePatch(`${serviceAccounts}/x`, {
          secrets: [{ name: 'a' }, { namespace: 'z' }],
        }),
        expect: {
          status: 200,
          at: { secrets: [{ name: 'a' }, {}], 'metadata.managedFields': undefined },
        },
      },
      {
        request: apply(`${serviceAccounts}/x`, account([{ name: 'a' }])),
        expect: {
          status: 500,
          error: {
            message: `failed to create manager for existing fields: failed to convert new object ({ns}/x; /v1, Kind=ServiceAccount) to smd typed: ${omitsKey}`,
          },
        },
      },
      {
        request: mergePatch(`${serviceAccounts}/x`, { secrets: [{ name: 'b', namespace: 'z' }] }),
        expect: {
          status: 200,
          at: { secrets: [{ name: 'b' }], 'metadata.managedFields': undefined },
        },
      },
      {
        request: apply(`${serviceAccounts}/x`, account([{ name: 'a' }])),
        expect: { status: 200, at: { secrets: [{ name: 'b' }, { name: 'a' }] } },
      },
    ],
  },
  {
    id: 'created-without-key',
    reason: 'an object that is created with an item without its key is not tracked',
    steps: [
      {
        request: post(serviceAccounts, account([{ name: 'a' }, {}])),
        expect: { status: 201, at: { 'metadata.managedFields': undefined } },
      },
      {
        request: apply(`${serviceAccounts}/x`, account([{ name: 'a' }, {}])),
        expect: {
          status: 500,
          error: {
            message: `failed to create manager for existing fields: failed to convert new object ({ns}/x; /v1, Kind=ServiceAccount) to smd typed: ${omitsKey}`,
          },
        },
      },
    ],
  },
];
