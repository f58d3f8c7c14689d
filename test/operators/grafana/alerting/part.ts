import { secret, Type } from 'serverless-reconciler';
import { alertingKey } from '../labels.ts';
import { names } from '../selecting.ts';
import { textOf } from '../values.ts';

export const name = Type.String({ minLength: 1, maxLength: 190 });
export const count = { maxItems: 50 };
export const strings = Type.Optional(Type.Array(name, count));
export const map = Type.Optional(Type.Record(Type.String(), Type.String()));
export const json = Type.Record(Type.String(), Type.Unknown());
/** Such as `90s` or `1h30m`. */
export const duration = Type.String({ pattern: '^([0-9]+[smhdw])+$', maxLength: 30 });
export const instanceSelector = { matchLabels: { team: 'shop' } };

/** How alerts are grouped, and when they are sent. */
export const timing = {
  group_by: strings,
  group_wait: Type.Optional(duration),
  group_interval: Type.Optional(duration),
  repeat_interval: Type.Optional(duration),
  mute_time_intervals: strings,
  active_time_intervals: strings,
};

/** A part of Grafana's alerting, for every Grafana that its selector finds: each reads a Secret of its own. */
export const part = {
  ...names,
  owns: [secret],
  status: { instances: Type.Optional(Type.Integer()) },
  statusOf: ({ children }: { readonly children: readonly unknown[] }) => ({
    instances: children.length,
  }),
  columns: [{ name: 'Instances', type: 'integer', jsonPath: '.status.instances' }],
} as const;

export const dataOf = (content: object) => ({
  data: { [alertingKey]: Buffer.from(textOf(content)).toString('base64') },
});
