import { sinceOfKind } from '../changes.ts';
import type { ContractCase, Step } from '../contract-case.ts';
import { badRequest } from '../errors.ts';
import { apply, del, mergePatch, post, put, strategicPatch } from '../requests.ts';
import { smallestObjects } from '../smallest.ts';

/** Kinds whose PUT requires a version. */
const locked = [
  'APIService',
  'PodDisruptionBudget',
  'CSIDriver',
  'CSINode',
  'CSIStorageCapacity',
  'VolumeAttachment',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
  'RuntimeClass',
];

/** Kinds whose PUT creates a missing object. */
const createdByPut = ['Endpoints', 'LimitRange', 'RuntimeClass'];

/** Kinds whose DELETE is answered with the object. */
const answeredDeleted = [
  'PersistentVolume',
  'PodTemplate',
  'ResourceQuota',
  'CSIDriver',
  'CSINode',
  'StorageClass',
  'VolumeAttachment',
  'VolumeAttributesClass',
  'DeviceClass',
  'ResourceClaim',
  'ResourceClaimTemplate',
  'ResourceSlice',
];

/** Kinds whose status is written, or that are acted on, by controllers or the API server itself. */
const watched = [
  'APIService',
  'CronJob',
  'DaemonSet',
  'FlowSchema',
  'IPAddress',
  'Node',
  'PersistentVolume',
  'PodDisruptionBudget',
  'ReplicationController',
  'ResourceQuota',
  'ServiceCIDR',
  'ValidatingAdmissionPolicy',
];

/** Kinds that are never created next to other cases, because they affect the whole cluster. */
const disturbing = ['APIService', 'Node', 'ServiceCIDR'];

const dryRun = { dryRun: 'All' };

function stepsOf({ path, object }: (typeof smallestObjects)[number]): readonly Step[] {
  const { kind, metadata } = object;
  const one = `${path}/${metadata.name}`;
  const labelled = { ...object, metadata: { ...metadata, labels: { a: 'b' } } };
  const changes = { metadata: { annotations: { c: 'd' } } };
  const changed = { status: 200, body: { metadata: { annotations: { c: 'd' } } } };
  return [
    { request: post(path, object), expect: { status: 201 } },
    { name: 'first', request: apply(one, labelled), expect: { status: 200 } },
    {
      request: apply(one, labelled),
      expect: watched.includes(kind)
        ? { status: 200 }
        : { status: 200, version: { sameAs: 'first' } },
    },
    {
      request: put(one, labelled, dryRun),
      expect: { status: locked.includes(kind) ? 422 : 200 },
    },
    { request: mergePatch(one, changes, dryRun), expect: changed },
    { request: strategicPatch(one, changes, dryRun), expect: changed },
    {
      request: del(one, { propagationPolicy: 'Background' }),
      expect: { status: 200, body: { kind: answeredDeleted.includes(kind) ? kind : 'Status' } },
    },
  ];
}

export const cases: readonly ContractCase[] = smallestObjects.map((small) => {
  const { path, object } = small;
  const { apiVersion, kind, metadata } = object;
  const since = sinceOfKind[kind];
  const absent = { ...object, metadata: { name: `${metadata.name}0` } };
  const unreadable = (why: string) =>
    badRequest(
      `${kind} in version ${JSON.stringify(apiVersion.split('/').at(-1))} cannot be handled as a ${kind}: ${why}`,
    );
  return {
    id: kind.toLowerCase(),
    reason: 'every built-in kind is created, applied, replaced, patched and deleted in one way',
    steps: [
      {
        request: post(path, { ...object, nonsense: 1 }, { ...dryRun, fieldValidation: 'Strict' }),
        expect: {
          status: 400,
          error: unreadable('strict decoding error: unknown field "nonsense"'),
        },
      },
      {
        request: put(`${path}/${absent.metadata.name}`, absent, dryRun),
        expect: { status: createdByPut.includes(kind) ? 201 : 404 },
      },
      ...(disturbing.includes(kind) ? [] : stepsOf(small)),
    ].map((step) => (since && step.expect.status !== 404 ? { since, ...step } : step)),
  };
});
