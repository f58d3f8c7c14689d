import { defineKind, type SelectedObject, type Static, selects, Type } from 'serverless-reconciler';
import { names } from '../selecting.ts';
import { count, map, name, strings, timing } from './part.ts';

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
  match_re: map,
};
/** Has no rules in CEL, whose estimated cost would be too high in nested lists: `selects` refuses the same. */
const routeSelector = Type.Object({
  matchLabels: map,
  matchExpressions: Type.Optional(
    Type.Array(
      Type.Object({
        key: name,
        operator: Type.Enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
        values: strings,
      }),
      count,
    ),
  ),
});
const { mute_time_intervals: _, active_time_intervals: __, ...grouping } = timing;
/** The fields of every route, also of the outermost one. */
export const top = {
  receiver: name,
  ...grouping,
  /** Selects routes, which follow those in `routes`. */
  routeSelector: Type.Optional(routeSelector),
};
const leaf = Type.Object({
  ...top,
  ...timing,
  ...matching,
  continue: Type.Optional(Type.Boolean()),
});
interface Branches extends Pick<Static<typeof leaf>, 'routeSelector'> {
  readonly routes?: readonly Route[];
}
export type Route = Static<typeof leaf> & Branches;

/** A route with others in it, this many levels deep: a structural schema is not recursive. */
const nested = (levels: number): typeof leaf =>
  levels === 0
    ? leaf
    : Type.Object({
        ...leaf.properties,
        routes: Type.Optional(Type.Array(nested(levels - 1), count)),
      });
export const routes = Type.Optional(Type.Array(Type.Unsafe<Route>(nested(3)), count));

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

type Found = SelectedObject<typeof notificationPolicyRoute>;

export const isSelecting = ({ routes = [], routeSelector }: Branches): boolean =>
  routeSelector !== undefined || routes.some(isSelecting);

/** Limit of selected routes in a policy: routes that select each other can make more than Grafana reads. */
const most = 1_000;

/** The routes of a policy as Grafana reads them, and why they cannot be built. */
export function routesIn(policy: Branches, found: readonly Found[]) {
  let blocked: { readonly reason: string; readonly message: string } | undefined;
  let selected = 0;
  const within = ({ routes = [], routeSelector }: Branches, above: readonly Found[]): object[] => [
    ...routes.map((one) => resolved(one, above)),
    ...found
      .filter(({ labels }) => selects(routeSelector, labels))
      .flatMap((one) => {
        selected++;
        if (above.includes(one))
          blocked = { reason: 'LoopDetected', message: `route ${one.name} selects itself` };
        else if (selected > most)
          blocked = { reason: 'TooManyRoutes', message: `more than ${most} routes are selected` };
        return blocked === undefined ? [resolved(one.spec, [...above, one])] : [];
      }),
  ];
  /** A route with one kind of matchers. */
  const resolved = (route: Route, above: readonly Found[]): object => {
    const {
      matchers = [],
      match_re = {},
      object_matchers = [],
      routes,
      routeSelector,
      ...rest
    } = route;
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
      routes: within(route, above),
    };
  };
  return { routes: within(policy, []), blocked };
}

const operatorOf = (one: { readonly isEqual: boolean; readonly isRegex: boolean }): string =>
  `${one.isEqual ? '=' : '!'}${one.isRegex ? '~' : one.isEqual ? '' : '='}`;
