import type { ContractCase } from '../contract-case.ts';
import { badRequest } from '../errors.ts';
import { configMap, gadget, paths } from '../objects.ts';
import { get, jsonPatch, mergePatch, post } from '../requests.ts';

const x = `${paths.configMaps}/x`;
const g = `${paths.gadgets}/x`;
const made = {
  name: 'made',
  request: post(paths.configMaps, configMap('x', { a: '1', b: '1' })),
  expect: { status: 201 },
};

const rejected = {
  message: 'the server rejected our request due to an error in our request',
  reason: 'Invalid',
  details: {},
};

/** The message quotes the whole object before the error. */

export const cases: readonly ContractCase[] = [
  {
    id: 'json',
    reason: 'a JSON patch is a list of operations in order',
    steps: [
      made,
      {
        request: jsonPatch(x, [
          { op: 'add', path: '/data/c', value: '3' },
          { op: 'remove', path: '/data/a' },
          { op: 'replace', path: '/data/b', value: '2' },
          { op: 'copy', from: '/data/b', path: '/data/d' },
          { op: 'move', from: '/data/c', path: '/data/e' },
          { op: 'test', path: '/data/d', value: '2' },
          { op: 'add', path: '/metadata/labels', value: {} },
          { op: 'add', path: '/metadata/labels/example.com~1l', value: '1' },
        ]),
        expect: {
          status: 200,
          at: { data: { b: '2', d: '2', e: '3' }, 'metadata.labels': { 'example.com/l': '1' } },
        },
      },
    ],
  },
  {
    id: 'json-lists',
    reason: 'list positions and the end are addressed',
    steps: [
      { request: post(paths.gadgets, gadget('x', { tags: ['a', 'b'] })), expect: { status: 201 } },
      {
        request: jsonPatch(g, [
          { op: 'add', path: '/spec/tags/-', value: 'd' },
          { op: 'add', path: '/spec/tags/0', value: 'z' },
          { op: 'remove', path: '/spec/tags/1' },
        ]),
        expect: { status: 200, at: { 'spec.tags': ['z', 'b', 'd'] } },
      },
    ],
  },
  {
    id: 'json-failing',
    reason: 'an operation that cannot be done refuses the whole patch',
    steps: [
      made,
      {
        request: jsonPatch(x, [
          { op: 'replace', path: '/data/a', value: '9' },
          { op: 'test', path: '/data/b', value: 'wrong' },
        ]),
        expect: { status: 422, error: rejected },
      },
      {
        request: jsonPatch(x, [{ op: 'remove', path: '/data/nothing' }]),
        expect: { status: 422, error: rejected },
      },
      {
        request: jsonPatch(x, [{ op: 'add', path: '/nothing/here', value: '1' }]),
        expect: { status: 422, error: rejected },
      },
      { request: get(x), expect: { status: 200, version: { sameAs: 'made' } } },
    ],
  },
  {
    id: 'json-replace-absent',
    reason: 'replacing a missing field adds it',
    steps: [
      made,
      {
        request: jsonPatch(x, [{ op: 'replace', path: '/data/nothing', value: '1' }]),
        expect: { status: 200, at: { data: { a: '1', b: '1', nothing: '1' } } },
      },
    ],
  },
  {
    id: 'json-malformed',
    reason: 'a body that is not a list of operations is refused',
    steps: [
      made,
      {
        request: jsonPatch(x, { op: 'add' }),
        expect: {
          status: 400,
          error: badRequest(/^error decoding patch: /),
        },
      },
      {
        request: jsonPatch(x, [{ op: 'bogus', path: '/data/a' }]),
        expect: { status: 422, error: rejected },
      },
      {
        request: jsonPatch(x, '[{'),
        expect: {
          status: 400,
          error: badRequest(/^error decoding patch: /),
        },
      },
      {
        request: mergePatch(x, '{"a"'),
        expect: {
          status: 400,
          error: badRequest(/^error decoding patch: /),
        },
      },
      {
        request: mergePatch(x, '[]'),
        expect: {
          status: 400,
          error: badRequest(/^error decoding patch: /),
        },
      },
    ],
  },
];
