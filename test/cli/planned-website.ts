import type { PlannedResource } from '../../shared/preview/planned-resource.ts';

/** Returns the plan of a Website, by default without actions. */
export const plannedWebsite = (over: Partial<PlannedResource>): PlannedResource => ({
  kind: 'Website',
  resource: 'websites.kubecon.my.domain',
  namespace: 'default',
  name: 'shop',
  uid: 'u',
  generation: 1,
  resourceVersion: '1',
  state: 'planned',
  actions: [],
  events: [],
  commit: [],
  ...over,
});
