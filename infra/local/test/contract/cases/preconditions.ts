import { since135 } from '../changes.ts';
import type { ContractCase, Step } from '../contract-case.ts';
import { badRequest, conflict, invalid } from '../errors.ts';
import { deployment, gadget, paths, secret, statefulSet } from '../objects.ts';
import { del, get, mergePatch, post, put } from '../requests.ts';

const { deployments, statefulSets, gadgets, secrets } = paths;
const other = '7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11';

const lostRace = (key: string): string =>
  `StorageError: invalid object, Code: 4, Key: /registry/${key}/{ns}/x, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${other}, UID in object meta: {made.metadata.uid}`;

/** A scale with another object's uid, and invalid in other ways. */
const wrongly = { metadata: { name: 'x', uid: other }, spec: { replicas: -1 } };

const scaled = (resource: string, path: string, object: object): readonly Step[] => [
  { name: 'made', request: post(path, object), expect: { status: 201 } },
  {
    request: put(`${path}/x/scale`, wrongly),
    expect: {
      status: 409,
      error: conflict(resource, 'x', lostRace(resource.split('.')[0] ?? '')),
    },
  },
  {
    request: mergePatch(`${path}/x/scale`, wrongly),
    expect: {
      status: 422,
      error: invalid('Scale.autoscaling', 'x', [
        ['spec.replicas', 'Invalid value: -1: must be greater than or equal to 0'],
      ]),
    },
  },
  {
    request: mergePatch(`${path}/x/scale`, { metadata: { uid: other }, spec: { replicas: 2 } }),
    expect: {
      status: 409,
      error: conflict(
        resource.replace('.', '/scale.'),
        'x',
        `Precondition failed: UID in precondition: ${other}, UID in object meta: {made.metadata.uid}`,
      ),
    },
  },
];

const otherUid = `the UID in the precondition (${other}) does not match the UID in record ({made.metadata.uid}). The object might have been deleted and then recreated`;
const otherVersion =
  'the ResourceVersion in the precondition (1) does not match the ResourceVersion in record ({made.metadata.resourceVersion}). The object might have been modified';

const kept = (
  path: string,
  query: Readonly<Record<string, string>>,
  [kind, why]: readonly [kind: string, why: string],
): Step => ({
  request: del(path, undefined, query),
  expect: { status: 409, error: conflict(kind, 'x', why) },
});

const deleted = (kind: string, path: string, object: object): readonly Step[] => [
  { name: 'made', request: post(path, object), expect: { status: 201 } },
  kept(`${path}/x`, { uid: other }, [kind, otherUid]),
  kept(`${path}/x`, { resourceVersion: '1' }, [kind, otherVersion]),
  { request: get(`${path}/x`), expect: { status: 200 } },
  {
    request: del(`${path}/x`, undefined, { uid: '', resourceVersion: '' }),
    expect: { status: 200 },
  },
  { request: get(`${path}/x`), expect: { status: 404 } },
];

export const cases: readonly ContractCase[] = [
  {
    id: 'deployment-scale',
    reason: 'a uid conflict is reported before an invalid scale',
    steps: scaled('deployments.apps', deployments, deployment('x')),
  },
  {
    id: 'stateful-set-scale',
    reason: 'the same for a StatefulSet',
    steps: scaled('statefulsets.apps', statefulSets, statefulSet('x')),
  },
  {
    id: 'custom-scale',
    reason: "the uid in a patch of a custom resource's scale is ignored",
    steps: [
      { name: 'made', request: post(gadgets, gadget('x', { size: 1 })), expect: { status: 201 } },
      {
        request: put(`${gadgets}/x/scale`, wrongly),
        expect: {
          status: 409,
          error: conflict(
            'gadgets.contract.example.com',
            'x',
            lostRace('contract.example.com/gadgets'),
          ),
        },
      },
      {
        request: mergePatch(`${gadgets}/x/scale`, {
          metadata: { uid: other },
          spec: { replicas: 2 },
        }),
        expect: { status: 200, at: { 'spec.replicas': 2 } },
      },
    ],
  },
  {
    id: 'delete-query',
    reason:
      'a delete without a body reads its preconditions from the query, empty ones are ignored',
    steps: deleted('Secret', secrets, secret('x')),
  },
  {
    id: 'delete-query-custom',
    reason: 'the same for a custom resource',
    steps: deleted('Gadget.contract.example.com', gadgets, gadget('x')),
  },
  {
    id: 'delete-query-beside-body',
    reason: 'with a body the query is ignored',
    steps: [
      { request: post(secrets, secret('x')), expect: { status: 201 } },
      { request: del(`${secrets}/x`, {}, { uid: other }), expect: { status: 200 } },
      { request: get(`${secrets}/x`), expect: { status: 404 } },
    ],
  },
  {
    id: 'delete-collection-query',
    reason: 'the preconditions in the query hold for each object of a collection',
    steps: [
      { name: 'made', request: post(secrets, secret('x')), expect: { status: 201 } },
      kept(secrets, { uid: other }, ['Secret', otherUid]),
      kept(secrets, { resourceVersion: '1', resourceVersionMatch: 'NotOlderThan' }, [
        'Secret',
        otherVersion,
      ]),
      { request: get(`${secrets}/x`), expect: { status: 200 } },
    ],
  },
  {
    id: 'delete-other-kind',
    reason: 'options of another kind are refused',
    steps: [{ kind: 'Foo' }, { kind: 'Foo', apiVersion: '' }].map((body) => ({
      since: since135.deleteOptions,
      request: del(`${secrets}/x`, body),
      expect: {
        status: 400,
        error: badRequest(/^no kind "Foo" is registered for version "meta.k8s.io\/v1" in scheme/),
      },
    })),
  },
];
