import { statefulSet } from '../../../index.ts';
import { databaseStatefulSet } from '../../support/children-of-database.ts';
import { casesOf, current, inProgress } from '../cases.ts';
import { imagePath, podTemplate, selector } from '../samples.ts';

const unseen = inProgress('the StatefulSet controller has not observed the latest change yet');

const claims = (storage: string) => [
  {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
  },
];

export const cases = casesOf(statefulSet, {
  body: {
    spec: {
      replicas: 1,
      serviceName: 'garden',
      selector,
      template: podTemplate,
      volumeClaimTemplates: claims('1024Mi'),
    },
  },
  edit: { patch: { spec: { replicas: 3 } }, path: 'spec.replicas' },
  readiness: {
    'D-7 Current': {
      reason: 'all pods are there, ready and new',
      live: databaseStatefulSet(),
      want: current,
    },
    'D-7 New': {
      reason: 'the controller has not written a status yet',
      live: databaseStatefulSet({ status: undefined }),
      want: unseen,
    },
    'D-7 OldGeneration': {
      reason: 'its status is of an older generation',
      live: databaseStatefulSet({ metadata: { generation: 2 } }),
      want: unseen,
    },
    'D-7 TooFew': {
      reason: 'pods are created one after the other',
      live: databaseStatefulSet({ spec: { replicas: 3 } }),
      want: inProgress('1 of 3 replicas created'),
    },
    'D-7 NotReady': {
      reason: 'the status omits a zero',
      live: databaseStatefulSet({ status: { readyReplicas: undefined } }),
      want: inProgress('0 of 1 replicas ready'),
    },
    'D-7 TooMany': {
      reason: 'it was scaled down, and the other pods are still running',
      live: databaseStatefulSet({ status: { replicas: 3, readyReplicas: 3, updatedReplicas: 3 } }),
      want: inProgress('2 excess replicas still running'),
    },
    'D-7 NotUpdated': {
      reason: 'the pod is ready, but has the old image',
      live: databaseStatefulSet({ status: { updatedReplicas: undefined } }),
      want: inProgress('0 of 1 replicas updated'),
    },
    'D-7 Partition': {
      reason: 'a partition delays part of the update',
      live: databaseStatefulSet({
        spec: { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
        status: { replicas: 3, readyReplicas: 3, updatedReplicas: 1 },
      }),
      want: current,
    },
    'D-7 PartitionNotUpdated': {
      reason: 'the part outside the partition is not updated yet',
      live: databaseStatefulSet({
        spec: { replicas: 3, updateStrategy: { rollingUpdate: { partition: 1 } } },
        status: { replicas: 3, readyReplicas: 3, updatedReplicas: 1 },
      }),
      want: inProgress('1 of 2 replicas updated'),
    },
    'D-7 PartitionBeyond': {
      reason: 'a partition delays the whole update',
      live: databaseStatefulSet({
        spec: { updateStrategy: { rollingUpdate: { partition: 5 } } },
        status: { updatedReplicas: undefined },
      }),
      want: current,
    },
    'D-7 OnDelete': {
      reason: 'pods are updated by hand, which is not waited for',
      live: databaseStatefulSet({
        spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: undefined } },
        status: { updatedReplicas: undefined },
      }),
      want: current,
    },
    'D-7 OnDeleteNotReady': {
      reason: 'pods that are updated by hand have to be there and ready',
      live: databaseStatefulSet({
        spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: undefined } },
        status: { readyReplicas: undefined },
      }),
      want: inProgress('0 of 1 replicas ready'),
    },
    'D-7 ReplicasAbsent': {
      reason: 'replicas default to 1',
      live: databaseStatefulSet({ spec: { replicas: undefined }, status: { replicas: 0 } }),
      want: inProgress('0 of 1 replicas created'),
    },
  },
  fixed: {
    'spec.podManagementPolicy': 'Parallel',
    'spec.selector': { matchLabels: { app: 'other' } },
    'spec.serviceName': 'other',
    'spec.volumeClaimTemplates': claims('2Gi'),
  },
  impact: {
    created: [],
    deleted: ['interrupt'],
    changes: {
      'a new image': {
        reason: 'the template changes',
        fields: { [imagePath]: ['a', 'b'] },
        want: ['restart'],
      },
      'a StatefulSet updated by hand': {
        reason: 'its pods stay until they are deleted',
        fields: { [imagePath]: ['a', 'b'] },
        desired: { spec: { updateStrategy: { type: 'OnDelete' } } },
        want: [],
      },
      'claims that are deleted with it': {
        reason: 'they were kept',
        fields: {
          'spec.persistentVolumeClaimRetentionPolicy.whenDeleted': ['Retain', 'Delete'],
        },
        want: ['data-loss'],
      },
    },
  },
});
