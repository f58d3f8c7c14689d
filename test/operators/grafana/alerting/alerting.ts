import { child, defineKind, digestOf, type Static, secret, Type } from 'serverless-reconciler';
import { alertingKey } from '../labels.ts';
import { common, selected, targets, uid } from '../selecting.ts';
import { blockedBy, fileWith, filled, refuseValues, sourcesOf, valuesFrom } from '../values.ts';
import { count, dataOf, instanceSelector, json, name, part, strings } from './part.ts';
import { notificationPolicy } from './policies.ts';
import { alertRuleGroup } from './rules.ts';

const receiver = Type.Object({
  uid,
  type: name,
  settings: json,
  disableResolveMessage: Type.Optional(Type.Boolean()),
  /** Each value becomes a field of the settings. */
  valuesFrom,
});
const contactSpec = Type.Object({
  ...common,
  name: Type.Optional(name),
  receivers: Type.Array(receiver, { minItems: 1, maxItems: 99 }),
});
const valuesOf = ({ receivers }: Static<typeof contactSpec>) =>
  receivers.flatMap((one) => one.valuesFrom);

export const contactPoint = defineKind({
  ...part,
  kind: 'GrafanaContactPoint',
  plural: 'grafanacontactpoints',
  spec: contactSpec,
  samples: [
    {
      name: 'pager',
      spec: {
        instanceSelector,
        receivers: [
          {
            type: 'webhook',
            settings: { url: 'https://pager.example.org' },
            valuesFrom: [
              {
                targetPath: 'authorization_credentials',
                valueFrom: { secretKeyRef: { name: 'orders', key: 'password' } },
              },
            ],
          },
          { type: 'email', settings: { addresses: 'sales@example.org' } },
        ],
      },
    },
  ],
  reads: { instances: selected, ...sourcesOf(valuesOf) },
  refuse: (spec) => refuseValues(valuesOf(spec)),
  children({ name, namespace, spec, reads: { instances, ...read } }) {
    const receivers = spec.receivers.map(({ uid, settings, valuesFrom, ...rest }, at) => ({
      ...rest,
      uid: uid ?? digestOf([namespace, name, at]).slice(0, 16),
      settings: filled(settings, { valuesFrom, read, replaces: true }),
    }));
    const file = fileWith({ contactPoints: [{ name: spec.name ?? name, receivers }] });
    return targets({ name, namespace, spec }, 'contact', instances).map((one) =>
      child(secret, {
        ...one,
        ...blockedBy(valuesOf(spec), read),
        body: {},
        templates: { [alertingKey]: file },
      }),
    );
  },
});

export const notificationTemplate = defineKind({
  ...part,
  kind: 'GrafanaNotificationTemplate',
  plural: 'grafananotificationtemplates',
  spec: Type.Object({
    ...common,
    name: Type.Optional(name),
    template: Type.String({ minLength: 1, maxLength: 100_000 }),
  }),
  samples: [
    {
      name: 'short',
      spec: {
        instanceSelector,
        template: '{{ define "short" }}{{ .CommonLabels.team }}{{ end }}',
      },
    },
  ],
  reads: { instances: selected },
  children({ name, namespace, spec, reads: { instances } }) {
    const body = dataOf({ templates: [{ name: spec.name ?? name, template: spec.template }] });
    return targets({ name, namespace, spec }, 'template', instances).map((one) =>
      child(secret, { ...one, body }),
    );
  },
});

const clock = Type.String({ pattern: '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$' });
const interval = Type.Object({
  times: Type.Optional(Type.Array(Type.Object({ start_time: clock, end_time: clock }), count)),
  weekdays: strings,
  days_of_month: strings,
  months: strings,
  years: strings,
  location: Type.Optional(name),
});

export const muteTiming = defineKind({
  ...part,
  kind: 'GrafanaMuteTiming',
  plural: 'grafanamutetimings',
  spec: Type.Object({
    ...common,
    name: Type.Optional(name),
    time_intervals: Type.Array(interval, { minItems: 1, maxItems: 50 }),
  }),
  samples: [
    {
      name: 'weekend',
      spec: { instanceSelector, time_intervals: [{ weekdays: ['saturday:sunday'] }] },
    },
  ],
  reads: { instances: selected },
  children({ name, namespace, spec, reads: { instances } }) {
    const { name: title = name, time_intervals } = spec;
    const body = dataOf({ muteTimes: [{ name: title, time_intervals }] });
    return targets({ name, namespace, spec }, 'mute', instances).map((one) =>
      child(secret, { ...one, body }),
    );
  },
});

export const alerting = [
  alertRuleGroup,
  contactPoint,
  notificationPolicy,
  notificationTemplate,
  muteTiming,
];
