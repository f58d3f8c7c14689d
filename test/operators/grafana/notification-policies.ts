import { child, defineKind, secret, Type } from 'serverless-reconciler';
import { LabelSelector } from 'serverless-reconciler/types';
import {
  count,
  dataOf,
  duration,
  instanceSelector,
  name,
  part,
  strings,
  timing,
} from './alerting-part.ts';
import { common, names, selected, targets } from './selecting.ts';

/** Label, operator and value. */
const matcher = Type.Array(name, { minItems: 3, maxItems: 3 });
const routeFields = {
  receiver: name,
  continue: Type.Optional(Type.Boolean()),
  object_matchers: Type.Optional(Type.Array(matcher, count)),
  ...timing,
};

const nested = {
  ...routeFields,
  routes: Type.Optional(Type.Array(Type.Object(routeFields), count)),
};

/** A route that a notification policy selects. It makes nothing by itself. */
export const notificationPolicyRoute = defineKind({
  ...names,
  kind: 'GrafanaNotificationPolicyRoute',
  plural: 'grafananotificationpolicyroutes',
  spec: Type.Object(nested),
  samples: [{ name: 'sales', spec: { receiver: 'pager' } }],
  owns: [],
  children: () => [],
});

export const notificationPolicy = defineKind({
  ...part,
  kind: 'GrafanaNotificationPolicy',
  plural: 'grafananotificationpolicies',
  spec: Type.Object({
    ...common,
    route: Type.Object({
      receiver: name,
      group_by: strings,
      group_wait: Type.Optional(duration),
      group_interval: Type.Optional(duration),
      repeat_interval: Type.Optional(duration),
      routes: Type.Optional(Type.Array(Type.Object(nested), count)),
      /** Selects routes of the same namespace, which follow those in `routes`. */
      routeSelector: Type.Optional(LabelSelector),
    }),
  }),
  samples: [
    {
      name: 'all',
      spec: {
        instanceSelector,
        route: {
          receiver: 'pager',
          group_by: ['alertname'],
          routes: [{ receiver: 'pager', object_matchers: [['team', '=', 'sales']] }],
        },
      },
    },
  ],
  reads: {
    instances: selected,
    selectedRoutes: {
      type: notificationPolicyRoute,
      selector: ({ spec }) => spec.route.routeSelector,
    },
  },
  children({ name, namespace, spec, reads: { instances, selectedRoutes } }) {
    const { routeSelector: _, routes = [], ...route } = spec.route;
    const all = [...routes, ...selectedRoutes.map((one) => one.spec)];
    const body = dataOf({ policies: [{ ...route, routes: all }] });
    return targets({ name, namespace, spec }, 'policy', instances).map((one) =>
      child(secret, { ...one, body }),
    );
  },
});
