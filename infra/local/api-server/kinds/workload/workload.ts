import type { ScalePaths } from '../../resources/resource.ts';

const scale: ScalePaths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
};

/** What the kinds of the apps group have in common. */
export const workload = {
  group: 'apps',
  version: 'v1',
  categories: ['all'],
  status: true,
  scale,
} as const;
