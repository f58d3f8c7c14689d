import { defineChildType } from 'serverless-reconciler';

/** How OpenShift's router reaches a Service. */
export const route = defineChildType<{ spec: object }>({
  group: 'route.openshift.io',
  version: 'v1',
  kind: 'Route',
  plural: 'routes',
});
