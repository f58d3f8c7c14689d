import { child, defineKind, secret, Type } from 'serverless-reconciler';
import { folderCount, folderFields, folderOf, folders } from '../folders.ts';
import { common, selected, targets } from '../selecting.ts';
import { dataOf, duration, instanceSelector, json, map, name, part, timing } from './part.ts';

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
  missingSeriesEvalsToResolve: Type.Optional(Type.Integer({ minimum: 0, maximum: 1e9 })),
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
    ...folderFields,
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
            missingSeriesEvalsToResolve: 2,
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
  reads: { instances: selected, folders },
  refuse: (spec) =>
    folderCount(spec) === 1 ? undefined : 'set one of folder, folderRef and folderUID',
  children({ name, namespace, spec, reads: { instances, folders } }) {
    const { name: title = name, interval } = spec;
    const { title: folder, blocked } = folderOf(spec, folders);
    const rules = spec.rules.map(
      ({ notificationSettings, missingSeriesEvalsToResolve: missing, ...one }) => ({
        ...one,
        missing_series_evals_to_resolve: missing,
        ...(notificationSettings && { notification_settings: notificationSettings }),
      }),
    );
    const body = dataOf({ groups: [{ name: title, folder, interval, rules }] });
    return targets({ name, namespace, spec }, 'rules', instances).map((one) =>
      child(secret, { ...one, ...(blocked && { blocked }), body }),
    );
  },
});
