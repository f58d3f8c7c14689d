import type { ContractCase } from '../contract-case.ts';
import { applied, updated } from '../managers.ts';
import { configMap, paths } from '../objects.ts';
import { apply, jsonPatch, post, put, theirs } from '../requests.ts';

const { configMaps } = paths;
const x = `${configMaps}/x`;

export const cases: readonly ContractCase[] = [
  {
    id: 'cleared',
    reason: 'a list of one empty entry clears managedFields',
    steps: [
      { name: 'made', request: apply(x, configMap('x')), expect: { status: 201 } },
      {
        request: put(x, configMap({ name: 'x', managedFields: [{}] }), theirs),
        expect: {
          status: 200,
          version: { movedSince: 'made' },
          body: { metadata: { managedFields: undefined } },
        },
      },
      {
        name: 'later',
        request: apply(x, configMap('x', { a: '1', b: '2' })),
        expect: {
          status: 200,
          managers: [
            applied('ours', 'v1', '{"f:data":{"f:a":{},"f:b":{}}}'),
            updated('before-first-apply', 'v1', '{"f:data":{".":{},"f:a":{}}}'),
          ],
        },
      },
    ],
  },
  {
    id: 'first-apply',
    reason: 'fields of an untracked object go to before-first-apply',
    steps: [
      { request: post(configMaps, configMap('x', { a: '1', b: '1' })), expect: { status: 201 } },
      {
        request: jsonPatch(x, [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }]),
        expect: { status: 200, body: { metadata: { managedFields: undefined } } },
      },
      {
        request: apply(x, configMap('x', { a: '2' }), theirs),
        expect: {
          status: 409,
          error: {
            message:
              'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a',
            reason: 'Conflict',
            details: {
              causes: [
                {
                  reason: 'FieldManagerConflict',
                  message: 'conflict with "before-first-apply" using v1',
                  field: '.data.a',
                },
              ],
            },
          },
        },
      },
      {
        request: apply(x, configMap('x', { a: '2' })),
        expect: {
          status: 200,
          managers: [
            applied('ours', 'v1', '{"f:data":{"f:a":{}}}'),
            updated('before-first-apply', 'v1', '{"f:data":{".":{},"f:b":{}}}'),
          ],
        },
      },
    ],
  },
  {
    id: 'handed-over',
    reason: 'adoption: a patch of managedFields moves paths from one entry to another',
    steps: [
      {
        name: 'made',
        request: post(configMaps, configMap('x', { a: '1', b: '1' }), { fieldManager: 'ours' }),
        expect: { status: 201 },
      },
      {
        request: jsonPatch(x, [
          {
            op: 'test',
            path: '/metadata/resourceVersion',
            value: '{made.metadata.resourceVersion}',
          },
          {
            op: 'replace',
            path: '/metadata/managedFields',
            value: [
              {
                manager: 'ours',
                operation: 'Apply',
                apiVersion: 'v1',
                fieldsType: 'FieldsV1',
                time: '2026-01-01T00:00:00Z',
                fieldsV1: { 'f:data': { 'f:a': {}, 'f:b': {} } },
              },
            ],
          },
        ]),
        expect: {
          status: 200,
          managers: [applied('ours', 'v1', '{"f:data":{"f:a":{},"f:b":{}}}')],
        },
      },
      {
        request: apply(x, configMap('x', { a: '1' })),
        expect: {
          status: 200,
          at: { data: { a: '1' } },
          managers: [applied('ours', 'v1', '{"f:data":{"f:a":{}}}')],
        },
      },
    ],
  },
  {
    id: 'invalid-entry',
    reason: 'invalid managedFields are refused or ignored',
    steps: [
      { name: 'made', request: post(configMaps, configMap('x'), theirs), expect: { status: 201 } },
      {
        request: put(
          x,
          configMap({
            name: 'x',
            managedFields: [{ manager: 'm', operation: 'Bogus', apiVersion: 'v1' }],
          }),
          theirs,
        ),
        expect: {
          status: 200,
          managers: [updated('theirs', 'v1', '{"f:data":{".":{},"f:a":{}}}')],
        },
      },
    ],
  },
];
