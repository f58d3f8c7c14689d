import { child, defineKind, secret, Type } from 'serverless-reconciler';
import {
  dataOf,
  duration,
  instanceSelector,
  json,
  map,
  name,
  part,
  timing,
} from './alerting-part.ts';
import { common, selected, targets } from './selecting.ts';

const rule = Type.Object({
  uid: Type.String({ pattern: '^[a-zA-Z0-9_-]+$', minLength: 1, maxLength: 40 }),
  title: name,
  /** The `refId` of the query that decides. Grafana requires it of a rule with `record` too. */
  condition: name,
  record: Type.Optional(
    Type.Object({ metric: name, from: name, targetDatasourceUid: Type.Optional(name) }),
  ),
  data: Type.Array(
    Type.Object({
      refId: name,
      datasourceUid: name,
      queryType: Type.Optional(name),
      relativeTimeRange: Type.Optional(
        Type.Object({
          from: Type.Integer({ minimum: 0, maximum: 1e9 }),
          to: Type.Integer({ minimum: 0, maximum: 1e9 }),
        }),
      ),
      model: json,
    }),
    { minItems: 1, maxItems: 20 },
  ),
  for: Type.Optional(duration),
  keepFiringFor: Type.Optional(duration),
  noDataState: Type.Optional(Type.Enum(['Alerting', 'NoData', 'OK', 'KeepLast'])),
  execErrState: Type.Optional(Type.Enum(['Alerting', 'Error', 'OK', 'KeepLast'])),
  isPaused: Type.Optional(Type.Boolean()),
  labels: map,
  annotations: map,
  notificationSettings: Type.Optional(Type.Object({ receiver: name, ...timing })),
});

export const alertRuleGroup = defineKind({
  ...part,
  kind: 'GrafanaAlertRuleGroup',
  plural: 'grafanaalertrulegroups',
  spec: Type.Object({
    ...common,
    name: Type.Optional(name),
    /** The title of the folder, which Grafana makes. */
    folder: name,
    interval: duration,
    rules: Type.Array(rule, { minItems: 1, maxItems: 100 }),
  }),
  samples: [
    {
      name: 'orders',
      spec: {
        instanceSelector,
        folder: 'Sales',
        interval: '1m',
        rules: [
          {
            uid: 'few-orders',
            title: 'Few orders',
            condition: 'A',
            data: [{ refId: 'A', datasourceUid: 'orders', model: { expr: 'sum(orders) < 5' } }],
            for: '5m',
            labels: { team: 'sales' },
          },
          {
            uid: 'all-orders',
            title: 'All orders',
            condition: 'A',
            record: { metric: 'all_orders', from: 'A', targetDatasourceUid: 'long-term' },
            data: [{ refId: 'A', datasourceUid: 'orders', model: { expr: 'sum(orders)' } }],
          },
        ],
      },
    },
  ],
  reads: { instances: selected },
  children({ name, namespace, spec, reads: { instances } }) {
    const { name: title = name, folder, interval } = spec;
    const rules = spec.rules.map(({ notificationSettings, ...one }) => ({
      ...one,
      ...(notificationSettings && { notification_settings: notificationSettings }),
    }));
    const body = dataOf({ groups: [{ name: title, folder, interval, rules }] });
    return targets({ name, namespace, spec }, 'rules', instances).map((one) =>
      child(secret, { ...one, body }),
    );
  },
});
