import type { JsonObject } from '../../shared/kubernetes.ts';
import { base64 } from '../reconcile/desired-child.ts';
import type { Live } from '../scenarios/api.ts';
import {
  apply,
  common,
  type Disturbance,
  disturbances,
  inContainer,
  patch,
  typeOf,
  workloads,
} from './disturb.ts';

type Table = Readonly<Record<string, Disturbance>>;

/** Replaces our object with a foreign one of the same name. */
const usurp =
  (labelled: boolean): Disturbance =>
  async (api, live) => {
    const type = typeOf(live);
    const { name, labels } = live.metadata;
    await api.remove(type, name);
    await api.create(type, name, {
      ...(labelled ? { metadata: { labels: labels ?? {} } } : {}),
      ...bodyOf(live),
    });
  };

function bodyOf({ kind, spec = {} }: Live): JsonObject {
  if (kind === 'Secret') return { data: { theirs: base64('theirs') } };
  if (kind === 'Service') return { spec: { ports: [{ port: 1 }] } };
  return { spec };
}

const usurpations: Table = { usurped: usurp(false), 'usurped by a lookalike': usurp(true) };

const secrets: Table = {
  ...common,
  'data changed': patch({ data: { GREETING_MESSAGE: base64('Evil'), username: base64('root') } }),
  'data removed': patch({ data: { GREETING_MESSAGE: null, database: null } }),
  'all data removed': patch({ data: null }),
  'password removed': patch({ data: { password: null } }),
  'data added': patch({ data: { other: base64('theirs') } }),
  'data taken over': apply({ data: { GREETING_MESSAGE: base64('Hello'), username: base64('x') } }),
};

const statefulSets: Table = {
  ...workloads,
  'variable given a value': inContainer({
    env: [{ name: 'POSTGRES_USER', value: 'root', valueFrom: null }],
  }),
  'probe removed': inContainer({ readinessProbe: null }),
  'quantities changed': inContainer({
    resources: { limits: { cpu: '3' }, requests: { cpu: '1' } },
  }),
};

const bounds = { minReplicas: 4, maxReplicas: 9 };
const autoscalers: Table = {
  ...common,
  'bounds changed': patch({ spec: bounds }),
  'bounds taken over': apply({
    spec: { ...bounds, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' } },
  }),
  'metrics removed': patch({ spec: { metrics: null } }),
};

const nginx = 'nginx.ingress.kubernetes.io';
const openPath = {
  path: '/everything',
  pathType: 'ImplementationSpecific',
  backend: { service: { name: 'theirs', port: { number: 80 } } },
};
const ingresses: Table = {
  ...common,
  'authorization removed': patch({ metadata: { annotations: { [`${nginx}/auth-url`]: null } } }),
  'annotations removed': patch({ metadata: { annotations: null } }),
  'path added': patch([{ op: 'add', path: '/spec/rules/0/http/paths/-', value: openPath }], {
    as: 'json',
  }),
  'path removed': patch([{ op: 'remove', path: '/spec/rules/0/http/paths/0' }], { as: 'json' }),
  'host added': patch([{ op: 'add', path: '/spec/rules/0/host', value: 'x.example.com' }], {
    as: 'json',
  }),
  'class changed': patch({ spec: { ingressClassName: 'other' } }),
};

/** Changes of a child, by its kind. */
export const familyDisturbances: Readonly<Record<string, Table>> = {
  Deployment: { ...disturbances.Deployment, ...usurpations },
  Service: { ...disturbances.Service, ...usurpations },
  Secret: { ...secrets, ...usurpations },
  StatefulSet: { ...statefulSets, ...usurpations },
  HorizontalPodAutoscaler: { ...autoscalers, ...usurpations },
  Ingress: { ...ingresses, ...usurpations },
  PersistentVolumeClaim: { deleted: common.deleted as Disturbance },
};
