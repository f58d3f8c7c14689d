import { since135 } from '../changes.ts';
import type { ContractCase } from '../contract-case.ts';
import { badRequest, conflict, notFound } from '../errors.ts';
import { configMap, gadget, paths, zone } from '../objects.ts';
import { del, get, post } from '../requests.ts';

const x = `${paths.configMaps}/x`;
const g = `${paths.gadgets}/x`;
const someUid = '7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11';
const made = {
  name: 'made',
  request: post(paths.configMaps, configMap('x')),
  expect: { status: 201 },
};
const preconditions = (values: object) => ({
  kind: 'DeleteOptions',
  apiVersion: 'v1',
  preconditions: values,
});

export const cases: readonly ContractCase[] = [
  {
    id: 'at-once',
    reason: 'an object without finalizers is gone with the response, which names it',
    steps: [
      made,
      {
        request: del(x),
        expect: {
          status: 200,
          body: { kind: 'Status', status: 'Success', code: undefined },
          at: { details: { name: 'x', kind: 'configmaps', uid: '{made.metadata.uid}' } },
        },
      },
      { request: get(x), expect: { status: 404 } },
      { request: del(x), expect: { status: 404, error: notFound('configmaps', 'x') } },
      { name: 'gadget', request: post(paths.gadgets, gadget('x')), expect: { status: 201 } },
      {
        request: del(g),
        expect: {
          status: 200,
          at: {
            details: {
              name: 'x',
              group: 'contract.example.com',
              kind: 'gadgets',
              uid: '{gadget.metadata.uid}',
            },
          },
        },
      },
    ],
  },
  {
    id: 'preconditions',
    reason: 'a delete can be bound to the state it was decided on',
    steps: [
      made,
      {
        request: del(x, preconditions({ uid: someUid })),
        expect: {
          status: 409,
          error: conflict(
            'ConfigMap',
            'x',
            'the UID in the precondition (7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11) does not match the UID in record ({made.metadata.uid}). The object might have been deleted and then recreated',
          ),
        },
      },
      {
        request: del(x, preconditions({ uid: '{made.metadata.uid}', resourceVersion: '1' })),
        expect: {
          status: 409,
          error: conflict(
            'ConfigMap',
            'x',
            'the ResourceVersion in the precondition (1) does not match the ResourceVersion in record ({made.metadata.resourceVersion}). The object might have been modified',
          ),
        },
      },
      { name: 'gadget', request: post(paths.gadgets, gadget('x')), expect: { status: 201 } },
      {
        request: del(g, preconditions({ uid: someUid })),
        expect: {
          status: 409,
          error: conflict(
            'Gadget.contract.example.com',
            'x',
            'the UID in the precondition (7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11) does not match the UID in record ({gadget.metadata.uid}). The object might have been deleted and then recreated',
          ),
        },
      },
      {
        request: del(g, preconditions({ uid: '{gadget.metadata.uid}', resourceVersion: '1' })),
        expect: {
          status: 409,
          error: conflict(
            'Gadget.contract.example.com',
            'x',
            'the ResourceVersion in the precondition (1) does not match the ResourceVersion in record ({gadget.metadata.resourceVersion}). The object might have been modified',
          ),
        },
      },
      { request: get(x), expect: { status: 200 } },
      {
        request: del(
          x,
          preconditions({
            uid: '{made.metadata.uid}',
            resourceVersion: '{made.metadata.resourceVersion}',
          }),
        ),
        expect: { status: 200 },
      },
      { request: del(x, preconditions({ uid: '{made.metadata.uid}' })), expect: { status: 404 } },
    ],
  },
  {
    id: 'options',
    reason: 'options are read from the body or the query, and invalid ones refused',
    steps: [
      made,
      {
        request: del(x, undefined, { propagationPolicy: 'Bogus' }),
        expect: {
          status: 422,
          error: {
            message:
              'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Bogus": supported values: "Foreground", "Background", "Orphan", "nil"',
            reason: 'Invalid',
            details: {
              group: 'meta.k8s.io',
              kind: 'DeleteOptions',
              causes: [
                {
                  reason: 'FieldValueNotSupported',
                  message:
                    'Unsupported value: "Bogus": supported values: "Foreground", "Background", "Orphan", "nil"',
                  field: 'propagationPolicy',
                },
              ],
            },
          },
        },
      },
      {
        request: del(x, {
          kind: 'DeleteOptions',
          apiVersion: 'v1',
          propagationPolicy: 'Orphan',
          orphanDependents: true,
        }),
        expect: {
          status: 422,
          error: {
            message:
              'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
            reason: 'Invalid',
            details: {
              group: 'meta.k8s.io',
              kind: 'DeleteOptions',
              causes: [
                {
                  reason: 'FieldValueInvalid',
                  message:
                    'Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
                  field: 'propagationPolicy',
                },
              ],
            },
          },
        },
      },
      {
        since: since135.deleteOptions,
        request: del(x, { kind: 'Other', apiVersion: 'v1' }),
        expect: {
          status: 400,
          error: badRequest(/^no kind "Other" is registered for version "v1"/),
        },
      },
      { request: del(x, undefined, { propagationPolicy: 'Background' }), expect: { status: 200 } },
    ],
  },
  {
    id: 'dry-run',
    reason: 'a dry run answers as if it were real',
    steps: [
      made,
      {
        request: del(x, undefined, { dryRun: 'All' }),
        expect: { status: 200, body: { kind: 'Status', status: 'Success' } },
      },
      { request: get(x), expect: { status: 200, version: { sameAs: 'made' } } },
    ],
  },
  {
    id: 'collection',
    reason: 'a collection is deleted by selector',
    steps: [
      {
        request: post(paths.gadgets, gadget({ name: 'a', labels: { l: '1' } })),
        expect: { status: 201 },
      },
      {
        request: post(paths.gadgets, gadget({ name: 'b', labels: { l: '1' } })),
        expect: { status: 201 },
      },
      { request: post(paths.gadgets, gadget('c')), expect: { status: 201 } },
      {
        request: del(paths.gadgets, undefined, { labelSelector: 'l=1' }),
        expect: { status: 200, body: { kind: 'GadgetList', items: [{}, {}] } },
      },
      {
        eventually: true,
        request: get(paths.gadgets),
        expect: { status: 200, body: { items: [{ metadata: { name: 'c' } }] } },
      },
    ],
  },
  {
    id: 'again',
    reason: 'a recreated object is another object',
    steps: [
      made,
      { request: del(x), expect: { status: 200 } },
      {
        request: post(paths.configMaps, configMap('x')),
        expect: { status: 201, version: { movedSince: 'made' }, body: { metadata: { uid: /./ } } },
      },
      { request: del(x, preconditions({ uid: '{made.metadata.uid}' })), expect: { status: 409 } },
    ],
  },
  {
    id: 'cluster-scoped',
    reason: 'the same without a namespace',
    steps: [
      {
        name: 'made',
        request: post(paths.zones, zone('{ns}')),
        expect: { status: 201, body: { metadata: { namespace: undefined } } },
      },
      {
        request: del(`${paths.zones}/{ns}`),
        expect: {
          status: 200,
          at: {
            details: {
              name: '{ns}',
              group: 'cluster.example.com',
              kind: 'zones',
              uid: '{made.metadata.uid}',
            },
          },
        },
      },
    ],
  },
];
