import type { ContractCase } from '../contract-case.ts';
import { invalid } from '../errors.ts';
import { paths, service } from '../objects.ts';
import { apply, jsonPatch, mergePatch, post } from '../requests.ts';

const { services } = paths;
const x = `${services}/x`;

/** The server never allocates ports below 30086 by itself, so no other case gets them. */
export const cases: readonly ContractCase[] = [
  {
    id: 'cluster-ip',
    reason: 'a cluster IP is kept, unique and immutable',
    steps: [
      { name: 'made', request: apply(x, service('x')), expect: { status: 201 } },
      {
        request: post(services, service('y', { clusterIP: '{made.spec.clusterIP}' })),
        expect: {
          status: 422,
          error: invalid('Service', 'y', [
            [
              'spec.clusterIPs',
              'Invalid value: ["{made.spec.clusterIP}"]: failed to allocate IP {made.spec.clusterIP}: provided IP is already allocated',
            ],
          ]),
        },
      },
      {
        request: mergePatch(x, {
          spec: { clusterIP: '10.96.200.200', clusterIPs: ['10.96.200.200'] },
        }),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            ['spec.clusterIPs[0]', 'Invalid value: ["10.96.200.200"]: may not change once set'],
          ]),
        },
      },
      {
        request: mergePatch(x, { spec: { clusterIP: 'None' } }),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            ['spec.clusterIPs[0]', 'Invalid value: ["None"]: may not change once set'],
          ]),
        },
      },
      {
        request: mergePatch(x, { spec: { clusterIP: null, clusterIPs: null } }),
        expect: { status: 200, body: { spec: { clusterIP: '{made.spec.clusterIP}' } } },
      },
    ],
  },
  {
    id: 'headless',
    reason: 'a headless Service stays headless',
    steps: [
      { request: apply(x, service('x', { clusterIP: 'None' })), expect: { status: 201 } },
      {
        request: apply(x, service('x')),
        expect: { status: 200, body: { spec: { clusterIP: 'None' } } },
      },
      {
        request: mergePatch(x, {
          spec: { clusterIP: '10.96.200.201', clusterIPs: ['10.96.200.201'] },
        }),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            ['spec.clusterIPs[0]', 'Invalid value: ["10.96.200.201"]: may not change once set'],
          ]),
        },
      },
    ],
  },
  {
    id: 'take-out-a-port',
    reason:
      'a partner that stands in the way is taken out by a JSON patch with a test, then ours fits',
    steps: [
      {
        name: 'made',
        request: apply(x, service('x', { ports: [{ name: 'http', port: 80, protocol: 'TCP' }] })),
        expect: { status: 201 },
      },
      {
        name: 'changed',
        request: mergePatch(x, {
          spec: {
            ports: [
              { name: 'http', port: 81, protocol: 'TCP' },
              { name: 'other', port: 82, protocol: 'TCP' },
            ],
          },
        }),
        expect: { status: 200 },
      },
      {
        request: apply(x, service('x', { ports: [{ name: 'http', port: 80, protocol: 'TCP' }] })),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            ['spec.ports[2].name', 'Duplicate value: "http"', 'FieldValueDuplicate'],
          ]),
        },
      },
      {
        request: jsonPatch(x, [
          {
            op: 'test',
            path: '/metadata/resourceVersion',
            value: '{changed.metadata.resourceVersion}',
          },
          { op: 'remove', path: '/spec/ports/0' },
        ]),
        expect: { status: 200 },
      },
      {
        request: apply(x, service('x', { ports: [{ name: 'http', port: 80, protocol: 'TCP' }] })),
        expect: {
          status: 200,
          at: {
            'spec.ports': [
              { name: 'other', protocol: 'TCP', port: 82, targetPort: 82 },
              { name: 'http', protocol: 'TCP', port: 80, targetPort: 80 },
            ],
          },
        },
      },
    ],
  },
];
