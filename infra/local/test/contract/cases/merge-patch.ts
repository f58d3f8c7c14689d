import type { ContractCase } from '../contract-case.ts';
import { badRequest, invalid, notFound } from '../errors.ts';
import { configMap, gadget, paths } from '../objects.ts';
import { jsonPatch, mergePatch, patch, post, strategicPatch } from '../requests.ts';

const x = `${paths.configMaps}/x`;
const g = `${paths.gadgets}/x`;
const made = {
  name: 'made',
  request: post(paths.configMaps, configMap('x', { a: '1', b: '1' })),
  expect: { status: 201 },
};

/** The message quotes the whole object before the error. */
const badPatch = {
  kind: 'Status',
  reason: 'Invalid',
  details: {
    causes: [{ field: 'patch', reason: 'FieldValueInvalid', message: /^Invalid value: / }],
  },
};

export const cases: readonly ContractCase[] = [
  {
    id: 'merge',
    reason: 'a merge patch sets, replaces and removes by null',
    steps: [
      made,
      {
        request: mergePatch(x, { data: { a: null, c: '3' }, metadata: { labels: { l: '1' } } }),
        expect: { status: 200, at: { data: { b: '1', c: '3' }, 'metadata.labels': { l: '1' } } },
      },
      { name: 'same', request: mergePatch(x, {}), expect: { status: 200 } },
      { request: mergePatch(x, {}), expect: { status: 200, version: { sameAs: 'same' } } },
    ],
  },
  {
    id: 'merge-lists',
    reason: 'a merge patch replaces lists as a whole',
    steps: [
      {
        request: post(paths.gadgets, gadget('x', { tags: ['a', 'b'], ports: [{ port: 1 }] })),
        expect: { status: 201 },
      },
      {
        request: mergePatch(g, { spec: { tags: ['c'], ports: [{ port: 2 }] } }),
        expect: {
          status: 200,
          at: { 'spec.tags': ['c'], 'spec.ports': [{ port: 2, protocol: 'TCP' }] },
        },
      },
    ],
  },
  {
    id: 'media-types',
    reason: 'each kind names the patch types it supports',
    steps: [
      made,
      { request: post(paths.gadgets, gadget('x')), expect: { status: 201 } },
      {
        request: strategicPatch(g, {}),
        expect: {
          status: 415,
          error: {
            message:
              'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
            reason: 'UnsupportedMediaType',
          },
        },
      },
      {
        request: patch('application/json', x, {}, {}),
        expect: {
          status: 415,
          error: {
            message: '415: Unsupported Media Type',
            reason: 'UnsupportedMediaType',
            details: {},
          },
        },
      },
      {
        request: patch('text/plain', g, {}, {}),
        expect: {
          status: 415,
          error: {
            message:
              'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
            reason: 'UnsupportedMediaType',
          },
        },
      },
    ],
  },
  {
    id: 'absent',
    reason: 'only apply creates',
    steps: [
      { request: mergePatch(x, {}), expect: { status: 404, error: notFound('configmaps', 'x') } },
      {
        request: jsonPatch(g, []),
        expect: { status: 404, error: notFound('gadgets.contract.example.com', 'x') },
      },
    ],
  },
  {
    id: 'identity',
    reason: 'a patch cannot rename or move an object',
    steps: [
      made,
      {
        request: mergePatch(x, { metadata: { name: 'y' } }),
        expect: {
          status: 400,
          error: badRequest('the name of the object (y) does not match the name on the URL (x)'),
        },
      },
      {
        request: mergePatch(x, { metadata: { namespace: 'y' } }),
        expect: {
          status: 400,
          error: badRequest(
            'the namespace of the provided object does not match the namespace sent on the request',
          ),
        },
      },
      {
        request: mergePatch(x, { kind: 'Secret' }),
        expect: { status: 422, body: badPatch },
      },
      {
        request: mergePatch(x, {
          metadata: { creationTimestamp: '2001-01-01T00:00:00Z', generation: 9 },
        }),
        expect: { status: 200, version: { sameAs: 'made' } },
      },
    ],
  },
  {
    id: 'wrong-type',
    reason: 'a patch may not leave a value of the wrong type',
    steps: [
      made,
      { request: mergePatch(x, { data: { a: 1 } }), expect: { status: 422, body: badPatch } },
      {
        request: mergePatch(x, { metadata: { labels: 'no' } }),
        expect: { status: 422, body: badPatch },
      },
      { request: post(paths.gadgets, gadget('x')), expect: { status: 201 } },
      {
        request: mergePatch(g, { spec: { min: 'big' } }),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.min',
              'Invalid value: "string": spec.min in body must be of type integer: "string"',
              'FieldValueTypeInvalid',
            ],
            [
              '<nil>',
              'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
            ],
          ]),
        },
      },
    ],
  },
];
