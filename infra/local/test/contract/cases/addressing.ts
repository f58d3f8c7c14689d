import type { ContractCase } from '../contract-case.ts';
import { alreadyExists, badRequest } from '../errors.ts';
import { configMap, gadget, paths, secret } from '../objects.ts';
import { apply, mergePatch, post, put } from '../requests.ts';

const x = `${paths.configMaps}/x`;
const g = `${paths.gadgets}/x`;
const elsewhere = badRequest(
  'the namespace of the provided object does not match the namespace sent on the request',
);
const nameless = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'elsewhere' } };

export const cases: readonly ContractCase[] = [
  {
    id: 'namespace-first',
    reason: 'an object without namespace and name is refused for its namespace',
    steps: [
      { request: put(x, nameless), expect: { status: 400, error: elsewhere } },
      {
        request: put(`${g}/status`, gadget({ namespace: 'elsewhere' })),
        expect: { status: 400, error: elsewhere },
      },
      { request: apply(x, nameless), expect: { status: 400, error: elsewhere } },
      { request: post(paths.configMaps, configMap('x')), expect: { status: 201 } },
      {
        request: mergePatch(x, { metadata: { name: null, namespace: 'elsewhere' } }),
        expect: { status: 400, error: elsewhere },
      },
    ],
  },
  {
    id: 'namespace-empty',
    reason: 'an empty namespace is that of the URL',
    steps: [
      {
        request: post(paths.gadgets, gadget({ name: 'x', namespace: '' })),
        expect: { status: 201, body: { metadata: { namespace: '{ns}' } } },
      },
      {
        request: mergePatch(g, { metadata: { namespace: '' }, spec: { size: 2 } }),
        expect: { status: 200, body: { metadata: { namespace: '{ns}' } } },
      },
    ],
  },
  {
    id: 'unreadable-first',
    reason: 'an undecodable body is refused before its missing name',
    steps: [
      {
        request: apply(`${paths.secrets}/x`, {
          apiVersion: 'v1',
          kind: 'Secret',
          data: { a: 'MQ' },
        }),
        expect: {
          status: 500,
          error: { message: /^failed to convert new object \(\/; \/v1, Kind=Secret\) .*base64/ },
        },
      },
    ],
  },
  {
    id: 'bytes',
    reason: 'bytes are a string or a list of numbers, which is checked first',
    steps: [
      {
        request: put(`${paths.secrets}/x`, secret('x', { data: { a: -1 } })),
        expect: {
          status: 400,
          error: { reason: 'BadRequest', message: /cannot be handled as a Secret/ },
        },
      },
      {
        request: post(paths.secrets, secret('x', { data: { a: [49, 50] } })),
        expect: { status: 201, at: { data: { a: 'MTI=' } } },
      },
    ],
  },
  {
    id: 'both-names',
    reason: 'with generateName an AlreadyExists is reported as a name collision',
    steps: [
      { request: post(paths.gadgets, gadget('x')), expect: { status: 201 } },
      {
        request: post(paths.gadgets, gadget({ name: 'x', generateName: 'x-' })),
        expect: {
          status: 409,
          error: {
            reason: 'AlreadyExists',
            message: `${alreadyExists('gadgets.contract.example.com', 'x').message}, the server was not able to generate a unique name for the object`,
            details: {
              name: 'x',
              group: 'contract.example.com',
              kind: 'gadgets',
              retryAfterSeconds: 1,
            },
          },
          headers: { 'retry-after': '1' },
        },
      },
    ],
  },
];
