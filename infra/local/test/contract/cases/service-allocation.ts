import type { ContractCase } from '../contract-case.ts';
import { invalid } from '../errors.ts';
import { updated } from '../managers.ts';
import { paths, service } from '../objects.ts';
import { apply, jsonPatch, mergePatch, ours, post, put, theirs } from '../requests.ts';

const { services } = paths;
const x = `${services}/x`;
const headless = { clusterIP: 'None' };
const elsewhere = { type: 'ExternalName', externalName: 'example.com', ports: undefined };

const spec = (first: string): string =>
  `{"f:spec":{${first}"f:internalTrafficPolicy":{},"f:ports":{".":{},"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:port":{},"f:protocol":{},"f:targetPort":{}}},"f:selector":{},"f:sessionAffinity":{},"f:type":{}}}`;

export const cases: readonly ContractCase[] = [
  {
    id: 'headless-emptied',
    reason: 'a removed cluster IP is restored, without an owner',
    steps: [
      {
        name: 'made',
        request: post(services, service('x', headless), ours),
        expect: { status: 201, managers: [updated('ours', 'v1', spec('"f:clusterIP":{},'))] },
      },
      {
        request: mergePatch(x, { spec: { clusterIP: '' } }, theirs),
        expect: {
          status: 200,
          body: { spec: { clusterIP: 'None', clusterIPs: ['None'] } },
          managers: [updated('ours', 'v1', spec(''))],
          version: { movedSince: 'made' },
        },
      },
    ],
  },
  {
    id: 'headless-null',
    reason: 'null equals an empty cluster IP',
    steps: [
      { request: post(services, service('x', headless), ours), expect: { status: 201 } },
      {
        request: mergePatch(x, { spec: { clusterIP: null } }, theirs),
        expect: {
          status: 200,
          body: { spec: { clusterIP: 'None' } },
          managers: [updated('ours', 'v1', spec(''))],
        },
      },
    ],
  },
  {
    id: 'addresses-alone',
    reason: 'clusterIPs does not replace clusterIP',
    steps: [
      {
        request: post(services, service('x', { clusterIPs: ['None'] })),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            [
              'spec.clusterIPs',
              'Invalid value: ["None"]: must be empty when `clusterIP` is not specified',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'families-of-one',
    reason: 'a Service reduced to one family keeps the first',
    steps: [
      {
        request: post(services, service('x', { ...headless, selector: undefined })),
        expect: { status: 201, at: { 'spec.ipFamilies': ['IPv4', 'IPv6'] } },
      },
      {
        request: mergePatch(x, { spec: { ipFamilyPolicy: 'SingleStack' } }),
        expect: { status: 200, at: { 'spec.ipFamilies': ['IPv4'] } },
      },
    ],
  },
  {
    id: 'shared-node-port',
    reason: 'protocols of one port number share a node port when the Service is made',
    steps: [
      {
        name: 'made',
        request: post(
          services,
          service('x', {
            type: 'NodePort',
            ports: [
              { name: 'a', port: 53, protocol: 'UDP' },
              { name: 'b', port: 53, protocol: 'TCP' },
            ],
          }),
        ),
        expect: { status: 201 },
      },
      {
        request: put(
          x,
          service('x', {
            type: 'NodePort',
            ports: [{ name: 'a', port: 53, nodePort: '{made.spec.ports.1.nodePort}' }],
          }),
        ),
        expect: { status: 200, at: { 'spec.ports.0.nodePort': '{made.spec.ports.0.nodePort}' } },
      },
    ],
  },
  {
    id: 'node-port-twice',
    reason: 'a node port requested twice is reported at another index in an update',
    steps: [
      {
        request: post(
          services,
          service('x', {
            type: 'NodePort',
            ports: [
              { name: 'a', port: 80, nodePort: 30062 },
              { name: 'b', port: 81, nodePort: 30062 },
            ],
          }),
        ),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            ['spec.ports[1].nodePort', 'Invalid value: 30062: provided port is already allocated'],
          ]),
        },
      },
      {
        request: post(
          services,
          service('x', { type: 'NodePort', ports: [{ name: 'a', port: 80, nodePort: 30062 }] }),
        ),
        expect: { status: 201 },
      },
      {
        request: mergePatch(x, {
          spec: {
            ports: [
              { name: 'a', port: 80, nodePort: 30062 },
              { name: 'b', port: 81, nodePort: 30062 },
            ],
          },
        }),
        expect: { status: 500, error: { message: 'duplicate nodePort: {TCP 30062}' } },
      },
    ],
  },
  {
    id: 'target-port-empty',
    reason: 'an empty targetPort is the port itself',
    steps: [
      {
        request: apply(x, service('x', { ports: [{ port: 80, protocol: 'TCP', targetPort: '' }] })),
        expect: { status: 201, at: { 'spec.ports.0.targetPort': 80 } },
      },
    ],
  },
  {
    id: 'fewer-ports-of-another-type',
    reason: 'node ports are dropped with the type that needs them, also when a port is removed',
    steps: [
      {
        request: post(
          services,
          service('x', {
            type: 'NodePort',
            ports: [
              { name: 'a', port: 80 },
              { name: 'b', port: 81 },
            ],
          }),
        ),
        expect: { status: 201 },
      },
      {
        request: jsonPatch(x, [
          { op: 'remove', path: '/spec/ports/1' },
          { op: 'replace', path: '/spec/type', value: 'ClusterIP' },
        ]),
        expect: { status: 200, body: { spec: { ports: [{ port: 80, nodePort: undefined }] } } },
      },
    ],
  },
  {
    id: 'port-twice',
    reason: 'the port that is there before is shown as the server compares it',
    steps: [
      {
        request: post(
          services,
          service('x', {
            ports: [
              { name: 'a', port: 80 },
              { name: 'b', port: 80 },
            ],
          }),
        ),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            [
              'spec.ports[1]',
              'Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
              'FieldValueDuplicate',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'external-with-address',
    reason:
      'an address is of no use to a name elsewhere, nor does it hurt where it is changed with it',
    steps: [
      { request: post(services, service('x')), expect: { status: 201 } },
      {
        request: put(x, service('x', { ...elsewhere, externalName: undefined, clusterIP: 'None' })),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            ['spec.externalName', 'Required value', 'FieldValueRequired'],
          ]),
        },
      },
    ],
  },
  {
    id: 'external-traffic-within',
    reason: 'an ExternalName Service shows no internalTrafficPolicy',
    steps: [
      {
        request: apply(x, service('x', { ...elsewhere, internalTrafficPolicy: 'Cluster' })),
        expect: { status: 201, at: { 'spec.internalTrafficPolicy': undefined } },
      },
    ],
  },
];
