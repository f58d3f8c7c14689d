import type { Schema } from './schema.ts';

const text: Schema = { type: 'string' };
const time: Schema = { type: 'string', format: 'date-time' };
const count: Schema = { type: 'integer', format: 'int64' };
const texts: Schema = { type: 'object', additionalProperties: text };

/** The schema of metadata, for sources that do not define it. */
export const objectMeta: Schema = {
  type: 'object',
  properties: {
    annotations: texts,
    creationTimestamp: time,
    deletionGracePeriodSeconds: count,
    deletionTimestamp: time,
    finalizers: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    generateName: text,
    generation: count,
    labels: texts,
    managedFields: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          apiVersion: text,
          fieldsType: text,
          fieldsV1: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          manager: text,
          operation: text,
          subresource: text,
          time,
        },
      },
      'x-kubernetes-list-type': 'atomic',
    },
    name: text,
    namespace: text,
    ownerReferences: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          apiVersion: text,
          blockOwnerDeletion: { type: 'boolean' },
          controller: { type: 'boolean' },
          kind: text,
          name: text,
          uid: text,
        },
        required: ['apiVersion', 'kind', 'name', 'uid'],
        'x-kubernetes-map-type': 'atomic',
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
    },
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
};
