import type { ContractCase } from '../contract-case.ts';
import { invalid } from '../errors.ts';
import { paths, service } from '../objects.ts';
import { apply, del, mergePatch, post, put } from '../requests.ts';

const { services } = paths;
const x = `${services}/x`;
const onNodes = (port: object) => service('x', { type: 'NodePort', ports: [port] });

export const cases: readonly ContractCase[] = [
  {
    id: 'node-port-by-name',
    reason: 'a node port stays with the name of its port, whatever the port’s number',
    steps: [
      {
        name: 'made',
        request: put(x, onNodes({ name: 'http', port: 80 })),
        expect: { status: 201 },
      },
      {
        request: put(x, onNodes({ name: 'http', port: 81 })),
        expect: { status: 200, at: { 'spec.ports.0.nodePort': '{made.spec.ports.0.nodePort}' } },
      },
    ],
  },
  {
    id: 'external-addresses',
    reason: 'a Service with addresses of its own has a policy for what comes from outside',
    steps: [
      {
        request: apply(x, service('x', { externalIPs: ['1.2.3.4'] })),
        expect: { status: 201, at: { 'spec.externalTrafficPolicy': 'Cluster' } },
      },
      {
        request: mergePatch(x, { spec: { externalIPs: null } }),
        expect: { status: 200, at: { 'spec.externalTrafficPolicy': undefined } },
      },
    ],
  },
  {
    id: 'headless-without-selector',
    reason: 'its endpoints may be of either family, until it has a selector',
    steps: [
      {
        request: apply(x, service('x', { clusterIP: 'None', selector: {} })),
        expect: {
          status: 201,
          at: { 'spec.ipFamilies': ['IPv4', 'IPv6'], 'spec.ipFamilyPolicy': 'RequireDualStack' },
        },
      },
      { request: mergePatch(x, { spec: { selector: { app: 'web' } } }), expect: { status: 422 } },
    ],
  },
  {
    id: 'load-balancer-no-more',
    reason: 'fields of a type are dropped with the type, unless they are changed with it',
    steps: [
      {
        request: apply(x, service('x', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' })),
        expect: { status: 201, body: { spec: { allocateLoadBalancerNodePorts: true } } },
      },
      {
        request: mergePatch(x, { spec: { type: 'ClusterIP', externalTrafficPolicy: null } }),
        expect: {
          status: 200,
          body: {
            spec: {
              allocateLoadBalancerNodePorts: undefined,
              externalTrafficPolicy: undefined,
              healthCheckNodePort: undefined,
              ports: [{ nodePort: undefined }],
            },
          },
        },
      },
    ],
  },
  {
    id: 'external-name',
    reason: 'an ExternalName Service has no cluster IP',
    steps: [
      {
        request: post(services, service('x', { type: 'ExternalName', ipFamilies: ['IPv4'] })),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            [
              'spec.ipFamilies',
              'Forbidden: may not be set for ExternalName services',
              'FieldValueForbidden',
            ],
            ['spec.externalName', 'Required value', 'FieldValueRequired'],
          ]),
        },
      },
    ],
  },
  {
    id: 'allocation-first',
    reason: 'a failed allocation is reported alone, before any validation',
    steps: [
      {
        request: post(services, service('x', { clusterIP: 'nothing', ports: [] })),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            [
              'spec.clusterIPs[0]',
              'Invalid value: "nothing": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'port-names',
    reason: 'a named target port must be a legal port name',
    steps: [
      {
        request: post(services, service('x', { ports: [{ port: 80, targetPort: '8080' }] })),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            [
              'spec.ports[0].targetPort',
              'Invalid value: "8080": must contain at least one letter (a-z)',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'headless-stays',
    reason:
      'a Service stays headless when nobody wants it any more, and one with an address keeps it',
    steps: [
      { request: apply(x, service('x', { clusterIP: 'None' })), expect: { status: 201 } },
      {
        request: apply(x, service('x')),
        expect: { status: 200, at: { 'spec.clusterIP': 'None' } },
      },
      {
        request: apply(`${services}/y`, service('y', { clusterIP: '10.96.88.88' })),
        expect: { status: 201 },
      },
      {
        request: apply(`${services}/y`, service('y')),
        expect: { status: 200, at: { 'spec.clusterIP': '10.96.88.88' } },
      },
      {
        request: apply(`${services}/y`, service('y', { clusterIP: 'None' })),
        expect: { status: 422 },
      },
      {
        request: apply(x, service('x', { type: 'ExternalName', externalName: 'a.example' })),
        expect: { status: 200, at: { 'spec.clusterIP': undefined } },
      },
      {
        request: apply(x, service('x', { clusterIP: 'None' })),
        expect: { status: 200, at: { 'spec.clusterIP': 'None' } },
      },
    ],
  },
  {
    id: 'first-family',
    reason: 'the first family of addresses stays',
    steps: [
      { request: apply(x, service('x', { ipFamilies: ['IPv4'] })), expect: { status: 201 } },
      { request: apply(x, service('x', { ipFamilies: ['IPv6'] })), expect: { status: 422 } },
      {
        request: apply(x, service('x')),
        expect: { status: 200, at: { 'spec.ipFamilies': ['IPv4'] } },
      },
    ],
  },
  {
    id: 'put-creates',
    reason: 'a Service may be created by PUT',
    steps: [{ request: put(x, service('x')), expect: { status: 201 } }],
  },
  {
    id: 'deleted-version',
    reason: 'the answer to a deletion has the version of the deletion',
    steps: [
      { name: 'made', request: apply(x, service('x')), expect: { status: 201 } },
      { request: del(x), expect: { status: 200, version: { movedSince: 'made' } } },
    ],
  },
  {
    id: 'allocation-given-up',
    reason: 'a load balancer that no longer allocates node ports keeps those it has',
    steps: [
      {
        name: 'made',
        request: apply(x, service('x', { type: 'LoadBalancer' })),
        expect: { status: 201 },
      },
      {
        request: mergePatch(x, { spec: { allocateLoadBalancerNodePorts: false } }),
        expect: {
          status: 200,
          body: { spec: { ports: [{ nodePort: '{made.spec.ports.0.nodePort}' }] } },
        },
      },
    ],
  },
  {
    id: 'born-deleted',
    reason: 'an applied deletionTimestamp gets its grace period from the first deletion',
    steps: [
      {
        request: apply(x, {
          ...service('x'),
          metadata: { name: 'x', deletionTimestamp: '2020-01-01T00:00:00Z' },
        }),
        expect: { status: 201 },
      },
      {
        request: del(x, { propagationPolicy: 'Foreground' }),
        expect: { status: 200, body: { metadata: { deletionGracePeriodSeconds: 0 } } },
      },
    ],
  },
];
