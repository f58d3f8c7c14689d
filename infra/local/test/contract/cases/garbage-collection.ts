import type { ContractCase, Step } from '../contract-case.ts';
import { configMap, deployment, gadget, paths } from '../objects.ts';
import { apply, del, get, mergePatch, post } from '../requests.ts';
import { simpleToys, toy, toys } from '../toys.ts';

const { configMaps, gadgets } = paths;
const owner = `${gadgets}/owner`;
const child = `${configMaps}/child`;

const reference = (more: object = {}) => ({
  apiVersion: 'contract.example.com/v1',
  kind: 'Gadget',
  name: 'owner',
  uid: '{owner.metadata.uid}',
  controller: true,
  blockOwnerDeletion: true,
  ...more,
});
const owned = (name: string, more: object = {}): Step => ({
  request: apply(`${configMaps}/${name}`, configMap({ name, ownerReferences: [reference(more)] })),
  expect: { status: 201 },
});
const makeOwner: Step = {
  name: 'owner',
  request: post(gadgets, gadget('owner')),
  expect: { status: 201 },
};
const heldOwner: Step = {
  name: 'owner',
  request: post(gadgets, gadget({ name: 'owner', finalizers: ['example.com/hold'] })),
  expect: { status: 201 },
};
const heldOnly: Step = {
  request: get(owner),
  expect: { status: 200, at: { 'metadata.finalizers': ['example.com/hold'] } },
};
const gone = (path: string): Step => ({
  eventually: true,
  request: get(path),
  expect: { status: 404 },
});
/** The collection of an object whose owner is gone shows that the garbage collector has seen those before it. */
const seenByCollector = (name: string): readonly Step[] => [
  owned(name, { uid: '7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11' }),
  gone(`${configMaps}/${name}`),
];
/** A toy, and a ConfigMap that it owns. */
const family = (name: string): readonly Step[] => [
  { name, request: post(toys.objects, toy(name)), expect: { status: 201 } },
  {
    request: post(
      configMaps,
      configMap({
        name: `of-${name}`,
        ownerReferences: [
          reference({
            apiVersion: `${toys.group}/v1`,
            kind: toys.names.kind,
            name,
            uid: `{${name}.metadata.uid}`,
          }),
        ],
      }),
    ),
    expect: { status: 201 },
  },
];
const propagate = (propagationPolicy: string) => ({ propagationPolicy });

