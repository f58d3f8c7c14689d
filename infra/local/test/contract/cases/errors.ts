import type { ContractCase } from '../contract-case.ts';
import { badRequest, notFound } from '../errors.ts';
import { configMap, gadget, paths } from '../objects.ts';
import { get, post, put } from '../requests.ts';

const { configMaps, gadgets } = paths;

export const cases: readonly ContractCase[] = [
  {
    id: 'not-found',
    reason: 'a missing object is named',
    steps: [
      {
        request: get(`${configMaps}/x`),
        expect: {
          status: 404,
          error: notFound('configmaps', 'x'),
          headers: { 'content-type': 'application/json' },
        },
      },
      {
        request: get(`${gadgets}/x`),
        expect: { status: 404, error: notFound('gadgets.contract.example.com', 'x') },
      },
      {
        request: get('/apis/apps/v1/namespaces/{ns}/deployments/x'),
        expect: { status: 404, error: notFound('deployments.apps', 'x') },
      },
      {
        request: get('/api/v1/namespaces/no-such-namespace'),
        expect: { status: 404, error: notFound('namespaces', 'no-such-namespace') },
      },
    ],
  },
  {
    id: 'no-such-address',
    reason: 'an unknown resource, group or version is not found, and names no object',
    steps: [
      {
        request: get('/api/v1/namespaces/{ns}/bogus'),
        expect: {
          status: 404,
          error: {
            message: 'the server could not find the requested resource',
            reason: 'NotFound',
            details: {},
          },
        },
      },
      {
        request: get('/apis/contract.example.com/v1/namespaces/{ns}/bogus'),
        expect: { status: 404, text: /^404 page not found/ },
      },
      {
        request: get('/apis/none.example.com/v1/namespaces/{ns}/things'),
        expect: { status: 404, text: /^404 page not found/ },
      },
      {
        request: get('/apis/contract.example.com/v9/gadgets'),
        expect: { status: 404, text: /^404 page not found/ },
      },
      { request: get('/bogus'), expect: { status: 404, text: /^404 page not found/ } },
    ],
  },
  {
    id: 'methods',
    reason: 'an unsupported method is refused',
    steps: [
      {
        request: post(`${configMaps}/x`, configMap('x')),
        expect: {
          status: 405,
          error: {
            message: 'the server does not allow this method on the requested resource',
            reason: 'MethodNotAllowed',
            details: {},
          },
        },
      },
      {
        request: put(configMaps, configMap('x')),
        expect: {
          status: 405,
          error: {
            message: 'the server does not allow this method on the requested resource',
            reason: 'MethodNotAllowed',
            details: {},
          },
        },
      },
      {
        request: put(gadgets, gadget('x')),
        expect: { status: 400, error: badRequest('name must be provided') },
      },
    ],
  },
  {
    id: 'malformed',
    reason: 'a body that is not JSON is a 400',
    steps: [
      {
        request: post(configMaps, '{"kind"'),
        expect: { status: 400, body: { reason: 'BadRequest' } },
      },
      {
        request: post(gadgets, '{"kind"'),
        expect: { status: 400, body: { reason: 'BadRequest' } },
      },
      { request: post(configMaps, '[]'), expect: { status: 400, body: { reason: 'BadRequest' } } },
      { request: post(configMaps, ''), expect: { status: 400, body: { reason: 'BadRequest' } } },
      {
        request: post(configMaps, configMap('x', { a: 1 })),
        expect: { status: 400, body: { reason: 'BadRequest' } },
      },
      {
        request: post(configMaps, configMap('x', 'text')),
        expect: { status: 400, body: { reason: 'BadRequest' } },
      },
    ],
  },
  {
    id: 'media-types',
    reason: 'unknown media types of bodies and responses are refused',
    steps: [
      {
        request: { ...post(configMaps, configMap('x')), headers: { 'content-type': 'text/plain' } },
        expect: {
          status: 415,
          error: {
            message:
              'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
            reason: 'UnsupportedMediaType',
          },
        },
      },
      {
        request: { ...get(configMaps), headers: { accept: 'text/html' } },
        expect: {
          status: 406,
          error: {
            message: /./,
            reason: 'NotAcceptable',
            details: {},
          },
        },
      },
      {
        request: { ...get(configMaps), headers: { accept: 'text/html, */*' } },
        expect: { status: 200 },
      },
      {
        request: {
          ...post(configMaps, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n'),
          headers: { 'content-type': 'application/yaml' },
        },
        expect: { status: 201, body: { metadata: { name: 'x' } } },
      },
    ],
  },
  {
    id: 'queries',
    reason: 'unknown query parameters are ignored, malformed ones refused',
    steps: [
      { request: get(configMaps, { bogus: '1', pretty: 'true' }), expect: { status: 200 } },
      {
        request: get(configMaps, { timeoutSeconds: 'soon' }),
        expect: {
          status: 400,
          error: badRequest('strconv.ParseInt: parsing "soon": invalid syntax'),
        },
      },
    ],
  },
  {
    id: 'anonymous',
    reason: 'an unknown token is refused',
    steps: [
      {
        request: { ...get(configMaps), headers: { authorization: 'Bearer bogus' } },
        expect: { status: 401, error: { message: 'Unauthorized', reason: 'Unauthorized' } },
      },
    ],
  },
];
