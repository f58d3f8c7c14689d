import type { ContractCase } from '../contract-case.ts';
import { invalid } from '../errors.ts';
import { paths, service } from '../objects.ts';
import { apply, del, mergePatch, post } from '../requests.ts';

const { services } = paths;
const x = `${services}/x`;
const onNode = (nodePort: number, more: object = {}) =>
  service('x', { type: 'NodePort', ports: [{ port: 80, protocol: 'TCP', nodePort }], ...more });
const ports = (http: object, https: object) =>
  service('x', {
    type: 'NodePort',
    ports: [
      { name: 'http', port: 80, protocol: 'TCP', ...http },
      { name: 'https', port: 443, protocol: 'TCP', ...https },
    ],
  });
const named = (name: string, nodePort: number) => ({
  ...onNode(nodePort),
  metadata: { name },
});

/** The server never allocates ports below 30086 by itself, so no other case gets them. */
export const cases: readonly ContractCase[] = [
  {
    id: 'node-port-taken',
    reason: 'a port another Service holds is refused at that field',
    steps: [
      {
        request: apply(x, onNode(30001)),
        expect: { status: 201, body: { spec: { ports: [{ nodePort: 30001 }] } } },
      },
      {
        request: apply(`${services}/y`, named('y', 30001)),
        expect: {
          status: 422,
          error: invalid('Service', 'y', [
            ['spec.ports[0].nodePort', 'Invalid value: 30001: provided port is already allocated'],
          ]),
        },
      },
      {
        request: post(services, named('y', 30001)),
        expect: {
          status: 422,
          error: invalid('Service', 'y', [
            ['spec.ports[0].nodePort', 'Invalid value: 30001: provided port is already allocated'],
          ]),
        },
      },
      { request: del(x), expect: { status: 200 } },
      {
        eventually: true,
        request: apply(`${services}/y`, named('y', 30001)),
        expect: { status: 201 },
      },
    ],
  },
  {
    id: 'node-port-moved',
    reason: 'an apply does not take a port back from another port of the same Service',
    steps: [
      { request: apply(x, ports({ nodePort: 30076 }, {})), expect: { status: 201 } },
      {
        request: mergePatch(x, ports({ nodePort: 30077 }, { nodePort: 30076 })),
        expect: { status: 200 },
      },
      {
        request: apply(x, ports({ nodePort: 30076 }, {})),
        expect: { status: 500, error: { message: 'duplicate nodePort: {TCP 30076}' } },
      },
    ],
  },
  {
    id: 'node-port-range',
    reason: 'a port outside the range is another, permanent error',
    steps: [
      {
        request: post(services, onNode(80)),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            [
              'spec.ports[0].nodePort',
              'Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
            ],
          ]),
        },
      },
      {
        request: post(services, onNode(32768)),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            [
              'spec.ports[0].nodePort',
              'Invalid value: 32768: provided port is not in the valid range. The range of valid ports is 30000-32767',
            ],
          ]),
        },
      },
      {
        request: post(services, onNode(70000)),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            [
              'spec.ports[0].nodePort',
              'Invalid value: 70000: provided port is not in the valid range. The range of valid ports is 30000-32767',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'node-port-type',
    reason: 'only some types have node ports',
    steps: [
      {
        request: post(services, service('x', { ports: [{ port: 80, nodePort: 30002 }] })),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            [
              'spec.ports[0].nodePort',
              "Forbidden: may not be used when `type` is 'ClusterIP'",
              'FieldValueForbidden',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'node-port-moves',
    reason: 'a node port is freed when its Service takes another',
    steps: [
      { request: apply(x, onNode(30003)), expect: { status: 201 } },
      {
        request: apply(x, onNode(30004)),
        expect: { status: 200, body: { spec: { ports: [{ nodePort: 30004 }] } } },
      },
      {
        eventually: true,
        request: apply(`${services}/y`, named('y', 30003)),
        expect: { status: 201 },
      },
      {
        request: apply(x, onNode(30003)),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            ['spec.ports[0].nodePort', 'Invalid value: 30003: provided port is already allocated'],
          ]),
        },
      },
    ],
  },
  {
    id: 'node-port-protocols',
    reason: 'one number serves two protocols',
    steps: [
      {
        request: apply(
          x,
          service('x', {
            type: 'NodePort',
            ports: [
              { name: 'a', port: 53, protocol: 'TCP', nodePort: 30005 },
              { name: 'b', port: 53, protocol: 'UDP', nodePort: 30005 },
            ],
          }),
        ),
        expect: { status: 201 },
      },
    ],
  },
  {
    id: 'node-port-kept',
    reason: 'an allocated port stays as long as the Service needs one',
    steps: [
      {
        name: 'made',
        request: apply(x, service('x', { type: 'NodePort' })),
        expect: { status: 201 },
      },
      {
        request: apply(x, service({ name: 'x', labels: { l: '1' } }, { type: 'NodePort' })),
        expect: {
          status: 200,
          body: { spec: { ports: [{ nodePort: '{made.spec.ports.0.nodePort}' }] } },
        },
      },
      {
        request: mergePatch(x, { spec: { type: 'ClusterIP' } }),
        expect: {
          status: 200,
          body: {
            spec: {
              type: 'ClusterIP',
              ports: [{ nodePort: undefined }],
              externalTrafficPolicy: undefined,
            },
          },
        },
      },
    ],
  },
  {
    id: 'type-with-port',
    reason: 'a Service that no longer needs a node port gives it up',
    steps: [
      { request: apply(x, onNode(30006)), expect: { status: 201 } },
      {
        request: mergePatch(x, { spec: { type: 'ClusterIP' } }),
        expect: { status: 200, body: { spec: { ports: [{ nodePort: undefined }] } } },
      },
      {
        request: apply(x, onNode(30006, { type: 'ClusterIP' })),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            [
              'spec.ports[0].nodePort',
              "Forbidden: may not be used when `type` is 'ClusterIP'",
              'FieldValueForbidden',
            ],
          ]),
        },
      },
    ],
  },
];
