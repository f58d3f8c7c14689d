import type { ApiRequest } from '../../../client.ts';
import type { ContractCase, Step } from '../contract-case.ts';
import { deployment, gadget, paths } from '../objects.ts';
import { apply, get, ours, post } from '../requests.ts';

const { configMaps, deployments, gadgets } = paths;
const x = `${configMaps}/x`;
const g = `${gadgets}/x`;

const head = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;
const yaml = (request: ApiRequest): ApiRequest => ({
  ...request,
  headers: { 'content-type': 'application/yaml' },
});
const create = (name: string, rest: string, query = {}): ApiRequest =>
  yaml(post(configMaps, `${head(name)}${rest}`, query));

const stored = (name: string, rest: string, data: unknown, warning?: string): Step => ({
  request: create(name, rest),
  expect: { status: 201, at: { data }, headers: { warning } },
});
const refused = (rest: string, message: string | RegExp): Step => ({
  request: create('refused', rest),
  expect: { status: 400, error: { reason: 'BadRequest', message } },
});
const jsonOf = (text: string): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"a":"${text}"}}`;
const unread = /^ConfigMap in version "v1" cannot be handled as a ConfigMap: /;

const twice = "data:\n  a: 'x'\n  a: 'y'\n";
const warningOf = (line: number, key: string): string =>
  `299 - "line ${line}: key \\"${key}\\" already set in map"`;

export const cases: readonly ContractCase[] = [
  {
    id: 'booleans',
    reason: 'YAML is version 1.1: yes and on are true',
    steps: [
      ...['yes', 'y', 'on', 'TRUE', 'No', 'off'].map((word) =>
        refused(`data:\n  a: ${word}\n`, unread),
      ),
      stored('quoted', "data:\n  a: 'yes'\n  b: tRue\n", { a: 'yes', b: 'tRue' }),
      stored('keys', "data:\n  yes: 'x'\n  010: 'x'\n  0x10: 'x'\n  1.5: 'x'\n", {
        true: 'x',
        '8': 'x',
        '16': 'x',
        '1.5': 'x',
      }),
    ],
  },
  {
    id: 'numbers',
    reason: 'a leading zero makes a number octal, and underscores are ignored',
    steps: [
      ...['010', '0o10', '0x1F', '1_000', '0b11', '1e3', '.5', '08', '+1'].map((number) =>
        refused(`data:\n  a: ${number}\n`, unread),
      ),
      {
        request: yaml(
          post(
            deployments,
            JSON.stringify(deployment('x'))
              .replace(/"replicas":\d+,?/, '')
              .replace('"spec":{', '"spec":{"replicas": 010,'),
          ),
        ),
        expect: { status: 201, at: { 'spec.replicas': 8 } },
      },
      {
        request: apply(x, `${head('x')}data:\n  a: 010\n`),
        expect: {
          status: 500,
          error: {
            message:
              'failed to create typed patch object (/x; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:8}',
          },
        },
      },
    ],
  },
  {
    id: 'texts',
    reason: 'times, base-60 numbers and near-numbers are strings',
    steps: [
      stored(
        'x',
        'data:\n  a: 12:30\n  b: 2001-01-01\n  c: 1e400\n  d: _1\n  e: <<\n  f: !!str 5\n  g: !!binary aGk=\n',
        { a: '12:30', b: '2001-01-01', c: '1e400', d: '_1', e: '<<', f: '5', g: 'hi' },
      ),
      stored('nulls', 'data:\n  a: ~\n  b: Null\n  c:\n', { a: '', b: '', c: '' }),
    ],
  },
  {
    id: 'twice',
    reason: 'the last of duplicate keys counts, with a warning',
    steps: [
      stored('x', twice, { a: 'y' }, warningOf(7, 'a')),
      {
        request: create('ignored', twice, { fieldValidation: 'Ignore' }),
        expect: { status: 201, at: { data: { a: 'y' } }, headers: { warning: undefined } },
      },
      {
        request: create('strict', `foo: 1\nfoo: 2\n${twice}`, { fieldValidation: 'Strict' }),
        expect: {
          status: 400,
          error: {
            reason: 'BadRequest',
            message:
              'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 6: key "foo" already set in map\n  line 9: key "a" already set in map, unknown field "foo"',
          },
        },
      },
      {
        request: apply(`${configMaps}/applied`, `${head('applied')}${twice}`),
        expect: { status: 201, at: { data: { a: 'y' } }, headers: { warning: warningOf(7, 'a') } },
      },
      {
        request: apply(`${configMaps}/applied`, `${head('applied')}${twice}`, {
          ...ours,
          fieldValidation: 'Strict',
        }),
        expect: {
          status: 400,
          error: {
            reason: 'BadRequest',
            message:
              'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 7: key "a" already set in map',
          },
        },
      },
    ],
  },
  {
    id: 'merge-keys',
    reason: '<< merges in place, the first of a list with precedence',
    steps: [
      stored(
        'x',
        "data:\n  <<: {a: '1', b: '2'}\n  b: '3'\n",
        { a: '1', b: '3' },
        warningOf(7, 'b'),
      ),
      stored(
        'list',
        "data:\n  <<: [{a: '1'}, {a: '2', c: '3'}]\n",
        { a: '1', c: '3' },
        warningOf(6, 'a'),
      ),
      stored('alias', "data:\n  a: &x 'hello'\n  b: *x\n", { a: 'hello', b: 'hello' }),
      refused('data:\n  <<: x\n', /yaml: map merge requires map or sequence of maps as the value/),
      refused('data:\n  a: *x\n', /yaml: unknown anchor 'x' referenced/),
      refused(
        `${'abcdef'
          .split('')
          .map((name, at) => {
            const item = at === 0 ? "'x'" : `*${'abcdef'[at - 1]}`;
            return `${name}: &${name} [${Array(9).fill(item).join(',')}]\n`;
          })
          .join('')}`,
        /yaml: document contains excessive aliasing/,
      ),
    ],
  },
  {
    id: 'documents',
    reason: 'only the first of several documents is read',
    steps: [
      stored('x', "data:\n  a: 'x'\n---\nfoo: [bar\n", { a: 'x' }),
      {
        request: apply(`${configMaps}/applied`, `${head('applied')}---\nfoo: bar\n`),
        expect: { status: 201, headers: { warning: undefined } },
      },
      { request: get(`${configMaps}/applied`), expect: { status: 200, at: { data: undefined } } },
    ],
  },
  {
    id: 'deep',
    reason: 'ten thousand levels are the limit',
    steps: [
      {
        request: post(configMaps, `{"foo":${'['.repeat(20_000)}${']'.repeat(20_000)}}`),
        expect: {
          status: 400,
          error: {
            reason: 'BadRequest',
            message: /json parse error: invalid character '\[' exceeded max depth/,
          },
        },
      },
      {
        request: apply(x, `{"foo":${'['.repeat(20_000)}${']'.repeat(20_000)}}`),
        expect: {
          status: 400,
          error: {
            reason: 'BadRequest',
            message:
              'error decoding YAML: error converting YAML to JSON: yaml: exceeded max depth of 10000',
          },
        },
      },
    ],
  },
  {
    id: 'long-key',
    reason: 'a key of YAML has at most 1,024 characters, with its quotes',
    steps: [
      {
        request: apply(g, gadget('x', { extra: { ['k'.repeat(1022)]: 'a' } })),
        expect: { status: 201 },
      },
      {
        request: apply(g, gadget('x', { extra: { ['k'.repeat(1023)]: 'a' } })),
        expect: {
          status: 400,
          error: {
            reason: 'BadRequest',
            message:
              "error decoding YAML: error converting YAML to JSON: yaml: did not find expected ',' or '}'",
          },
        },
      },
    ],
  },
  {
    id: 'escapes',
    reason: 'the two halves of a character may not be written as escapes',
    steps: [
      ...['rocket \\ud83d', 'rocket \\ud83d\\ude80'].map((text) => ({
        request: apply(
          x,
          `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"a":"${text}"}}`,
        ),
        expect: {
          status: 400,
          error: { reason: 'BadRequest', message: /found invalid Unicode character escape code/ },
        },
      })),
      {
        request: apply(
          x,
          '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"a":"\\\\ud83d"}}',
        ),
        expect: { status: 201, body: { data: { a: '\\ud83d' } } },
      },
    ],
  },
  {
    id: 'control-characters',
    reason:
      'YAML refuses some characters that JSON allows, and folds others, unless they are escapes',
    steps: [
      ...['\u007f', '\u0080', '\u009b', '\ufffe', '\uffff'].map((text) => ({
        request: apply(x, jsonOf(text)),
        expect: {
          status: 400,
          error: { reason: 'BadRequest', message: /yaml: control characters are not allowed$/ },
        },
      })),
      ...Object.entries({
        'a\u0085b': 'a b',
        'a \u0085 b': 'a b',
        'a \u2028 b': 'a\u2028b',
        'a\u2029b': 'a\u2029b',
        '\\u007f \\u009b \\uffff': '\u007f \u009b \uffff',
        'a \\u0085 \\u2028 b': 'a \u0085 \u2028 b',
      }).map(([text, a], at) => ({
        request: apply(x, jsonOf(text)),
        expect: { status: at === 0 ? 201 : 200, at: { data: { a } } },
      })),
    ],
  },
];
