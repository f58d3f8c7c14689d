import { since135 } from '../changes.ts';
import type { ContractCase, Step } from '../contract-case.ts';
import { badRequest } from '../errors.ts';
import { configMap, deployment, paths, podTemplate } from '../objects.ts';
import { jsonPatch, mergePatch, post } from '../requests.ts';

const x = `${paths.configMaps}/x`;
const d = `${paths.deployments}/x`;
const made: Step = {
  request: post(paths.configMaps, configMap({ name: 'x', annotations: { less: '1<2' } })),
  expect: { status: 201 },
};
const deployed: Step = {
  request: post(
    paths.deployments,
    deployment('x', { template: podTemplate({ args: ['1', '2'] }) }),
  ),
  expect: { status: 201 },
};
const unprocessable = {
  message: 'the server rejected our request due to an error in our request',
  reason: 'Invalid',
  details: {},
};

const args = '/spec/template/spec/containers/0/args';

const refused = (operation: unknown): Step => ({
  request: jsonPatch(x, [operation]),
  expect: { status: 422, error: unprocessable },
});

const placed = (operation: object, want: readonly string[]): readonly Step[] => [
  {
    request: jsonPatch(d, [{ op: 'replace', path: args, value: ['1', '2'] }, operation]),
    expect: { status: 200, at: { 'spec.template.spec.containers.0.args': want } },
  },
];

const misplaced = (operation: object): Step => ({
  request: jsonPatch(d, [operation]),
  expect: { status: 422, error: unprocessable },
});

const undecodable = (body: unknown, why: RegExp, query = {}): Step => ({
  request: jsonPatch(x, body, query),
  expect: { status: 400, error: badRequest(why) },
});

