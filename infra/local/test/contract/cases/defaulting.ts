import type { ContractCase } from '../contract-case.ts';
import { autoscaler, gadget, ingress, paths, secret, service, website } from '../objects.ts';
import { apply, get, mergePatch, post } from '../requests.ts';

const defaulted = (path: string, body: object) => ({ request: apply(`${path}/x`, body) });

export const cases: readonly ContractCase[] = [
  {
    id: 'service',
    reason: 'the same for a Service',
    steps: [
      {
        ...defaulted(paths.services, service('x', { ports: [{ port: 80 }] })),
        expect: {
          status: 201,
          at: {
            'spec.ports': [{ protocol: 'TCP', port: 80, targetPort: 80 }],
            'spec.ipFamilies': ['IPv4'],
            status: { loadBalancer: {} },
          },
          body: {
            spec: {
              type: 'ClusterIP',
              clusterIP: /^10\.96\./,
              clusterIPs: [/^10\.96\./],
              ipFamilyPolicy: 'SingleStack',
              internalTrafficPolicy: 'Cluster',
              sessionAffinity: 'None',
              externalTrafficPolicy: undefined,
            },
            metadata: { generation: undefined },
          },
        },
      },
    ],
  },
  {
    id: 'service-types',
    reason: 'the other types have defaults of their own',
    steps: [
      {
        request: post(
          paths.services,
          service('n', { type: 'NodePort', ports: [{ port: 80, targetPort: 'http' }] }),
        ),
        expect: {
          status: 201,
          body: {
            spec: {
              externalTrafficPolicy: 'Cluster',
              ports: [{ port: 80, targetPort: 'http', protocol: 'TCP' }],
            },
          },
        },
      },
      {
        request: post(
          paths.services,
          service('l', { type: 'LoadBalancer', sessionAffinity: 'ClientIP' }),
        ),
        expect: {
          status: 201,
          at: { 'spec.sessionAffinityConfig': { clientIP: { timeoutSeconds: 10800 } } },
          body: { spec: { allocateLoadBalancerNodePorts: true, externalTrafficPolicy: 'Cluster' } },
        },
      },
      {
        request: post(paths.services, service('h', { clusterIP: 'None' })),
        expect: { status: 201, body: { spec: { clusterIP: 'None', clusterIPs: ['None'] } } },
      },
      {
        request: post(paths.services, {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'e' },
          spec: { type: 'ExternalName', externalName: 'example.com' },
        }),
        expect: {
          status: 201,
          at: {
            spec: { type: 'ExternalName', sessionAffinity: 'None', externalName: 'example.com' },
          },
        },
      },
    ],
  },
  {
    id: 'autoscaler',
    reason: 'the same for an autoscaler',
    steps: [
      {
        ...defaulted(paths.autoscalers, autoscaler('x', { minReplicas: undefined })),
        expect: {
          status: 201,
          at: {
            spec: {
              scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' },
              minReplicas: 1,
              maxReplicas: 3,
              metrics: [
                {
                  type: 'Resource',
                  resource: {
                    name: 'cpu',
                    target: { type: 'Utilization', averageUtilization: 80 },
                  },
                },
              ],
            },
          },
        },
      },
      {
        ...defaulted(
          paths.autoscalers,
          autoscaler('x', {
            behavior: { scaleDown: { stabilizationWindowSeconds: 60 } },
            metrics: [
              {
                type: 'Resource',
                resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } },
              },
            ],
          }),
        ),
        expect: {
          status: 200,
          at: {
            spec: {
              scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' },
              minReplicas: 1,
              maxReplicas: 3,
              metrics: [
                {
                  type: 'Resource',
                  resource: {
                    name: 'cpu',
                    target: { type: 'Utilization', averageUtilization: 70 },
                  },
                },
              ],
              behavior: {
                scaleUp: {
                  stabilizationWindowSeconds: 0,
                  selectPolicy: 'Max',
                  policies: [
                    { type: 'Pods', value: 4, periodSeconds: 15 },
                    { type: 'Percent', value: 100, periodSeconds: 15 },
                  ],
                },
                scaleDown: {
                  stabilizationWindowSeconds: 60,
                  selectPolicy: 'Max',
                  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
                },
              },
            },
          },
        },
      },
    ],
  },
  {
    id: 'untouched',
    reason: 'an Ingress gets no defaults, a Secret its type',
    steps: [
      {
        ...defaulted(paths.ingresses, ingress('x')),
        expect: {
          status: 201,
          at: { spec: ingress('x').spec, status: { loadBalancer: {} } },
          body: { metadata: { generation: 1 } },
        },
      },
      {
        ...defaulted(paths.secrets, secret('x')),
        expect: { status: 201, body: { type: 'Opaque', metadata: { generation: undefined } } },
      },
    ],
  },
  {
    id: 'custom',
    reason: 'a custom resource gets the defaults of its schema, nested ones if the parent exists',
    steps: [
      {
        request: post(paths.gadgets, { ...gadget('x'), spec: undefined }),
        expect: { status: 201, at: { spec: { mode: 'fast', size: 1 } } },
      },
      {
        request: post(
          paths.gadgets,
          gadget('y', { size: null, nested: {}, ports: [{ port: 1 }], steps: [{ run: 'a' }] }),
        ),
        expect: {
          status: 201,
          at: {
            spec: {
              mode: 'fast',
              size: 1,
              nested: { depth: 2 },
              ports: [{ port: 1, protocol: 'TCP' }],
              steps: [{ run: 'a', retries: 3 }],
            },
          },
        },
      },
      {
        request: apply(`${paths.websites}/x`, website('x', { imageTag: '1' })),
        expect: { status: 201, at: { spec: { imageTag: '1', nodePort: 31000 } } },
      },
      {
        request: mergePatch(`${paths.websites}/x`, { spec: { nodePort: null } }),
        expect: { status: 200, at: { spec: { imageTag: '1', nodePort: 31000 } } },
      },
      {
        request: get(`${paths.websites}/x`),
        expect: { status: 200, body: { metadata: { generation: 1 } } },
      },
    ],
  },
];
