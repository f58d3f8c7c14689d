import type { ContractCase } from '../contract-case.ts';
import { applied, updated } from '../managers.ts';
import { configMap, paths } from '../objects.ts';
import { apply, get, mergePatch, post, theirs } from '../requests.ts';

const { configMaps } = paths;
const x = `${configMaps}/x`;
const theirsForced = { ...theirs, force: 'true' };

export const cases: readonly ContractCase[] = [
  {
    id: 'conflict',
    reason: 'without force another manager’s value is not overwritten, and both are named',
    steps: [
      { request: apply(x, configMap('x', { a: '1', b: '1' })), expect: { status: 201 } },
      {
        request: apply(x, configMap('x', { a: '2' }), theirs),
        expect: {
          status: 409,
          error: {
            message: 'Apply failed with 1 conflict: conflict with "ours": .data.a',
            reason: 'Conflict',
            details: {
              causes: [
                {
                  reason: 'FieldManagerConflict',
                  message: 'conflict with "ours"',
                  field: '.data.a',
                },
              ],
            },
          },
        },
      },
      {
        request: apply(x, configMap('x', { a: '2', b: '2' }), theirs),
        expect: {
          status: 409,
          error: {
            message: 'Apply failed with 2 conflicts: conflicts with "ours":\n- .data.a\n- .data.b',
            reason: 'Conflict',
            details: {
              causes: [
                {
                  reason: 'FieldManagerConflict',
                  message: 'conflict with "ours"',
                  field: '.data.a',
                },
                {
                  reason: 'FieldManagerConflict',
                  message: 'conflict with "ours"',
                  field: '.data.b',
                },
              ],
            },
          },
        },
      },
      { request: get(x), expect: { status: 200, at: { data: { a: '1', b: '1' } } } },
    ],
  },
  {
    id: 'conflict-with-update',
    reason: 'a manager that wrote without apply is named with its operation',
    steps: [
      {
        request: post(x.slice(0, -2), configMap('x'), { fieldManager: 'poster' }),
        expect: { status: 201 },
      },
      {
        request: apply(x, configMap('x', { a: '2' }), theirs),
        expect: {
          status: 409,
          error: {
            message: 'Apply failed with 1 conflict: conflict with "poster" using v1: .data.a',
            reason: 'Conflict',
            details: {
              causes: [
                {
                  reason: 'FieldManagerConflict',
                  message: 'conflict with "poster" using v1',
                  field: '.data.a',
                },
              ],
            },
          },
        },
      },
    ],
  },
  {
    id: 'equal-values',
    reason: 'equal values never conflict: both own the field',
    steps: [
      { request: apply(x, configMap('x')), expect: { status: 201 } },
      {
        request: apply(x, configMap('x'), theirs),
        expect: {
          status: 200,
          managers: [
            applied('theirs', 'v1', '{"f:data":{"f:a":{}}}'),
            applied('ours', 'v1', '{"f:data":{"f:a":{}}}'),
          ],
        },
      },
    ],
  },
  {
    id: 'force',
    reason: 'with force the other manager loses the field',
    steps: [
      { request: apply(x, configMap('x', { a: '1', b: '1' })), expect: { status: 201 } },
      {
        request: apply(x, configMap('x', { a: '2' }), theirsForced),
        expect: {
          status: 200,
          at: { data: { a: '2', b: '1' } },
          managers: [
            applied('ours', 'v1', '{"f:data":{"f:b":{}}}'),
            applied('theirs', 'v1', '{"f:data":{"f:a":{}}}'),
          ],
        },
      },
      {
        request: apply(x, configMap('x', { a: '1', b: '1' })),
        expect: {
          status: 200,
          managers: [applied('ours', 'v1', '{"f:data":{"f:a":{},"f:b":{}}}')],
        },
      },
    ],
  },
  {
    id: 'taken-by-update',
    reason: 'drift: a manager that changes a field by another write takes it from our entry',
    steps: [
      { request: apply(x, configMap('x', { a: '1', b: '1' })), expect: { status: 201 } },
      {
        request: mergePatch(x, { data: { a: '2' } }),
        expect: {
          status: 200,
          managers: [
            applied('ours', 'v1', '{"f:data":{"f:b":{}}}'),
            updated('theirs', 'v1', '{"f:data":{"f:a":{}}}'),
          ],
        },
      },
      {
        request: mergePatch(x, { data: { b: null } }),
        expect: {
          status: 200,
          managers: [updated('theirs', 'v1', '{"f:data":{"f:a":{}}}')],
        },
      },
      {
        request: apply(x, configMap('x', { a: '1', b: '1' })),
        expect: {
          status: 200,
          at: { data: { a: '1', b: '1' } },
          managers: [applied('ours', 'v1', '{"f:data":{"f:a":{},"f:b":{}}}')],
        },
      },
    ],
  },
  {
    id: 'empty-map',
    reason:
      'an empty map is lost to a manager who forces a field into it, and can be owned with it',
    steps: [
      { request: apply(x, configMap('x', {})), expect: { status: 201 } },
      {
        request: apply(x, configMap('x', { a: '1' }), theirs),
        expect: {
          status: 409,
          body: { message: 'Apply failed with 1 conflict: conflict with "ours": .data' },
        },
      },
      {
        request: apply(x, configMap('x', { a: '1' }), theirsForced),
        expect: { status: 200, managers: [applied('theirs', 'v1', '{"f:data":{"f:a":{}}}')] },
      },
      {
        request: apply(x, configMap('x', {})),
        expect: {
          status: 200,
          at: { data: { a: '1' } },
          managers: [
            applied('ours', 'v1', '{"f:data":{}}'),
            applied('theirs', 'v1', '{"f:data":{"f:a":{}}}'),
          ],
        },
      },
    ],
  },
];
