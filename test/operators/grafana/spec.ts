import { immutable, immutableOptional, type Static, Type, withRules } from 'serverless-reconciler';
import { EnvFromSource, EnvVar } from 'serverless-reconciler/types';
import { podFields, subdomain } from '../resources.ts';

/** A claim of nothing is refused. */
const size = Type.String({ pattern: '^[1-9][0-9]{0,8}[MGT]i$' });
const name = Type.String({ pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$', maxLength: 63 });

export const spec = Type.Object({
  version: Type.String({ pattern: '^[A-Za-z0-9._-]+$', maxLength: 100, default: '12.3.0' }),
  /** Sections of grafana.ini. */
  config: Type.Record(
    Type.String(),
    Type.Record(Type.String(), Type.String({ pattern: '^[^\\r\\n]*$' })),
    { default: {} },
  ),
  replicas: Type.Integer({ minimum: 0, maximum: 20, default: 1 }),
  ...podFields,
  env: Type.Optional(Type.Array(EnvVar, { maxItems: 64 })),
  envFrom: Type.Optional(Type.Array(EnvFromSource, { maxItems: 16 })),
  preferences: Type.Optional(
    Type.Object({ homeDashboardUid: Type.String({ minLength: 1, maxLength: 40 }) }),
  ),
  persistentVolumeClaim: Type.Optional(
    Type.Object(
      { storage: size, storageClassName: Type.Optional(name) },
      withRules(immutable('storage'), immutableOptional('storageClassName')),
    ),
  ),
  ingress: Type.Optional(Type.Object({ host: subdomain, ingressClassName: Type.Optional(name) })),
  disableDefaultAdminSecret: Type.Boolean({ default: false }),
});

export type Spec = Static<typeof spec>;
