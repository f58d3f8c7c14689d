import type { ContractCase } from '../contract-case.ts';
import { invalid, modified } from '../errors.ts';
import { gadget, paths } from '../objects.ts';
import { apply, del, get, jsonPatch, mergePatch, post, put } from '../requests.ts';

const g = `${paths.gadgets}/x`;
const finalizer = { name: 'x', finalizers: ['example.com/hold'] };
const held = {
  name: 'made',
  request: post(paths.gadgets, gadget(finalizer)),
  expect: { status: 201 },
};

const added = [
  'metadata.finalizers',
  'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/a"}',
  'FieldValueForbidden',
] as const;

export const cases: readonly ContractCase[] = [
  {
    id: 'twice',
    reason: 'a duplicate finalizer is kept, and reported once when it may not be added',
    steps: [
      {
        request: post(
          paths.gadgets,
          gadget({ name: 'x', finalizers: ['b.example.com/b', 'b.example.com/b'] }),
        ),
        expect: { status: 201 },
      },
      {
        request: del(g),
        expect: {
          status: 200,
          at: { 'metadata.finalizers': ['b.example.com/b', 'b.example.com/b'] },
        },
      },
      {
        request: mergePatch(g, { metadata: { finalizers: ['example.com/a', 'example.com/a'] } }),
        expect: {
          status: 422,
          // Reported twice, like every error in the metadata of an update.
          error: invalid('Gadget.contract.example.com', 'x', [added, added]),
        },
      },
    ],
  },
  {
    id: 'waits-no-more',
    reason: 'a locked delete that removes the last finalizer is refused, whatever the version',
    steps: [
      { name: 'made', request: post(paths.gadgets, gadget('x')), expect: { status: 201 } },
      // A dependent with a finalizer of its own makes the garbage collector wait, so that this case
      // removes the owner's finalizer.
      {
        request: post(
          paths.gadgets,
          gadget({
            name: 'y',
            finalizers: ['example.com/hold'],
            ownerReferences: [
              {
                apiVersion: 'contract.example.com/v1',
                kind: 'Gadget',
                name: 'x',
                uid: '{made.metadata.uid}',
                blockOwnerDeletion: true,
              },
            ],
          }),
        ),
        expect: { status: 201 },
      },
      {
        name: 'marked',
        request: del(g, { propagationPolicy: 'Foreground' }),
        expect: { status: 200 },
      },
      {
        request: del(g, {
          propagationPolicy: 'Background',
          preconditions: { resourceVersion: '{marked.metadata.resourceVersion}' },
        }),
        expect: {
          status: 409,
          error: {
            reason: 'Conflict',
            message: /ResourceVersion in precondition: , ResourceVersion in object meta: \d+$/,
            details: { name: 'x', group: 'contract.example.com', kind: 'gadgets' },
          },
        },
      },
      { request: get(g), expect: { status: 200, version: { sameAs: 'marked' } } },
      { request: del(g, { propagationPolicy: 'Background' }), expect: { status: 200 } },
      { request: get(g), expect: { status: 404 } },
    ],
  },
  {
    id: 'finalizers',
    reason: 'an object with finalizers is marked first, and removed with the last finalizer',
    steps: [
      held,
      {
        name: 'deleting',
        request: del(g),
        expect: {
          status: 200,
          body: {
            kind: 'Gadget',
            metadata: { deletionTimestamp: /Z$/, deletionGracePeriodSeconds: 0, generation: 2 },
          },
          version: { movedSince: 'made' },
        },
      },
      {
        request: del(g),
        expect: { status: 200, body: { kind: 'Gadget' }, version: { sameAs: 'deleting' } },
      },
      {
        request: post(paths.gadgets, gadget('x')),
        expect: {
          status: 409,
          error: {
            message: 'object is being deleted: gadgets.contract.example.com "x" already exists',
            reason: 'AlreadyExists',
            details: { name: 'x', group: 'contract.example.com', kind: 'gadgets' },
          },
        },
      },
      {
        request: mergePatch(g, { metadata: { finalizers: [] } }),
        expect: {
          status: 200,
          body: { metadata: { finalizers: undefined, deletionTimestamp: /Z$/ } },
        },
      },
      { request: get(g), expect: { status: 404 } },
    ],
  },
  {
    id: 'while-deleting',
    reason: 'an object being deleted can be changed, but gets no new finalizers',
    steps: [
      held,
      { name: 'deleting', request: del(g), expect: { status: 200 } },
      {
        request: mergePatch(g, {
          metadata: { finalizers: ['example.com/hold', 'example.com/more'] },
        }),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'metadata.finalizers',
              'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/more"}',
              'FieldValueForbidden',
            ],
            [
              'metadata.finalizers',
              'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/more"}',
              'FieldValueForbidden',
            ],
          ]),
        },
      },
      {
        request: apply(g, gadget('x', { size: 5 })),
        expect: { status: 200, body: { spec: { size: 5 }, metadata: { deletionTimestamp: /Z$/ } } },
      },
      {
        request: put(g, gadget({ name: 'x', resourceVersion: '{made.metadata.resourceVersion}' })),
        expect: { status: 409 },
      },
      {
        request: jsonPatch(g, [{ op: 'remove', path: '/metadata/finalizers' }]),
        expect: { status: 200 },
      },
      { request: get(g), expect: { status: 404 } },
    ],
  },
  {
    id: 'created-held',
    reason: 'the absent-lock also loses against an object that is being deleted',
    steps: [
      held,
      { request: del(g), expect: { status: 200 } },
      {
        request: apply(g, gadget({ name: 'x', resourceVersion: '1' })),
        expect: { status: 409, error: modified('gadgets.contract.example.com', 'x') },
      },
    ],
  },
];
