import type { ApiRequest } from '../../../client.ts';
import { since135 } from '../changes.ts';
import type { ContractCase, ErrorBody, Step } from '../contract-case.ts';
import { badRequest, notFound } from '../errors.ts';
import { configMap, deployment, gadget, paths } from '../objects.ts';
import { del, get, mergePatch, post, put } from '../requests.ts';

const { configMaps, gadgets } = paths;
const x = `${configMaps}/x`;

const notAllowed: ErrorBody = {
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
  details: {},
};
const noSuchResource: ErrorBody = {
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  details: {},
};

const by = (method: ApiRequest['method'], path: string): ApiRequest => ({ method, path });
const answers = (request: ApiRequest, status: number, error?: ErrorBody): Step => ({
  request,
  expect: { status, ...(error ? { error } : {}) },
});
const absent = (request: ApiRequest): Step => ({
  request,
  expect: { status: 404, text: /^404 page not found/ },
});
const made: Step = { request: post(configMaps, configMap('x')), expect: { status: 201 } };
const stillThere: Step = { request: get(x), expect: { status: 200, body: { data: { a: '1' } } } };

const unreadableOptions = [
  [
    { gracePeriodSeconds: 'abc' },
    'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
  ],
  [
    { dryRun: 'All' },
    'json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string',
  ],
  [
    { preconditions: { uid: 5 } },
    'json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID',
  ],
  [
    '{bad',
    "couldn't get version/kind; json parse error: invalid character 'b' looking for beginning of object key string",
  ],
] as const;

