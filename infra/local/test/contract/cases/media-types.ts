import type { ApiRequest } from '../../../client.ts';
import type { ContractCase, ErrorBody, Step } from '../contract-case.ts';
import { configMap, gadget, paths } from '../objects.ts';
import { get, post } from '../requests.ts';

const { configMaps, gadgets } = paths;
const x = `${configMaps}/x`;

const asking = (accept: string, request: ApiRequest): ApiRequest => ({
  ...request,
  headers: { ...request.headers, accept },
});
const sending = (type: string): ApiRequest => ({
  ...post(configMaps, configMap('y'), { dryRun: 'All' }),
  headers: { 'content-type': type },
});
const of = (kind: string, format = 'json'): string =>
  `application/${format};as=${kind};v=v1;g=meta.k8s.io`;

const object = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
const stream = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
const unavailable = (types: string): ErrorBody => ({
  reason: 'NotAcceptable',
  message: `406: Not Acceptable\n\nAvailable representations: ${types}`,
  details: {},
});
const unaccepted = (message: string): ErrorBody => ({ reason: 'NotAcceptable', message });
const refused = (request: ApiRequest, error: ErrorBody): Step => ({
  request,
  expect: { status: 406, error },
});
const answered = (accept: string, path: string, type: string): Step => ({
  request: asking(accept, get(path)),
  expect: { status: 200, headers: { 'content-type': `application/${type}` } },
});
const made: readonly Step[] = [
  { request: post(configMaps, configMap('x')), expect: { status: 201 } },
  { request: post(gadgets, gadget('x')), expect: { status: 201 } },
];

export const cases: readonly ContractCase[] = [
  {
    id: 'preferred',
    reason: "the client's preferred form is used",
    steps: [
      ...made,
      ...[x, `${gadgets}/x`].flatMap((path) => [
        answered('application/json;q=0.1,application/yaml', path, 'yaml'),
        answered('application/yaml;q=0.5,application/json', path, 'json'),
        answered('application/yaml,application/json', path, 'yaml'),
        answered('text/html,*/*', path, 'json'),
        answered('application/json;foo=bar', path, 'json'),
      ]),
      answered('application/yaml', '/api', 'yaml'),
      answered('application/yaml', '/apis/apps', 'yaml'),
      answered('application/*', `${gadgets}/x`, 'json'),
    ],
  },
  {
    id: 'none-fits',
    reason: 'a request for unavailable forms only is refused, with the available ones',
    steps: [
      ...made,
      ...['application/*', 'text/html'].flatMap((accept) => [
        refused(asking(accept, get(x)), unavailable(object)),
        refused(asking(accept, get(configMaps)), unavailable(`${object}, ${stream}`)),
      ]),
      refused(asking('text/html', get('/version')), unavailable('application/json')),
      refused(asking('text/html', get('/apis/apps/v1')), unavailable(object)),
      refused(
        asking('text/html', get(`${gadgets}/x`)),
        unaccepted(`only the following media types are accepted: ${object}`),
      ),
      ...[of('Foo'), 'application/json;as=Table', of('Table').replace('v1', 'v2')].map((accept) =>
        refused(
          asking(accept, get(x)),
          unaccepted(`only the following media types are accepted: ${object}`),
        ),
      ),
      {
        request: asking('text/html', get('/api/v1/bogus')),
        expect: { status: 404 },
      },
      {
        request: asking('text/html', post(configMaps, configMap('z'))),
        expect: { status: 406 },
      },
      { request: get(`${configMaps}/z`), expect: { status: 404 } },
    ],
  },
  {
    id: 'metadata',
    reason: 'a list is not an object, nor the other way round',
    steps: [
      ...made,
      refused(
        asking(of('PartialObjectMetadata'), get(configMaps)),
        unaccepted(
          'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)',
        ),
      ),
      refused(
        asking(of('PartialObjectMetadata'), get(gadgets)),
        unaccepted(
          'you requested PartialObjectMetadata, but the requested object is a list (*unstructured.UnstructuredList)',
        ),
      ),
      refused(
        asking(of('PartialObjectMetadataList'), get(x)),
        unaccepted(
          'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)',
        ),
      ),
      {
        request: asking(of('PartialObjectMetadataList'), get(paths.secrets)),
        expect: { status: 200, at: { items: null } },
      },
      {
        request: asking(of('PartialObjectMetadata'), get(x)),
        expect: { status: 200, body: { kind: 'PartialObjectMetadata', metadata: { name: 'x' } } },
      },
    ],
  },
  {
    id: 'errors',
    reason: 'errors come in the form that was asked for',
    steps: [
      {
        request: asking('application/yaml', get(x)),
        expect: {
          status: 404,
          text: /^apiVersion: v1\ncode: 404\n/,
          headers: { 'content-type': 'application/yaml' },
        },
      },
      {
        request: asking('application/yaml', get('/api/v1/bogus')),
        expect: { status: 404, headers: { 'content-type': 'application/yaml' } },
      },
      {
        request: asking(of('Table'), get(x)),
        expect: { status: 404, body: { kind: 'Status', code: 404 } },
      },
    ],
  },
  {
    id: 'watches',
    reason: 'events come as JSON',
    steps: [
      ...made,
      ...[configMaps, gadgets].map((path) => ({
        request: asking('application/yaml', get(path, { watch: 'true', timeoutSeconds: '1' })),
        expect: { status: 406, text: /only the following media types are accepted/ },
      })),
      {
        request: asking('application/json;stream=watch', get(gadgets, { watch: 'true' })),
        expect: { status: 200, events: [{ type: 'ADDED', object: { kind: 'Gadget' } }] },
      },
    ],
  },
  {
    id: 'bodies',
    reason: 'a body of an unknown type is not guessed at',
    steps: [
      ...[
        'application/x-www-form-urlencoded',
        'text/plain',
        'application/*',
        'application/json; charset="',
        'application/json; charset',
        'application/json;;',
      ].map((type) => ({
        request: sending(type),
        expect: {
          status: 415,
          error: {
            reason: 'UnsupportedMediaType',
            message: `the body of the request was in an unknown format - accepted media types include: ${object}`,
          },
        },
      })),
      ...['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/yaml'].map(
        (type) => ({
          request: sending(type),
          expect: { status: 201 },
        }),
      ),
      {
        request: {
          method: 'PATCH',
          path: x,
          headers: { 'content-type': 'Application/Merge-Patch+json' },
          body: {},
        },
        expect: { status: 415 },
      },
    ],
  },
];
