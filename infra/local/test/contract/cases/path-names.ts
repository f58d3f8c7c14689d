import type { ApiRequest } from '../../../client.ts';
import type { ContractCase, ErrorBody, Expectation } from '../contract-case.ts';
import { badRequest, notFound } from '../errors.ts';
import { configMap, deployment, gadget, paths } from '../objects.ts';
import { apply, del, get, mergePatch, post, put } from '../requests.ts';

const { configMaps, deployments, gadgets, namespaces, zones } = paths;

/** Texts in place of a name in a path, each with its error. */
const illegal = [
  { given: '..', name: '..', why: "may not be '..'" },
  { given: '%2E', name: '.', why: "may not be '.'" },
  { given: 'A%20B%25', name: 'A B%', why: "may not contain '%'" },
  { given: 'a%2525', name: 'a%25', why: "may not contain '%'" },
];

const noSuchPath: ErrorBody = {
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  details: {},
};
const notAllowed: ErrorBody = {
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
  details: {},
};

const steps = (requests: readonly ApiRequest[], expect: Expectation) =>
  requests.map((request) => ({ request, expect }));

const failed = (status: number, error: ErrorBody): Expectation => ({ status, error });

/** Every verb on one object. */
const askingFor = (path: string, object: object): readonly ApiRequest[] => [
  get(path),
  mergePatch(path, {}),
  put(path, object),
  apply(path, object),
  del(path),
];

export const cases: readonly ContractCase[] = [
  {
    id: 'illegal',
    reason: 'a name is one path segment, and not ..',
    steps: illegal.flatMap(({ given, name, why }) => {
      const expect = failed(400, badRequest(`Name parameter invalid: "${name}": ${why}`));
      return [
        ...steps(askingFor(`${configMaps}/${given}`, configMap(name)), expect),
        ...steps(askingFor(`${gadgets}/${given}`, gadget(name)), expect),
        ...steps([get(`${gadgets}/${given}/status`), get(`${deployments}/${given}/scale`)], expect),
        ...steps([get(`${namespaces}/${given}`), del(`${zones}/${given}`)], expect),
      ];
    }),
  },
  {
    id: 'illegal-namespaces',
    reason: 'nor is a namespace ..',
    steps: [
      ...steps(askingFor('/api/v1/namespaces/../configmaps/x', configMap('x')).slice(0, 3), {
        status: 500,
        error: { message: 'invalid key: "/configmaps/../x"' },
      }),
      ...steps([get('/api/v1/namespaces/./services')], {
        status: 500,
        error: { message: 'invalid key: "/services/specs/."' },
      }),
      ...steps([get('/apis/contract.example.com/v1/namespaces/../gadgets/x')], {
        status: 500,
        error: { message: 'invalid key: "/contract.example.com/gadgets/../x"' },
      }),
      ...steps([post('/api/v1/namespaces/../configmaps', configMap('x'))], {
        status: 500,
        error: {
          reason: 'InternalError',
          message: `Internal error occurred: invalid resource name "..": [may not be '..']`,
          details: { causes: [{ message: `invalid resource name "..": [may not be '..']` }] },
        },
      }),
      ...steps(
        [get('/api/v1/namespaces/a%25/configmaps/x')],
        failed(404, notFound('configmaps', 'x')),
      ),
    ],
  },
  {
    id: 'slashes',
    reason: 'a path is decoded before it is split, so an encoded slash separates',
    steps: [
      ...steps([post(deployments, deployment('x'))], { status: 201 }),
      ...steps([get(`${deployments}/x%2Fstatus`), get(`${deployments}/x%2F`)], {
        status: 200,
        body: { kind: 'Deployment', metadata: { name: 'x' } },
      }),
      ...steps([get(`${deployments}/x%2fscale`)], { status: 200, body: { kind: 'Scale' } }),
      ...steps([mergePatch(`${deployments}/x%2Fscale`, { spec: { replicas: 2 } })], {
        status: 200,
        body: { spec: { replicas: 2 } },
      }),
      ...steps([get(`${deployments}%2F`)], { status: 200, body: { kind: 'DeploymentList' } }),
      ...steps(
        [
          ...askingFor(`${configMaps}/a%2Fb`, configMap('a/b')),
          ...askingFor(`${configMaps}/..%2Fx`, configMap('../x')),
          get(`${configMaps}/%2Fx`),
          get(`${configMaps}/x/status/more`),
          post(`${configMaps}/a%2Fb`, configMap('b')),
        ],
        failed(404, noSuchPath),
      ),
      ...steps([post(`${configMaps}/x`, configMap('x'))], failed(405, notAllowed)),
      ...steps([del(`${deployments}/x%2Fstatus`)], failed(405, notAllowed)),
    ],
  },
  {
    id: 'slashes-custom',
    reason:
      'the paths of custom resources are taken apart by hand, and what is too much is not seen',
    steps: [
      ...steps([post(gadgets, gadget('x'))], { status: 201 }),
      ...steps(
        [
          get(`${gadgets}/x%2Fstatus`),
          get(`${gadgets}/x%2F`),
          get(`${gadgets}/x/status/more`),
          get(`${gadgets}/x//status`),
        ],
        { status: 200, body: { kind: 'Gadget', metadata: { name: 'x' } } },
      ),
      ...steps([get(`${gadgets}/x%2Fscale`)], { status: 200, body: { kind: 'Scale' } }),
      ...steps(
        [get(`${gadgets}/x%2Fother`), get(`${gadgets}/x/other/more`)],
        failed(404, notFound('gadgets.contract.example.com', 'x')),
      ),
      ...steps(
        [get(`${gadgets}/%2Fx`), get(`${gadgets}//x`)],
        failed(404, {
          ...notFound('gadgets.contract.example.com', ''),
          details: { group: 'contract.example.com', kind: 'gadgets' },
        }),
      ),
      ...steps(
        [del(`${gadgets}/x/status`)],
        failed(405, {
          reason: 'MethodNotAllowed',
          message: 'delete is not supported on resources of kind "gadgets.contract.example.com"',
          details: { group: 'contract.example.com', kind: 'gadgets' },
        }),
      ),
      ...steps([post(`${gadgets}/y`, gadget('z'))], {
        status: 201,
        body: { metadata: { name: 'z' } },
      }),
    ],
  },
  {
    id: 'malformed',
    reason: 'an undecodable path is refused',
    steps: [
      ...steps(
        [
          ...['%', '%zz', 'x%2'].map((name) => get(`${configMaps}/${name}`)),
          get(`${gadgets}/%`),
          del(`${gadgets}/%`),
          get('/healthz%'),
        ],
        { status: 400, text: '400 Bad Request', headers: { 'content-type': /^text\/plain/ } },
      ),
    ],
  },
  {
    id: 'control-characters',
    reason: 'messages quote names as Go does',
    steps: [
      {
        request: get(`${configMaps}/%00%07%0a%7f"`),
        expect: failed(404, {
          reason: 'NotFound',
          message: 'configmaps "\\x00\\a\\n\\x7f\\"" not found',
          details: { kind: 'configmaps', name: '\u0000\u0007\n\u007f"' },
        }),
      },
    ],
  },
];
