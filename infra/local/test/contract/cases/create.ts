import type { ContractCase } from '../contract-case.ts';
import { alreadyExists, badRequest, invalid } from '../errors.ts';
import { configMap, deployment, gadget, paths, secret, service, zone } from '../objects.ts';
import { get, post } from '../requests.ts';

const { configMaps, gadgets } = paths;

export const cases: readonly ContractCase[] = [
  {
    id: 'sets-identity',
    reason: 'the server sets what identifies an object',
    steps: [
      {
        name: 'made',
        request: post(configMaps, configMap('x')),
        expect: {
          status: 201,
          headers: { 'content-type': 'application/json' },
          body: {
            kind: 'ConfigMap',
            apiVersion: 'v1',
            metadata: {
              name: 'x',
              namespace: '{ns}',
              uid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
              resourceVersion: /^[1-9][0-9]*$/,
              creationTimestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
              generation: undefined,
            },
            data: { a: '1' },
          },
        },
      },
      {
        request: get(`${configMaps}/x`),
        expect: { status: 200, version: { sameAs: 'made' }, body: { data: { a: '1' } } },
      },
    ],
  },
  {
    id: 'ignores-server-fields',
    reason: 'fields set by the server cannot be chosen by the client',
    steps: [
      {
        request: post(
          gadgets,
          gadget({
            name: 'x',
            uid: '7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11',
            creationTimestamp: '2001-01-01T00:00:00Z',
            generation: 7,
            deletionTimestamp: '2001-01-01T00:00:00Z',
            selfLink: '/x',
          }),
        ),
        expect: {
          status: 201,
          body: {
            metadata: {
              uid: /^(?!7d0e7cc1)/,
              creationTimestamp: /^(?!2001)/,
              generation: 1,
              deletionTimestamp: undefined,
            },
          },
        },
      },
    ],
  },
  {
    id: 'exists',
    reason: 'the only 409 of a create is AlreadyExists',
    steps: [
      { request: post(configMaps, configMap('x')), expect: { status: 201 } },
      {
        request: post(configMaps, configMap('x')),
        expect: { status: 409, error: alreadyExists('configmaps', 'x') },
      },
    ],
  },
  {
    id: 'exists-custom',
    reason: 'the same for custom resources',
    steps: [
      { request: post(gadgets, gadget('x')), expect: { status: 201 } },
      {
        request: post(gadgets, gadget('x')),
        expect: { status: 409, error: alreadyExists('gadgets.contract.example.com', 'x') },
      },
    ],
  },
  {
    id: 'exists-cluster-ip',
    reason: 'posting a Service as read fails for its cluster IP before its name',
    steps: [
      { name: 'made', request: post(paths.services, service('x')), expect: { status: 201 } },
      {
        request: post(paths.services, service('x', { clusterIP: '{made.spec.clusterIP}' })),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            [
              'spec.clusterIPs',
              'Invalid value: ["{made.spec.clusterIP}"]: failed to allocate IP {made.spec.clusterIP}: provided IP is already allocated',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'with-version',
    reason: 'a create with a resourceVersion is refused',
    steps: [
      {
        request: post(configMaps, configMap({ name: 'x', resourceVersion: '5' })),
        expect: {
          status: 500,
          error: { message: 'resourceVersion should not be set on objects to be created' },
        },
      },
      {
        request: post(gadgets, gadget({ name: 'x', resourceVersion: '5' })),
        expect: {
          status: 500,
          error: { message: 'resourceVersion should not be set on objects to be created' },
        },
      },
    ],
  },
  {
    id: 'generate-name',
    reason: 'Events and pods get generated names',
    steps: [
      {
        request: post(configMaps, configMap({ generateName: 'x-' })),
        expect: {
          status: 201,
          body: { metadata: { name: /^x-[bcdfghjklmnpqrstvwxz2456789]{5}$/, generateName: 'x-' } },
        },
      },
    ],
  },
  {
    id: 'drops-status',
    reason: 'status is written through its subresource only',
    steps: [
      {
        request: post(gadgets, { ...gadget('x'), status: { replicas: 3 } }),
        expect: { status: 201, body: { status: undefined } },
      },
      {
        request: post(paths.deployments, { ...deployment('x'), status: { replicas: 3 } }),
        expect: { status: 201, at: { status: {} } },
      },
    ],
  },
  {
    id: 'keeps-status',
    reason: 'without that subresource, status is a field like any other',
    steps: [
      {
        request: post(paths.zones, { ...zone('{ns}'), status: { phase: 'Open' } }),
        expect: { status: 201, body: { status: { phase: 'Open' }, metadata: { generation: 1 } } },
      },
    ],
  },
  {
    id: 'secret-string-data',
    reason: 'stringData is folded into data',
    steps: [
      {
        request: post(
          paths.secrets,
          secret('x', { stringData: { a: 'text' }, data: { b: 'Mg==' } }),
        ),
        expect: {
          status: 201,
          body: { type: 'Opaque', data: { a: 'dGV4dA==', b: 'Mg==' }, stringData: undefined },
        },
      },
      {
        request: post(paths.secrets, secret('y', { data: { a: 'not base64!' } })),
        expect: {
          status: 400,
          error: badRequest(/^Secret in version "v1" cannot be handled as a Secret: /),
        },
      },
    ],
  },
];