export const cases: readonly ContractCase[] = [
  {
    id: 'background',
    reason: 'children are deleted after their owner',
    steps: [
      makeOwner,
      owned('child'),
      { request: del(owner), expect: { status: 200, body: { kind: 'Status' } } },
      { request: get(owner), expect: { status: 404 } },
      gone(child),
    ],
  },
  {
    id: 'wrong-uid',
    reason: 'a reference to a recreated owner is dangling',
    steps: [
      makeOwner,
      owned('child', { uid: '7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11' }),
      gone(child),
      { request: get(owner), expect: { status: 200 } },
    ],
  },
  {
    id: 'two-owners',
    reason: 'a child with another live owner stays, without the reference to the gone one',
    steps: [
      makeOwner,
      { name: 'second', request: post(gadgets, gadget('second')), expect: { status: 201 } },
      {
        request: post(
          configMaps,
          configMap({
            name: 'child',
            ownerReferences: [
              reference({ controller: false }),
              reference({ name: 'second', uid: '{second.metadata.uid}', controller: false }),
            ],
          }),
        ),
        expect: { status: 201 },
      },
      { request: del(owner), expect: { status: 200 } },
      {
        eventually: true,
        request: get(child),
        expect: { status: 200, body: { metadata: { ownerReferences: [{ name: 'second' }] } } },
      },
    ],
  },
  {
    id: 'foreground',
    reason: 'in the foreground the owner waits, marked, for the children that block it',
    steps: [
      makeOwner,
      {
        request: post(
          configMaps,
          configMap({
            name: 'child',
            finalizers: ['example.com/hold'],
            ownerReferences: [reference()],
          }),
        ),
        expect: { status: 201 },
      },
      owned('other', { blockOwnerDeletion: false }),
      {
        request: del(owner, undefined, propagate('Foreground')),
        expect: {
          status: 200,
          body: {
            kind: 'Gadget',
            metadata: {
              finalizers: ['foregroundDeletion'],
              deletionTimestamp: /Z$/,
              generation: 2,
            },
          },
        },
      },
      {
        eventually: true,
        request: get(child),
        expect: { status: 200, body: { metadata: { deletionTimestamp: /Z$/ } } },
      },
      { request: get(owner), expect: { status: 200 } },
      { request: mergePatch(child, { metadata: { finalizers: null } }), expect: { status: 200 } },
      gone(child),
      gone(owner),
      gone(`${configMaps}/other`),
    ],
  },
  {
    id: 'orphan',
    reason: 'orphaned children lose the reference and stay',
    steps: [
      makeOwner,
      owned('child'),
      {
        request: del(owner, undefined, propagate('Orphan')),
        expect: { status: 200, body: { kind: 'Gadget', metadata: { finalizers: ['orphan'] } } },
      },
      gone(owner),
      {
        request: get(child),
        expect: { status: 200, body: { metadata: { ownerReferences: undefined } } },
      },
    ],
  },
  {
    id: 'other-namespace',
    reason: 'an owner in another namespace does not count',
    steps: [
      {
        request: post(paths.namespaces, {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: '{ns}-b' },
        }),
        expect: { status: 201 },
      },
      makeOwner,
      {
        request: post(
          '/api/v1/namespaces/{ns}-b/configmaps',
          configMap({ name: 'child', ownerReferences: [reference()] }),
        ),
        expect: { status: 201 },
      },
      gone('/api/v1/namespaces/{ns}-b/configmaps/child'),
      { request: get(owner), expect: { status: 200 } },
    ],
  },
  {
    id: 'chain',
    reason: 'grandchildren are deleted too',
    steps: [
      makeOwner,
      {
        name: 'middle',
        request: post(gadgets, gadget({ name: 'middle', ownerReferences: [reference()] })),
        expect: { status: 201 },
      },
      owned('child', { name: 'middle', uid: '{middle.metadata.uid}' }),
      { request: del(owner), expect: { status: 200 } },
      gone(`${gadgets}/middle`),
      gone(child),
    ],
  },
  {
    id: 'deployment',
    reason: 'a Deployment takes its pods with it',
    steps: [
      {
        request: post(paths.deployments, deployment('x', { replicas: 1 })),
        expect: { status: 201 },
      },
      {
        eventually: true,
        request: get(`${paths.deployments}/x`),
        expect: { status: 200, body: { status: { readyReplicas: 1 } } },
      },
      { request: del(`${paths.deployments}/x`), expect: { status: 200 } },
      gone(`${paths.deployments}/x`),
      { eventually: true, request: get(paths.pods), expect: { status: 200, at: { items: [] } } },
    ],
  },
  {
    id: 'circle',
    reason: 'objects that own each other in a cycle are deleted in the foreground, too',
    steps: [
      ...['a', 'b', 'c'].map((name) => ({
        name,
        request: post(configMaps, configMap(name)),
        expect: { status: 201 },
      })),
      ...['ab', 'bc', 'ca'].map(([above = '', below = '']) => ({
        request: mergePatch(`${configMaps}/${below}`, {
          metadata: {
            ownerReferences: [
              {
                apiVersion: 'v1',
                kind: 'ConfigMap',
                name: above,
                uid: `{${above}.metadata.uid}`,
                blockOwnerDeletion: true,
              },
            ],
          },
        }),
        expect: { status: 200 },
      })),
      {
        request: del(`${configMaps}/a`, propagate('Foreground')),
        expect: { status: 200, body: { metadata: { finalizers: ['foregroundDeletion'] } } },
      },
      ...['a', 'b', 'c'].map((name) => gone(`${configMaps}/${name}`)),
    ],
  },
  {
    id: 'unblocked',
    reason: 'an owner waits for a dependent only while that blocks it',
    steps: [
      makeOwner,
      {
        request: post(
          configMaps,
          configMap({
            name: 'child',
            ownerReferences: [reference()],
            finalizers: ['example.com/stays'],
          }),
        ),
        expect: { status: 201 },
      },
      {
        request: del(owner, propagate('Foreground')),
        expect: { status: 200, body: { metadata: { finalizers: ['foregroundDeletion'] } } },
      },
      {
        eventually: true,
        request: get(child),
        expect: { status: 200, body: { metadata: { deletionTimestamp: /./ } } },
      },
      {
        request: mergePatch(child, { metadata: { ownerReferences: null } }),
        expect: { status: 200 },
      },
      gone(owner),
      { request: mergePatch(child, { metadata: { finalizers: null } }), expect: { status: 200 } },
    ],
  },
  {
    id: 'foreground-held',
    reason:
      'a finalizer keeps an owner after its foreground deletion, and children that it gets then stay',
    steps: [
      heldOwner,
      owned('child'),
      {
        request: del(owner, undefined, propagate('Foreground')),
        expect: {
          status: 200,
          at: { 'metadata.finalizers': ['example.com/hold', 'foregroundDeletion'] },
        },
      },
      gone(child),
      { eventually: true, ...heldOnly },
      owned('later'),
      ...seenByCollector('dangling'),
      { request: get(`${configMaps}/later`), expect: { status: 200 } },
      {
        request: mergePatch(owner, { metadata: { finalizers: null } }),
        expect: { status: 200 },
      },
      gone(`${configMaps}/later`),
    ],
  },
  {
    id: 'foreground-later',
    reason: 'a child that does not block stays if its owner gets it during its foreground deletion',
    steps: [
      heldOwner,
      {
        request: post(
          configMaps,
          configMap({
            name: 'child',
            ownerReferences: [reference()],
            finalizers: ['example.com/stays'],
          }),
        ),
        expect: { status: 201 },
      },
      { request: del(owner, undefined, propagate('Foreground')), expect: { status: 200 } },
      {
        eventually: true,
        request: get(child),
        expect: { status: 200, body: { metadata: { deletionTimestamp: /./ } } },
      },
      owned('later', { blockOwnerDeletion: false }),
      ...seenByCollector('first'),
      { request: mergePatch(`${configMaps}/later`, { data: { a: 'b' } }), expect: { status: 200 } },
      ...seenByCollector('second'),
      { request: get(`${configMaps}/later`), expect: { status: 200 } },
      { request: mergePatch(child, { metadata: { finalizers: null } }), expect: { status: 200 } },
      gone(child),
      { eventually: true, ...heldOnly },
      { request: get(`${configMaps}/later`), expect: { status: 200 } },
      {
        request: mergePatch(owner, { metadata: { finalizers: null } }),
        expect: { status: 200 },
      },
      gone(`${configMaps}/later`),
    ],
  },
  {
    id: 'foreground-afterwards',
    reason:
      'a second deletion, in the foreground, deletes the children of an owner that a finalizer keeps',
    steps: [
      heldOwner,
      owned('child'),
      { request: del(owner, undefined, propagate('Background')), expect: { status: 200 } },
      owned('later'),
      {
        request: del(owner, undefined, propagate('Foreground')),
        expect: {
          status: 200,
          at: { 'metadata.finalizers': ['example.com/hold', 'foregroundDeletion'] },
        },
      },
      gone(child),
      gone(`${configMaps}/later`),
      { eventually: true, ...heldOnly },
      {
        request: mergePatch(owner, { metadata: { finalizers: null } }),
        expect: { status: 200 },
      },
    ],
  },
  {
    id: 'orphan-held',
    reason: 'a finalizer keeps an owner after it has orphaned its children',
    steps: [
      heldOwner,
      owned('child'),
      { request: del(owner, undefined, propagate('Orphan')), expect: { status: 200 } },
      { eventually: true, ...heldOnly },
      {
        request: get(child),
        expect: { status: 200, body: { metadata: { ownerReferences: undefined } } },
      },
      {
        request: mergePatch(owner, { metadata: { finalizers: null } }),
        expect: { status: 200 },
      },
    ],
  },
  {
    id: 'definition-deleted',
    reason: 'children of resources deleted with their definition are collected, too',
    steps: [
      { request: post(paths.definitions, simpleToys), expect: { status: 201 } },
      { eventually: true, request: get(toys.objects), expect: { status: 200 } },
      // The collection of this object shows that the real garbage collector knows the definition.
      ...family('first'),
      { request: del(`${toys.objects}/first`), expect: { status: 200 } },
      gone(`${configMaps}/of-first`),
      ...family('second'),
      { request: del(toys.path), expect: { status: 200 } },
      gone(toys.path),
      gone(`${configMaps}/of-second`),
    ],
  },
];
