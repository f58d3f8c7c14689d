import type { ApiRequest } from '../../../client.ts';
import type { ContractCase } from '../contract-case.ts';
import { conflict, invalid, modified } from '../errors.ts';
import {
  autoscaler,
  configMap,
  deployment,
  gadget,
  ingress,
  paths,
  secret,
  service,
  statefulSet,
  website,
} from '../objects.ts';
import { apply, get } from '../requests.ts';

interface LockedKind {
  readonly resource: string;
  readonly path: string;
  readonly manifest: (name: string | { readonly name: string }) => { readonly kind: string };
}

const absent = { name: 'x', resourceVersion: '1' };
const someUid = '7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11';

/** Kinds whose objects no controller writes after their creation. */
const quiet: readonly LockedKind[] = [
  { resource: 'configmaps', path: paths.configMaps, manifest: configMap },
  { resource: 'secrets', path: paths.secrets, manifest: secret },
  { resource: 'services', path: paths.services, manifest: service },
  { resource: 'ingresses.networking.k8s.io', path: paths.ingresses, manifest: ingress },
  { resource: 'websites.kubecon.my.domain', path: paths.websites, manifest: website },
  { resource: 'gadgets.contract.example.com', path: paths.gadgets, manifest: gadget },
];

const busy: readonly LockedKind[] = [
  { resource: 'deployments.apps', path: paths.deployments, manifest: deployment },
  { resource: 'statefulsets.apps', path: paths.statefulSets, manifest: statefulSet },
  {
    resource: 'horizontalpodautoscalers.autoscaling',
    path: paths.autoscalers,
    manifest: autoscaler,
  },
];

const uidMismatch = (resource: string) =>
  conflict(
    resource,
    'x',
    `uid mismatch: the provided object specified uid ${someUid}, and no existing object was found`,
  );

const uidImmutable = (resource: string, kind: string) => {
  const [, ...group] = resource.split('.');
  const field = ['metadata.uid', `Invalid value: "${someUid}": field is immutable`] as const;
  // Reported twice: by the general rules of metadata and by those of an update.
  return invalid([kind, ...group].join('.'), 'x', [field, field]);
};

const ofAnyKind = ({ resource, path, manifest }: LockedKind): ContractCase[] => {
  const plural = resource.split('.')[0];
  const locked = apply(`${path}/x`, manifest(absent));
  const forGone = { name: 'x', uid: someUid, resourceVersion: '5' };
  return [
    {
      id: `absent-${plural}`,
      reason: 'a version that no live object has makes apply an atomic create-if-absent',
      steps: [
        {
          name: 'created',
          request: locked,
          expect: { status: 201, body: { metadata: { name: 'x' } } },
        },
        { request: locked, expect: { status: 409, error: modified(resource, 'x') } },
        {
          request: get(`${path}/x`),
          expect: { status: 200, body: { metadata: { uid: '{created.metadata.uid}' } } },
        },
      ],
    },
    {
      id: `gone-${plural}`,
      reason: 'an update of a deleted object never recreates it',
      steps: [
        {
          request: apply(`${path}/x`, manifest(forGone)),
          expect: { status: 409, error: uidMismatch(resource) },
        },
        { request: get(`${path}/x`), expect: { status: 404 } },
      ],
    },
  ];
};

const ofQuietKind = ({ resource, path, manifest }: LockedKind): ContractCase => {
  const lockedTo = (step: string, labels: object = {}): ApiRequest => {
    const lock = {
      uid: `{${step}.metadata.uid}`,
      resourceVersion: `{${step}.metadata.resourceVersion}`,
    };
    return apply(`${path}/x`, manifest({ name: 'x', ...lock, ...labels }));
  };
  const wrongUid = (step: string): ApiRequest => {
    const lock = { uid: someUid, resourceVersion: `{${step}.metadata.resourceVersion}` };
    return apply(`${path}/x`, manifest({ name: 'x', ...lock, ...labelled }));
  };
  const labelled = { labels: { team: 'a' } };
  return {
    id: `version-${resource.split('.')[0]}`,
    reason: 'an apply with uid and version succeeds only on exactly that state',
    steps: [
      { name: 'first', request: apply(`${path}/x`, manifest(absent)), expect: { status: 201 } },
      { request: lockedTo('first'), expect: { status: 200, version: { sameAs: 'first' } } },
      {
        name: 'second',
        request: lockedTo('first', labelled),
        expect: {
          status: 200,
          version: { movedSince: 'first' },
          body: { metadata: { uid: '{first.metadata.uid}', ...labelled } },
        },
      },
      {
        request: lockedTo('first', labelled),
        expect: { status: 409, error: modified(resource, 'x') },
      },
      { request: lockedTo('first'), expect: { status: 409, error: modified(resource, 'x') } },
      { request: wrongUid('first'), expect: { status: 409, error: modified(resource, 'x') } },
      {
        request: wrongUid('second'),
        expect: { status: 422, error: uidImmutable(resource, manifest('x').kind) },
      },
      { request: get(`${path}/x`), expect: { status: 200, version: { sameAs: 'second' } } },
    ],
  };
};

export const cases: readonly ContractCase[] = [
  ...[...quiet, ...busy].flatMap(ofAnyKind),
  ...quiet.map(ofQuietKind),
];