export const cases: readonly ContractCase[] = [
  {
    id: 'positions',
    reason: 'negative positions count from the end, which add may name too',
    steps: [
      deployed,
      ...placed({ op: 'add', path: `${args}/-1`, value: 'n' }, ['1', '2', 'n']),
      ...placed({ op: 'add', path: `${args}/-3`, value: 'n' }, ['n', '1', '2']),
      ...placed({ op: 'add', path: `${args}/+1`, value: 'n' }, ['1', 'n', '2']),
      ...placed({ op: 'remove', path: `${args}/-1` }, ['1']),
      ...placed({ op: 'replace', path: `${args}/-1`, value: 'n' }, ['1', 'n']),
      ...placed({ op: 'copy', from: `${args}/-1`, path: `${args}/-` }, ['1', '2', '2']),
      ...placed({ op: 'test', path: `${args}/-1`, value: '2' }, ['1', '2']),
      misplaced({ op: 'add', path: `${args}/-4`, value: 'n' }),
      misplaced({ op: 'add', path: `${args}/3`, value: 'n' }),
      misplaced({ op: 'remove', path: `${args}/-` }),
      misplaced({ op: 'replace', path: `${args}/2`, value: 'n' }),
      misplaced({ op: 'move', from: args, path: `${args}/0` }),
    ],
  },
  {
    id: 'root',
    reason: 'the whole object can be replaced and tested, nothing else',
    steps: [
      made,
      refused({ op: 'add', path: '', value: { data: {} } }),
      refused({ op: 'remove', path: '' }),
      refused({ op: 'copy', from: '', path: '/data/a' }),
      refused({ op: 'move', from: '/data', path: '' }),
      ...[null, 'x'].map((value) => ({
        ...refused({ op: 'replace', path: '', value }),
        since: since135.wholeObject,
      })),
      refused({ op: 'test', path: '', value: {} }),
      {
        request: jsonPatch(x, [{ op: 'replace', path: '', value: configMap('x', { b: '2' }) }]),
        expect: { status: 200, at: { data: { b: '2' } } },
      },
    ],
  },
  {
    id: 'pointers',
    reason: 'text before the first slash is ignored',
    steps: [
      made,
      {
        request: jsonPatch(x, [{ op: 'add', path: 'any/data/b', value: '2' }]),
        expect: { status: 200, at: { data: { a: '1', b: '2' } } },
      },
      refused({ op: 'add', path: 'data', value: {} }),
      refused({ op: 'add', path: '/data/a/b', value: '1' }),
      refused({ op: 'add', value: '1' }),
      refused({ op: 'move', path: '/data/b' }),
      refused(null),
    ],
  },
  {
    id: 'spelling',
    reason: "a test compares JSON texts, and the server's JSON escapes < and >",
    steps: [
      made,
      refused({ op: 'test', path: '/metadata/annotations/less', value: '1<2' }),
      {
        request: jsonPatch(
          x,
          '[{"op":"test","path":"/metadata/annotations/less","value":"1\\u003c2"}]',
        ),
        expect: { status: 200 },
      },
      {
        request: jsonPatch(x, '[{"op":"test","path":"/data/a","value":"\\u0031"}]'),
        expect: { status: 422, error: unprocessable },
      },
      {
        request: jsonPatch(x, '[{"op":"test","path":"/data/none","value":null}]'),
        expect: { status: 200 },
      },
    ],
  },
  {
    id: 'decoding',
    reason: 'operations are decoded before any is done; null is none',
    steps: [
      made,
      { request: jsonPatch(x, 'null'), expect: { status: 200 } },
      undecodable([1], /number into Go value of type handlers.jsonPatchOp$/),
      undecodable([[]], /array into Go value of type handlers.jsonPatchOp$/),
      undecodable([{ op: 1 }], /number into Go struct field jsonPatchOp.op of type string$/),
      undecodable(
        [1],
        /^json: cannot unmarshal number into Go value of type jsonpatch.Operation$/,
        {
          fieldValidation: 'Ignore',
        },
      ),
      {
        request: jsonPatch(
          x,
          Array.from({ length: 10_001 }, () => ({ op: 'add', path: '/data/a', value: '2' })),
        ),
        expect: {
          status: 413,
          error: {
            reason: 'RequestEntityTooLarge',
            message:
              'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
          },
        },
      },
    ],
  },
  {
    id: 'copies',
    reason: 'copies of copies are limited',
    steps: [
      made,
      {
        request: jsonPatch(
          x,
          Array.from({ length: 25 }, () => ({
            op: 'copy',
            from: '/metadata',
            path: '/metadata/z',
          })),
        ),
        expect: { status: 200, headers: { warning: '299 - "unknown field \\"metadata.z\\""' } },
      },
      {
        request: jsonPatch(x, [
          { op: 'replace', path: '/data/a', value: 'x'.repeat(1000) },
          ...Array.from({ length: 14 }, (_, index) => [
            { op: 'copy', from: '/data', path: `/metadata/${index}` },
            { op: 'move', from: `/metadata/${index}`, path: `/data/${index}` },
          ]).flat(),
        ]),
        expect: { status: 422, error: unprocessable },
      },
    ],
  },
  {
    id: 'types',
    reason: 'a patch cannot make an object one of another type',
    steps: [
      made,
      {
        request: jsonPatch(x, [{ op: 'replace', path: '/apiVersion', value: 'v2' }]),
        expect: { status: 422 },
      },
      {
        request: jsonPatch(x, [{ op: 'replace', path: '/apiVersion', value: 'a/b/c' }]),
        expect: { status: 422 },
      },
      {
        request: jsonPatch(x, [{ op: 'remove', path: '/apiVersion' }]),
        expect: {
          status: 400,
          error: badRequest(
            'the name of the object (x based on URL) was undeterminable: name must be provided',
          ),
        },
      },
      { request: jsonPatch(x, [{ op: 'remove', path: '/kind' }]), expect: { status: 200 } },
      { request: mergePatch(x, { kind: 'Foo' }), expect: { status: 422 } },
    ],
  },
  {
    id: 'warnings',
    reason: 'duplicate and unknown fields of a patch are reported',
    steps: [
      made,
      {
        request: jsonPatch(x, '[{"op":"add","op":"add","path":"/data/b","value":"1","foo":1}]'),
        expect: {
          status: 200,
          headers: {
            warning:
              '299 - "json patch duplicate field \\"[0].op\\"", 299 - "json patch unknown field \\"[0].foo\\""',
          },
        },
      },
      {
        request: mergePatch(x, '{"data":{"b":"1","b":"2"}}'),
        expect: { status: 200, headers: { warning: '299 - "duplicate field \\"data.b\\""' } },
      },
      {
        request: mergePatch(x, '{"data":{"b":"1","b":"2"}}', { fieldValidation: 'Strict' }),
        expect: {
          status: 422,
          text: /strict decoding error: duplicate field/,
        },
      },
      {
        request: mergePatch(x, 'null'),
        expect: { status: 400, error: badRequest('Invalid JSON Patch') },
      },
    ],
  },
];
