import type { ChildType } from '../child-type.ts';
import type { PriorityClassBody } from './api-types.ts';

export const priorityClass: ChildType<PriorityClassBody> = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  scope: 'Cluster',
  immutable: ['preemptionPolicy', 'value'],
};
