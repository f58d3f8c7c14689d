import { child, defineKind, type Static, secret, Type } from 'serverless-reconciler';
import { LabelSelector } from 'serverless-reconciler/types';
import { common, names, selected, targets } from '../selecting.ts';
import { count, dataOf, instanceSelector, name, part, timing } from './part.ts';

const matching = {
  /** Label, operator and value. */
  object_matchers: Type.Optional(Type.Array(Type.Array(name, { minItems: 3, maxItems: 3 }), count)),
  matchers: Type.Optional(
    Type.Array(
      Type.Object({
        name,
        value: Type.String({ maxLength: 190 }),
        isRegex: Type.Boolean({ default: false }),
        isEqual: Type.Boolean({ default: true }),
      }),
      count,
    ),
  ),
  match_re: Type.Optional(Type.Record(Type.String(), Type.String())),
};
const { mute_time_intervals: _, active_time_intervals: __, ...grouping } = timing;
const top = { receiver: name, ...grouping };
const leaf = Type.Object({
  ...top,
  ...timing,
  ...matching,
  continue: Type.Optional(Type.Boolean()),
});
type Route = Static<typeof leaf> & { readonly routes?: readonly Route[] };

/** A route with others in it, this many levels deep: a structural schema is not recursive. */
const nested = (levels: number): typeof leaf =>
  levels === 0
    ? leaf
    : Type.Object({
        ...leaf.properties,
        routes: Type.Optional(Type.Array(nested(levels - 1), count)),
      });
const route = Type.Unsafe<Route>(nested(3));

/** A route that a notification policy selects. It makes nothing by itself. */
export const notificationPolicyRoute = defineKind({
  ...names,
  kind: 'GrafanaNotificationPolicyRoute',
  plural: 'grafananotificationpolicyroutes',
  spec: nested(3),
  samples: [{ name: 'sales', spec: { receiver: 'pager' } }],
  owns: [],
  children: () => [],
});

/** A route as Grafana reads it, with one kind of matchers. */
function resolved({ routes = [], ...route }: Route): object {
  const { matchers = [], match_re = {}, object_matchers = [], ...rest } = route;
  const objects = [
    ...object_matchers,
    ...matchers.map((one) => [one.name, operatorOf(one), one.value]),
    ...Object.entries(match_re)
      .toSorted()
      .map(([label, pattern]) => [label, '=~', pattern]),
  ];
  return {
    ...rest,
    ...(objects.length > 0 && { object_matchers: objects }),
    routes: routes.map(resolved),
  };
}

const operatorOf = (one: { readonly isEqual: boolean; readonly isRegex: boolean }): string =>
  `${one.isEqual ? '=' : '!'}${one.isRegex ? '~' : one.isEqual ? '' : '='}`;

export const notificationPolicy = defineKind({
  ...part,
  kind: 'GrafanaNotificationPolicy',
  plural: 'grafananotificationpolicies',
  spec: Type.Object({
    ...common,
    route: Type.Object({
      ...top,
      routes: Type.Optional(Type.Array(route, count)),
      /** Selects routes, which follow those in `routes`. */
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
    selectedRoutes: {
      type: notificationPolicyRoute,
      selector: ({ spec }) => spec.route.routeSelector,
      from: 'granted',
    },
  },
  children({ name, namespace, spec, reads: { instances, selectedRoutes } }) {
    const { routeSelector: _, routes = [], ...route } = spec.route;
    const isNear = (one: { readonly namespace: string }) =>
      one.namespace === namespace || spec.allowCrossNamespaceImport;
    const all = [...routes, ...selectedRoutes.filter(isNear).map((one) => one.spec as Route)];
    const body = dataOf({ policies: [{ ...route, routes: all.map(resolved) }] });
    return targets({ name, namespace, spec }, 'policy', instances).map((one) =>
      child(secret, { ...one, body }),
    );
  },
});