export const cases: readonly ContractCase[] = [
  {
    id: 'collections',
    reason: 'a collection is deleted in one namespace, never in all of them',
    steps: [
      made,
      ...['/api/v1/configmaps', '/api/v1/secrets', '/apis/apps/v1/deployments'].map((path) =>
        answers(del(path), 405, notAllowed),
      ),
      answers(del('/api/v1/namespaces'), 405, notAllowed),
      absent(del('/apis/contract.example.com/v1/gadgets')),
      stillThere,
      {
        request: get('/api/v1'),
        expect: { status: 200, text: /"name":"namespaces"[^}]*"verbs":\["create","delete","get"/ },
      },
    ],
  },
  {
    id: 'delete-options',
    reason: 'a delete whose options cannot be read deletes nothing',
    steps: [
      made,
      ...['abc', '', '1.5'].map((given) =>
        answers(
          del(x, undefined, { gracePeriodSeconds: given }),
          400,
          badRequest(`strconv.ParseInt: parsing ${JSON.stringify(given)}: invalid syntax`),
        ),
      ),
      answers(
        del(x, undefined, { gracePeriodSeconds: '99999999999999999999' }),
        400,
        badRequest('strconv.ParseInt: parsing "99999999999999999999": value out of range'),
      ),
      ...unreadableOptions.map(([options, why]) => ({
        ...answers(del(x, options), 400, badRequest(why)),
        since: since135.deleteOptions,
      })),
      { request: del(x, undefined, { propagationPolicy: '' }), expect: { status: 422 } },
      {
        request: { ...del(x, {}), headers: { 'content-type': 'text/plain' } },
        expect: { status: 415 },
      },
      stillThere,
      answers(del(x, 'null'), 200),
    ],
  },
  {
    id: 'dry-run',
    reason: 'a misspelt dryRun is not a real run',
    steps: [
      made,
      ...[
        post(configMaps, configMap('y'), { dryRun: '' }),
        put(x, configMap('x', { a: '2' }), { dryRun: '' }),
        mergePatch(x, { data: { a: '2' } }, { dryRun: '' }),
        del(x, undefined, { dryRun: '' }),
        del(configMaps, undefined, { dryRun: '' }),
      ].map((request) => answers(request, 422)),
      stillThere,
      answers(get(`${configMaps}/y`), 404, notFound('configmaps', 'y')),
    ],
  },
  {
    id: 'scale',
    reason: 'a scale that names another object or kind scales nothing',
    steps: [
      { request: post(paths.deployments, deployment('x')), expect: { status: 201 } },
      ...scales({ name: 'y' }, {}).map((request) =>
        answers(
          request,
          400,
          badRequest('the name of the object (y) does not match the name on the URL (x)'),
        ),
      ),
      ...scales({ namespace: 'elsewhere' }, {}).map((request) =>
        answers(
          request,
          400,
          badRequest(
            'the namespace of the provided object does not match the namespace sent on the request',
          ),
        ),
      ),
      ...scales({}, { kind: 'Foo' }).map((request, index) =>
        index === 0
          ? answers(
              request,
              400,
              badRequest(
                /^Foo in version "v1" cannot be handled as a Scale: no kind "Foo" is registered for version "autoscaling\/v1" in scheme "pkg\/runtime\/scheme.go:\d+"$/,
              ),
            )
          : answers(request, 422),
      ),
      ...scales({}, { spec: { replicas: 99_999_999_999 } }).map((request, index) =>
        index === 0
          ? answers(
              request,
              400,
              badRequest(
                'Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal number 99999999999 into Go struct field ScaleSpec.spec.replicas of type int32',
              ),
            )
          : answers(request, 422),
      ),
      ...scales({}, { spec: 1 }).map((request, index) => answers(request, index === 0 ? 400 : 422)),
      ...scales({}, { status: 1 }).map((request, index) =>
        answers(request, index === 0 ? 400 : 422),
      ),
      {
        request: get(`${paths.deployments}/x`),
        expect: { status: 200, body: { metadata: { generation: 1 } } },
      },
    ],
  },
  {
    id: 'methods',
    reason: 'an unsupported method is refused in the words of its handler',
    steps: [
      made,
      ...(['HEAD', 'OPTIONS'] as const).flatMap((method) => [
        { request: by(method, configMaps), expect: { status: 405 } },
        { request: by(method, x), expect: { status: 405 } },
        { request: by(method, '/api'), expect: { status: 405 } },
        { request: by(method, '/version'), expect: { status: 405 } },
        { request: by(method, '/apis'), expect: { status: 200 } },
        { request: by(method, '/apis/none.example.com'), expect: { status: 404 } },
      ]),
      { request: by('HEAD', gadgets), expect: { status: 200 } },
      answers(by('OPTIONS', gadgets), 405, {
        reason: 'MethodNotAllowed',
        message: ' is not supported on resources of kind "gadgets.contract.example.com"',
        details: { group: 'contract.example.com', kind: 'gadgets' },
      }),
      ...['/api', '/api/v1', '/apis/apps/v1', '/version'].map((path) =>
        answers(by('POST', path), 405, notAllowed),
      ),
      ...['/apis', '/apis/apps', '/healthz', '/apis/contract.example.com/v1'].map((path) =>
        answers(by('POST', path), 200),
      ),
    ],
  },
  {
    id: 'addresses',
    reason: 'trailing slashes are ignored, and an unserved path is refused in one of two ways',
    steps: [
      made,
      { request: get(`${x}/`), expect: { status: 200, body: { data: { a: '1' } } } },
      { request: get(`${configMaps}/`), expect: { status: 200, body: { kind: 'ConfigMapList' } } },
      { request: get(`${gadgets}/`), expect: { status: 200, body: { kind: 'GadgetList' } } },
      ...['/api/', '/apis/', '/apis/apps/', '/apis/apps/v1/', '/version/'].map((path) =>
        answers(get(path), 200),
      ),
      absent(get('/healthz/')),
      ...[
        '/apis/apps/v9/deployments',
        '/apis/apps/v9',
        '/api/v2',
        '/api/v2/pods',
        `${x}/a/b`,
        '/api/v1/configmaps/x',
      ].map((path) => answers(get(path), 404, noSuchResource)),
      absent(get('/apis/none.example.com/v1/things')),
      absent(get('/apis/contract.example.com/v9/gadgets')),
    ],
  },
  {
    id: 'bodies',
    reason: 'null means an empty object',
    steps: [
      answers(post(configMaps, 'null'), 422, {
        reason: 'Invalid',
        message:
          'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
        details: {
          kind: 'ConfigMap',
          causes: [
            {
              reason: 'FieldValueRequired',
              message: 'Required value: name or generateName is required',
              field: 'metadata.name',
            },
          ],
        },
      }),
      answers(
        put(x, 'null'),
        400,
        badRequest(
          'the name of the object (x based on URL) was undeterminable: name must be provided',
        ),
      ),
    ],
  },
  {
    id: 'old-watches',
    reason: 'a watch may be requested in the path, as old clients do',
    steps: [
      made,
      { request: post(gadgets, gadget('x')), expect: { status: 201 } },
      ...[configMaps, gadgets].flatMap((path) => {
        const watched = path.replace('/v1/', '/v1/watch/');
        return ['', '/x'].map((name) => ({
          request: get(`${watched}${name}`, {
            labelSelector: '!none',
            fieldSelector: 'metadata.name=x',
          }),
          expect: {
            status: 200,
            events: [{ type: 'ADDED', object: { metadata: { name: 'x', namespace: '{ns}' } } }],
          },
        }));
      }),
      answers(post(configMaps.replace('/v1/', '/v1/watch/'), {}), 405, notAllowed),
      { request: get(x, { watch: '1' }), expect: { status: 200, body: { kind: 'ConfigMap' } } },
      {
        request: get(`${gadgets}/x`, { watch: '1' }),
        expect: { status: 200, body: { kind: 'Gadget' } },
      },
    ],
  },
];

/** The same change as a PUT and as a merge patch of a scale. */
function scales(metadata: object, change: object): readonly ApiRequest[] {
  const path = `${paths.deployments}/x/scale`;
  const whole = {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'x', namespace: '{ns}', ...metadata },
    spec: { replicas: 3 },
    ...change,
  };
  return [put(path, whole), mergePatch(path, { metadata, spec: { replicas: 3 }, ...change })];
}
