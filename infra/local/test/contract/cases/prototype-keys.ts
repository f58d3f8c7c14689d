import type { ContractCase, Step } from '../contract-case.ts';
import { badRequest } from '../errors.ts';
import { deployment, paths, service } from '../objects.ts';
import {
  apply,
  get,
  jsonPatch,
  mergePatch,
  post,
  put,
  strategicPatch,
  theirs,
} from '../requests.ts';

const x = `${paths.configMaps}/x`;

/** Keys that every JavaScript object inherits. */
const fieldNames = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf'];
const labels = fieldNames.filter((name) => name !== '__proto__');

const mapOf = (value: unknown, names = fieldNames): string =>
  `{${names.map((name) => `"${name}":${JSON.stringify(value)}`).join(',')}}`;

const named = (fields: string, metadata = '"name":"x"'): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{${metadata}},${fields}}`;

/** Sorted, as Go writes it. */
const holds = (map: string): RegExp => new RegExp(`"data":${map.replaceAll('$', '\\$')}`);

const owned = (names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [`f:${name}`, {}]));

const made: Step = {
  request: post(paths.configMaps, named(`"data":${mapOf('1')}`), theirs),
  expect: { status: 201, text: holds(mapOf('1')) },
};

export const cases: readonly ContractCase[] = [
  {
    id: 'data',
    reason: 'keys like constructor are ordinary keys: stored and tracked',
    steps: [
      {
        ...made,
        expect: {
          ...made.expect,
          managers: [
            {
              manager: 'theirs',
              operation: 'Update',
              apiVersion: 'v1',
              fields: { 'f:data': { '.': {}, ...owned(fieldNames) } },
            },
          ],
        },
      },
      {
        request: put(x, named(`"data":${mapOf('2')}`), theirs),
        expect: { status: 200, text: holds(mapOf('2')) },
      },
      {
        request: mergePatch(x, `{"data":${mapOf('3')}}`),
        expect: { status: 200, text: holds(mapOf('3')) },
      },
      {
        request: strategicPatch(x, `{"data":${mapOf('4')}}`, theirs),
        expect: { status: 200, text: holds(mapOf('4')) },
      },
      {
        request: apply(x, named(`"data":${mapOf('5')}`)),
        expect: { status: 200, text: holds(mapOf('5')) },
      },
      {
        request: apply(x, named('"data":{"a":"1"}')),
        expect: { status: 200, at: { data: { a: '1' } } },
      },
      {
        request: post(
          paths.secrets,
          named(`"stringData":${mapOf('1')}`).replace('ConfigMap', 'Secret'),
        ),
        expect: { status: 201, text: holds(mapOf('MQ==')) },
      },
    ],
  },
  {
    id: 'json-patch',
    reason: 'a JSON patch reaches own fields only',
    steps: [
      made,
      {
        request: jsonPatch(x, '[{"op":"add","path":"/__proto__/x","value":"1"}]'),
        expect: { status: 422 },
      },
      {
        request: jsonPatch(x, '[{"op":"add","path":"/constructor/x","value":"1"}]'),
        expect: { status: 422 },
      },
      {
        request: jsonPatch(
          x,
          '[{"op":"replace","path":"/data","value":{}},{"op":"test","path":"/data/constructor","value":null},{"op":"add","path":"/data/__proto__","value":"1"}]',
        ),
        expect: { status: 200, text: holds('{"__proto__":"1"}') },
      },
      {
        request: jsonPatch(x, '[{"op":"remove","path":"/data/toString"}]'),
        expect: { status: 422 },
      },
    ],
  },
  {
    id: 'selectors',
    reason: 'a selector finds the labels that objects have',
    steps: [
      {
        request: post(paths.secrets, {
          metadata: { name: 'with', labels: Object.fromEntries(labels.map((name) => [name, '1'])) },
        }),
        expect: { status: 201 },
      },
      { request: post(paths.secrets, { metadata: { name: 'without' } }), expect: { status: 201 } },
      ...[
        ['constructor', 'with'],
        ['!toString', 'without'],
        ['valueOf=1', 'with'],
        ['valueOf!=1', 'without'],
        ['hasOwnProperty in (1)', 'with'],
        ['constructor notin (1)', 'without'],
      ].map(
        ([labelSelector = '', name]): Step => ({
          request: get(paths.secrets, { labelSelector }),
          expect: { status: 200, body: { items: [{ metadata: { name } }] } },
        }),
      ),
    ],
  },
  {
    id: 'unknown',
    reason: 'as fields they are unknown unless the schema names them',
    steps: [
      {
        request: post(
          paths.configMaps,
          named('"__proto__":{"data":{}},"constructor":1', '"name":"x","toString":1'),
        ),
        expect: { status: 201, headers: { warning: /metadata\.toString.*__proto__.*constructor/ } },
      },
      {
        request: post(
          paths.gadgets,
          '{"apiVersion":"contract.example.com/v1","kind":"Gadget","metadata":{"name":"x"},"spec":{"constructor":1,"__proto__":{"size":3}}}',
        ),
        expect: {
          status: 201,
          at: { 'spec.size': 1 },
          headers: { warning: /spec\.__proto__.*spec\.constructor/ },
        },
      },
      {
        request: post(paths.configMaps, named('"constructor":1', '"name":"y"'), {
          fieldValidation: 'Strict',
        }),
        expect: { status: 400, error: badRequest(/unknown field "constructor"$/) },
      },
    ],
  },
  {
    id: 'illegal',
    reason: 'a label key may not begin with underscores',
    steps: [
      made,
      {
        request: mergePatch(x, '{"metadata":{"labels":{"__proto__":"1"}}}'),
        expect: { status: 422 },
      },
      {
        request: post(
          paths.services,
          JSON.stringify(service('x', { selector: { KEY: '1' } })).replace('KEY', '__proto__'),
        ),
        expect: { status: 422 },
      },
      {
        request: post(
          paths.deployments,
          JSON.stringify(
            deployment('x', {
              template: {
                metadata: { labels: { app: 'web' } },
                spec: { nodeSelector: { KEY: '1' }, containers: [{ name: 'web', image: 'i' }] },
              },
            }),
          ).replace('KEY', '__proto__'),
        ),
        expect: { status: 422 },
      },
    ],
  },
];
