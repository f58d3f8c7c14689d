import type { ContractCase } from '../contract-case.ts';
import { badRequest, invalid, notFound } from '../errors.ts';
import { configMap, deployment, gadget, paths, service } from '../objects.ts';
import { apply, get, post, put, theirs } from '../requests.ts';

const x = `${paths.configMaps}/x`;
const g = `${paths.gadgets}/x`;
const someUid = '7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11';
const version = (step: string) => `{${step}.metadata.resourceVersion}`;

export const cases: readonly ContractCase[] = [
  {
    id: 'identical',
    reason: 'replacing an object with itself writes nothing',
    steps: [
      { name: 'made', request: post(paths.configMaps, configMap('x')), expect: { status: 201 } },
      {
        request: put(x, configMap('x'), theirs),
        expect: { status: 200, version: { sameAs: 'made' } },
      },
      { name: 'gadget', request: post(paths.gadgets, gadget('x')), expect: { status: 201 } },
      {
        request: put(g, gadget({ name: 'x', resourceVersion: version('gadget') }), theirs),
        expect: { status: 200, version: { sameAs: 'gadget' } },
      },
    ],
  },
  {
    id: 'needs-version',
    reason: 'a custom resource is replaced with a version only, a built-in also without',
    steps: [
      { request: post(paths.gadgets, gadget('x')), expect: { status: 201 } },
      {
        request: put(g, gadget('x', { size: 2 })),
        expect: {
          status: 422,
          error: invalid('gadgets.contract.example.com', 'x', [
            ['metadata.resourceVersion', 'Invalid value: 0: must be specified for an update'],
          ]),
        },
      },
      { request: post(paths.configMaps, configMap('x')), expect: { status: 201 } },
      { request: put(x, configMap('x', { a: '2' })), expect: { status: 200 } },
    ],
  },
  {
    id: 'absent',
    reason: 'replacing never creates',
    steps: [
      {
        request: put(x, configMap('x')),
        expect: { status: 404, error: notFound('configmaps', 'x') },
      },
      {
        request: put(x, configMap({ name: 'x', uid: someUid, resourceVersion: '5' })),
        expect: { status: 404, error: notFound('configmaps', 'x') },
      },
      {
        request: put(g, gadget('x')),
        expect: { status: 404, error: notFound('gadgets.contract.example.com', 'x') },
      },
      {
        request: put(g, gadget({ name: 'x', uid: someUid, resourceVersion: '5' })),
        expect: { status: 404, error: notFound('gadgets.contract.example.com', 'x') },
      },
      {
        request: put(
          `${paths.deployments}/x`,
          deployment({ name: 'x', uid: someUid, resourceVersion: '5' }),
        ),
        expect: { status: 404, error: notFound('deployments.apps', 'x') },
      },
    ],
  },
  {
    id: 'other-name',
    reason: 'body and URL must agree',
    steps: [
      { request: post(paths.configMaps, configMap('x')), expect: { status: 201 } },
      {
        request: put(x, configMap('y')),
        expect: {
          status: 400,
          error: badRequest('the name of the object (y) does not match the name on the URL (x)'),
        },
      },
      {
        request: put(x, configMap({})),
        expect: {
          status: 400,
          error: badRequest(
            'the name of the object (x based on URL) was undeterminable: name must be provided',
          ),
        },
      },
      {
        request: put(x, configMap({ name: 'x', namespace: 'elsewhere' })),
        expect: {
          status: 400,
          error: badRequest(
            'the namespace of the provided object does not match the namespace sent on the request',
          ),
        },
      },
      {
        request: put(g, gadget('y')),
        expect: {
          status: 400,
          error: badRequest('the name of the object (y) does not match the name on the URL (x)'),
        },
      },
    ],
  },
  {
    id: 'server-fields',
    reason: 'fields set by the server cannot be changed',
    steps: [
      { name: 'made', request: post(paths.gadgets, gadget('x')), expect: { status: 201 } },
      {
        request: put(
          g,
          gadget({
            name: 'x',
            resourceVersion: version('made'),
            generation: 9,
            creationTimestamp: '2001-01-01T00:00:00Z',
          }),
          theirs,
        ),
        expect: {
          status: 200,
          version: { sameAs: 'made' },
          body: {
            metadata: { generation: 1, creationTimestamp: '{made.metadata.creationTimestamp}' },
          },
        },
      },
    ],
  },
  {
    id: 'replaces-all',
    reason: 'omitted fields are removed, and defaults return',
    steps: [
      {
        name: 'made',
        request: post(
          paths.gadgets,
          gadget({ name: 'x', labels: { l: '1' } }, { size: 4, owner: 'me' }),
        ),
        expect: { status: 201 },
      },
      {
        request: put(g, gadget({ name: 'x', resourceVersion: version('made') }, { owner: 'me' })),
        expect: {
          status: 200,
          at: { spec: { owner: 'me', size: 1, mode: 'fast' } },
          body: { metadata: { labels: undefined, generation: 2 } },
        },
      },
    ],
  },
  {
    id: 'bad-version',
    reason: 'a version that is not a number is a 400',
    steps: [
      { request: post(paths.configMaps, configMap('x')), expect: { status: 201 } },
      {
        request: put(x, configMap({ name: 'x', resourceVersion: 'abc' })),
        expect: {
          status: 500,
          error: { message: 'strconv.ParseUint: parsing "abc": invalid syntax' },
        },
      },
    ],
  },
  {
    id: 'service',
    reason: 'a Service replaced without its allocated values keeps them',
    steps: [
      {
        name: 'made',
        request: post(paths.services, service('x', { type: 'NodePort' })),
        expect: { status: 201 },
      },
      {
        request: put(`${paths.services}/x`, service('x', { type: 'NodePort' })),
        expect: {
          status: 200,
          body: {
            spec: {
              clusterIP: '{made.spec.clusterIP}',
              ports: [{ nodePort: '{made.spec.ports.0.nodePort}' }],
            },
          },
        },
      },
      {
        request: put(`${paths.services}/x`, service({ name: 'x', labels: { a: 'b' } }, {})),
        expect: {
          status: 200,
          body: {
            spec: {
              type: 'ClusterIP',
              clusterIP: '{made.spec.clusterIP}',
              ports: [{ nodePort: undefined }],
            },
          },
        },
      },
    ],
  },
  {
    id: 'answers',
    reason: 'the response is the whole object as stored',
    steps: [
      { request: apply(x, configMap('x')), expect: { status: 201 } },
      {
        name: 'written',
        request: put(x, configMap('x', { a: '2' })),
        expect: { status: 200, body: { kind: 'ConfigMap', metadata: { namespace: '{ns}' } } },
      },
      {
        request: get(x),
        expect: { status: 200, version: { sameAs: 'written' }, at: { data: { a: '2' } } },
      },
    ],
  },
];
