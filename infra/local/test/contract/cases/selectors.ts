import type { ContractCase, Step } from '../contract-case.ts';
import { badRequest } from '../errors.ts';
import { configMap, gadget, paths, secret, service } from '../objects.ts';
import { get, post } from '../requests.ts';

const { gadgets } = paths;
const make = (name: string, labels: object, spec: object = {}): Step => ({
  request: post(gadgets, gadget({ name, labels }, spec)),
  expect: { status: 201 },
});
const selected = (labelSelector: string, names: readonly string[]): Step => ({
  request: get(gadgets, { labelSelector }),
  expect: { status: 200, body: { items: names.map((name) => ({ metadata: { name } })) } },
});
const refused = (path: string, query: Record<string, string>): Step['request'] => get(path, query);

export const cases: readonly ContractCase[] = [
  {
    id: 'labels',
    reason: 'lists are narrowed by labels',
    steps: [
      make('a', { app: 'web', tier: 'front' }),
      make('b', { app: 'web', tier: 'back' }),
      make('c', { app: 'db' }),
      make('d', {}),
      selected('app=web', ['a', 'b']),
      selected('app==web', ['a', 'b']),
      selected('app!=web', ['c', 'd']),
      selected('app=web,tier=back', ['b']),
      selected('app in (web, db)', ['a', 'b', 'c']),
      selected('tier notin (front)', ['b', 'c', 'd']),
      selected('tier', ['a', 'b']),
      selected('!app', ['d']),
      selected('app=', []),
      selected('', ['a', 'b', 'c', 'd']),
      selected(' app = web , tier ', ['a', 'b']),
      selected('none=such', []),
    ],
  },
  {
    id: 'numbers',
    reason: 'labels may be compared as numbers',
    steps: [
      make('a', { n: '5' }),
      make('b', { n: '15' }),
      selected('n>7', ['b']),
      selected('n<7', ['a']),
    ],
  },
  {
    id: 'bad-labels',
    reason: 'an invalid selector is refused',
    steps: [
      {
        request: refused(gadgets, { labelSelector: 'a b' }),
        expect: {
          status: 400,
          error: badRequest(
            "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
          ),
        },
      },
      {
        request: refused(gadgets, { labelSelector: 'app in web' }),
        expect: {
          status: 400,
          error: badRequest("unable to parse requirement: found 'web' expected: '('"),
        },
      },
      {
        request: refused(gadgets, { labelSelector: 'a=b=c' }),
        expect: { status: 400, error: badRequest("found '=', expected: ',' or 'end of string'") },
      },
      {
        request: refused(gadgets, { labelSelector: 'a=-' }),
        expect: {
          status: 400,
          error: badRequest(
            "unable to parse requirement: values[0][a]: Invalid value: \"-\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
          ),
        },
      },
      {
        request: refused(gadgets, { labelSelector: ',' }),
        expect: {
          status: 400,
          error: badRequest("found ',', expected: !, identifier, or 'end of string'"),
        },
      },
    ],
  },
  {
    id: 'fields',
    reason: 'every kind can be selected by name and namespace',
    steps: [
      make('a', {}),
      make('b', {}),
      {
        request: get(gadgets, { fieldSelector: 'metadata.name=a' }),
        expect: { status: 200, body: { items: [{ metadata: { name: 'a' } }] } },
      },
      {
        request: get(gadgets, { fieldSelector: 'metadata.name!=a' }),
        expect: { status: 200, body: { items: [{ metadata: { name: 'b' } }] } },
      },
      {
        request: get('/apis/contract.example.com/v1/gadgets', {
          fieldSelector: 'metadata.name=b,metadata.namespace={ns}',
        }),
        expect: { status: 200, body: { items: [{ metadata: { name: 'b', namespace: '{ns}' } }] } },
      },
      {
        request: get(gadgets, { fieldSelector: 'metadata.name=none' }),
        expect: { status: 200, at: { items: [] } },
      },
    ],
  },
  {
    id: 'declared-fields',
    reason: 'a custom resource may declare more fields',
    steps: [
      make('a', {}, { mode: 'slow' }),
      make('b', {}),
      {
        request: get(gadgets, { fieldSelector: 'spec.mode=slow' }),
        expect: { status: 200, body: { items: [{ metadata: { name: 'a' } }] } },
      },
      {
        request: get(gadgets, { fieldSelector: 'spec.size=1' }),
        expect: { status: 400, error: badRequest('field label not supported: spec.size') },
      },
    ],
  },
  {
    id: 'bad-fields',
    reason: 'an unknown field is refused, never taken as matching nothing',
    steps: [
      {
        request: refused(paths.configMaps, { fieldSelector: 'data.a=1' }),
        expect: {
          status: 400,
          error: badRequest(
            '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
          ),
        },
      },
      {
        request: refused(paths.websites, { fieldSelector: 'spec.imageTag=1' }),
        expect: { status: 400, error: badRequest('field label not supported: spec.imageTag') },
      },
      {
        request: refused(gadgets, { fieldSelector: 'metadata.name' }),
        expect: {
          status: 400,
          error: badRequest("invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
        },
      },
      {
        request: refused(paths.deployments, { fieldSelector: 'metadata.labels.a=1' }),
        expect: {
          status: 400,
          error: badRequest(
            '"metadata.labels.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
          ),
        },
      },
    ],
  },
  {
    id: 'kinds',
    reason: 'some built-in kinds have selectable fields',
    steps: [
      {
        request: post(paths.secrets, secret('a', { type: 'example.com/t' })),
        expect: { status: 201 },
      },
      { request: post(paths.secrets, secret('b')), expect: { status: 201 } },
      {
        request: get(paths.secrets, { fieldSelector: 'type=example.com/t' }),
        expect: { status: 200, body: { items: [{ metadata: { name: 'a' } }] } },
      },
      {
        request: post(paths.services, service('a', { type: 'NodePort' })),
        expect: { status: 201 },
      },
      { request: post(paths.services, service('b')), expect: { status: 201 } },
      {
        request: get(paths.services, { fieldSelector: 'spec.type=NodePort' }),
        expect: { status: 200, body: { items: [{ metadata: { name: 'a' } }] } },
      },
      { request: post(paths.configMaps, configMap('a')), expect: { status: 201 } },
      {
        request: get(paths.configMaps, { fieldSelector: 'metadata.name=a', labelSelector: '!x' }),
        expect: { status: 200, body: { items: [{ metadata: { name: 'a' } }] } },
      },
    ],
  },
];
