/** The managedFields of children that the reconciler created. */

import type { FieldsV1, ManagedFieldsEntry } from '../../shared/kubernetes.ts';
import { createdAt } from './resources.ts';

export const ownLabels = (partOf: string, instance: string): Readonly<Record<string, string>> => ({
  'app.kubernetes.io/instance': instance,
  'app.kubernetes.io/managed-by': 'serverless-reconciler',
  'app.kubernetes.io/part-of': partOf,
});

export const ourEntry = (apiVersion: string, fieldsV1: FieldsV1): ManagedFieldsEntry => ({
  apiVersion,
  fieldsType: 'FieldsV1',
  fieldsV1,
  manager: 'serverless-reconciler',
  operation: 'Apply',
  time: createdAt,
});

/** The entry of the Deployment controller, with abridged conditions. */
export const controllerEntry: ManagedFieldsEntry = {
  apiVersion: 'apps/v1',
  fieldsType: 'FieldsV1',
  fieldsV1: {
    'f:metadata': {
      'f:annotations': { '.': {}, 'f:deployment.kubernetes.io/revision': {} },
    },
    'f:status': {
      'f:availableReplicas': {},
      'f:observedGeneration': {},
      'f:readyReplicas': {},
      'f:replicas': {},
      'f:terminatingReplicas': {},
      'f:updatedReplicas': {},
    },
  },
  manager: 'kube-controller-manager',
  operation: 'Update',
  subresource: 'status',
  time: createdAt,
};

export const fields = (names: readonly string[]): FieldsV1 =>
  Object.fromEntries(names.map((name) => [`f:${name}`, {}]));

export const ownMetadata = (owner: string, labels: readonly string[]): FieldsV1 => ({
  'f:labels': fields([...Object.keys(ownLabels('', '')), ...labels]),
  'f:ownerReferences': { [`k:{"uid":"${owner}"}`]: {} },
});
