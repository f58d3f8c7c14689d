import { type Static, Type } from 'serverless-reconciler';
import { Affinity, Duration, Toleration } from 'serverless-reconciler/types';
import { resources, subdomain } from '../resources.ts';

const image = Type.Optional(
  Type.String({ pattern: '^[a-z0-9][a-zA-Z0-9._/:@-]*$', maxLength: 300 }),
);
const options = Type.Record(Type.String(), Type.String({ maxLength: 1000 }), { default: {} });
const count = (least: number, most: number, value: number) =>
  Type.Integer({ minimum: least, maximum: most, default: value });
const fields = {
  image,
  options,
  replicas: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  autoscale: Type.Optional(
    Type.Object({ minReplicas: count(1, 100, 1), maxReplicas: count(1, 100, 10) }),
  ),
};
/** A default next to a rule has to be complete. */
const storage = {
  type: 'memory' as const,
  options: {},
  cassandraCreateSchema: {
    enabled: true,
    datacenter: 'test',
    mode: 'prod' as const,
    timeout: '24h',
  },
  dependencies: { enabled: true, schedule: '55 23 * * *' },
  esIndexCleaner: { enabled: true, numberOfDays: 7, schedule: '55 23 * * *' },
};
const component = Type.Object(fields, { default: {} });
/** Minute, hour, day of the month, month and day of the week, each any, every so many, or a list of numbers. */
const cron = ['[1-5]?[0-9]', '1?[0-9]|2[0-3]', '[1-9]|[12][0-9]|3[01]', '[1-9]|1[0-2]', '[0-6]']
  .map((number) => `(\\*(/[1-9])?|(${number})(,(${number}))*)`)
  .join(' ');
const schedule = (value: string) =>
  Type.String({ pattern: `^${cron}$`, maxLength: 100, default: value });

export type Component = Static<typeof component>;

export const spec = Type.Object({
  strategy: Type.Enum(['allinone', 'production', 'streaming'], { default: 'allinone' }),
  version: Type.String({ pattern: '^[A-Za-z0-9._-]+$', maxLength: 100, default: '1.65.0' }),
  allInOne: component,
  collector: component,
  query: component,
  ingester: component,
  storage: Type.Object(
    {
      type: Type.Enum(['memory', 'cassandra', 'elasticsearch'], { default: 'memory' }),
      options,
      secretName: Type.Optional(subdomain),
      cassandraCreateSchema: Type.Object(
        {
          enabled: Type.Boolean({ default: true }),
          image,
          datacenter: Type.String({ minLength: 1, maxLength: 100, default: 'test' }),
          mode: Type.Enum(['prod', 'test'], { default: 'prod' }),
          traceTTL: Type.Optional(Duration),
          timeout: { ...Duration, default: '24h' },
          affinity: Type.Optional(Affinity),
        },
        { default: storage.cassandraCreateSchema },
      ),
      dependencies: Type.Object(
        { enabled: Type.Boolean({ default: true }), image, schedule: schedule('55 23 * * *') },
        { default: {} },
      ),
      esIndexCleaner: Type.Object(
        {
          enabled: Type.Boolean({ default: true }),
          image,
          numberOfDays: count(1, 10_000, 7),
          schedule: schedule('55 23 * * *'),
        },
        { default: {} },
      ),
    },
    { default: storage },
  ),
  /** Files in JSON. */
  sampling: Type.String({ maxLength: 50_000, default: '{}' }),
  ui: Type.String({ maxLength: 50_000, default: '{}' }),
  ingress: Type.Object(
    {
      enabled: Type.Boolean({ default: true }),
      host: Type.Optional(subdomain),
      ingressClassName: Type.Optional(
        Type.String({ pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$', maxLength: 63 }),
      ),
    },
    { default: {} },
  ),
  resources,
  affinity: Type.Optional(Affinity),
  tolerations: Type.Optional(Type.Array(Toleration, { maxItems: 32 })),
});

export type Spec = Static<typeof spec>;
