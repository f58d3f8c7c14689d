import { child, defineKind, secret, Type } from 'serverless-reconciler';
import { common, selected, targets } from '../selecting.ts';
import { dataOf, instanceSelector, part } from './part.ts';
import { isSelecting, notificationPolicyRoute, routes, routesIn, top } from './routes.ts';

export const notificationPolicy = defineKind({
  ...part,
  kind: 'GrafanaNotificationPolicy',
  plural: 'grafananotificationpolicies',
  spec: Type.Object({
    ...common,
    route: Type.Object({ ...top, routes }),
  }),
  samples: [
    {
      name: 'all',
      spec: {
        instanceSelector,
        route: {
          receiver: 'pager',
          group_by: ['alertname'],
          routes: [
            {
              receiver: 'pager',
              object_matchers: [['team', '=', 'sales']],
              routes: [{ receiver: 'phone', matchers: [{ name: 'severity', value: 'critical' }] }],
            },
          ],
        },
      },
    },
  ],
  reads: {
    instances: selected,
    /** Finds every route that it may read: which of them a route selects may be said in any of them. */
    found: {
      type: notificationPolicyRoute,
      selector: ({ spec }) => (isSelecting(spec.route) ? {} : undefined),
      from: 'granted',
    },
  },
  children({ name, namespace, spec, reads: { instances, found } }) {
    const isNear = (one: { readonly namespace: string }) =>
      one.namespace === namespace || spec.allowCrossNamespaceImport;
    const { routeSelector: _, routes: __, ...route } = spec.route;
    const { blocked, routes } = routesIn(spec.route, found.filter(isNear));
    const body = dataOf({ policies: [{ ...route, routes }] });
    return targets({ name, namespace, spec }, 'policy', instances).map((one) =>
      child(secret, { ...one, ...(blocked && { blocked }), body }),
    );
  },
});
