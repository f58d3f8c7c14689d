import type { ContractCase } from '../contract-case.ts';
import { invalid, modified, notFound } from '../errors.ts';
import { applied } from '../managers.ts';
import { gadget, gadgetStatus, paths, website } from '../objects.ts';
import { apply, get, jsonPatch, mergePatch, put, theirs } from '../requests.ts';

const g = `${paths.gadgets}/x`;
const lock = (step: string) => ({
  name: 'x',
  resourceVersion: `{${step}.metadata.resourceVersion}`,
});
const someUid = '7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11';
const made = { name: 'made', request: apply(g, gadget('x', { size: 2 })), expect: { status: 201 } };
const ready = (status: string) => ({ conditions: [{ type: 'Ready', status }] });

export const cases: readonly ContractCase[] = [
  {
    id: 'apply',
    reason: 'status is applied separately and does not change the generation',
    steps: [
      made,
      {
        name: 'ready',
        request: apply(
          `${g}/status`,
          gadgetStatus(lock('made'), { replicas: 2, ...ready('True') }),
        ),
        expect: {
          status: 200,
          version: { movedSince: 'made' },
          at: { status: { replicas: 2, ...ready('True') }, 'spec.size': 2 },
          body: { metadata: { generation: 1 } },
        },
      },
      {
        request: apply(
          `${g}/status`,
          gadgetStatus(lock('ready'), { replicas: 2, ...ready('True') }),
        ),
        expect: { status: 200, version: { sameAs: 'ready' } },
      },
      {
        request: apply(`${g}/status`, gadgetStatus(lock('made'), ready('False'))),
        expect: { status: 409, error: modified('gadgets.contract.example.com', 'x') },
      },
      {
        request: apply(`${g}/status`, gadgetStatus(lock('ready'), ready('False'))),
        expect: { status: 200, at: { status: ready('False') } },
      },
    ],
  },
  {
    id: 'wrong-uid',
    reason: 'the trap: a wrong uid alone is ignored, so status is locked by version',
    steps: [
      made,
      {
        request: apply(`${g}/status`, gadgetStatus({ name: 'x', uid: someUid }, ready('True'))),
        expect: { status: 200, body: { metadata: { uid: '{made.metadata.uid}' } } },
      },
    ],
  },
  {
    id: 'absent',
    reason: 'a status write never creates',
    steps: [
      {
        request: apply(`${g}/status`, gadgetStatus('x', ready('True'))),
        expect: { status: 404, error: notFound('gadgets.contract.example.com', 'x') },
      },
      {
        request: apply(
          `${g}/status`,
          gadgetStatus({ name: 'x', uid: someUid, resourceVersion: '5' }, {}),
        ),
        expect: { status: 404, error: notFound('gadgets.contract.example.com', 'x') },
      },
      { request: mergePatch(`${g}/status`, { status: {} }), expect: { status: 404 } },
    ],
  },
  {
    id: 'put',
    reason: 'status may be replaced, with a version',
    steps: [
      made,
      {
        name: 'written',
        request: put(`${g}/status`, { ...gadget(lock('made')), status: { replicas: 1 } }),
        expect: { status: 200, at: { status: { replicas: 1 }, 'spec.size': 2 } },
      },
      {
        request: put(`${g}/status`, { ...gadget(lock('made')), status: { replicas: 2 } }),
        expect: { status: 409, error: modified('gadgets.contract.example.com', 'x') },
      },
      {
        request: put(`${g}/status`, { ...gadget('x'), status: { replicas: 2 } }),
        expect: {
          status: 422,
          error: invalid('gadgets.contract.example.com', 'x', [
            ['metadata.resourceVersion', 'Invalid value: 0: must be specified for an update'],
          ]),
        },
      },
      { request: get(`${g}/status`), expect: { status: 200, version: { sameAs: 'written' } } },
    ],
  },
  {
    id: 'json-patch',
    reason: 'status may be patched',
    steps: [
      made,
      {
        request: jsonPatch(`${g}/status`, [{ op: 'add', path: '/status', value: { replicas: 4 } }]),
        expect: { status: 200, at: { status: { replicas: 4 } } },
      },
    ],
  },
  {
    id: 'validated',
    reason: 'status has a schema too',
    steps: [
      made,
      {
        request: mergePatch(`${g}/status`, {
          status: { conditions: [{ type: 'Ready', status: 'Maybe' }] },
        }),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'status.conditions[0].status',
              'Unsupported value: "Maybe": supported values: "True", "False", "Unknown"',
              'FieldValueNotSupported',
            ],
            [
              '<nil>',
              'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
            ],
          ]),
        },
      },
      {
        request: mergePatch(`${g}/status`, { status: { replicas: 1, bogus: true } }),
        expect: { status: 200, at: { status: { replicas: 1 } } },
      },
    ],
  },
  {
    id: 'keyed-conditions',
    reason: 'conditions are owned separately',
    steps: [
      made,
      {
        request: apply(`${g}/status`, gadgetStatus('x', ready('True'))),
        expect: { status: 200 },
      },
      {
        request: apply(
          `${g}/status`,
          gadgetStatus('x', { conditions: [{ type: 'Synced', status: 'True' }] }),
          theirs,
        ),
        expect: {
          status: 200,
          at: {
            'status.conditions': [
              { type: 'Ready', status: 'True' },
              { type: 'Synced', status: 'True' },
            ],
          },
        },
      },
      {
        request: apply(`${g}/status`, gadgetStatus('x', ready('False')), theirs),
        expect: {
          status: 409,
          error: {
            message:
              'Apply failed with 1 conflict: conflict with "ours" with subresource "status": .status.conditions[type="Ready"].status',
            reason: 'Conflict',
            details: {
              causes: [
                {
                  reason: 'FieldManagerConflict',
                  message: 'conflict with "ours" with subresource "status"',
                  field: '.status.conditions[type="Ready"].status',
                },
              ],
            },
          },
        },
      },
    ],
  },
  {
    id: 'free-form',
    reason: 'a status without a schema keeps what it is given',
    steps: [
      { request: apply(`${paths.websites}/x`, website('x')), expect: { status: 201 } },
      {
        request: apply(`${paths.websites}/x/status`, {
          apiVersion: 'kubecon.my.domain/v1beta1',
          kind: 'Website',
          metadata: { name: 'x' },
          status: {
            conditions: [{ type: 'Ready', status: 'True' }],
            children: [{ kind: 'Service' }],
          },
        }),
        expect: {
          status: 200,
          at: {
            status: {
              conditions: [{ type: 'Ready', status: 'True' }],
              children: [{ kind: 'Service' }],
            },
          },
          managers: [
            applied(
              'ours',
              'kubecon.my.domain/v1beta1',
              '{"f:spec":{"f:imageTag":{},"f:nodePort":{}}}',
            ),
            applied(
              'ours',
              'kubecon.my.domain/v1beta1',
              '{"f:status":{"f:children":{},"f:conditions":{}}}',
              'status',
            ),
          ],
        },
      },
    ],
  },
];
