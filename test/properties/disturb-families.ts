import { horizontalPodAutoscaler } from '../../shared/kinds/child-types/small-groups.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { base64 } from '../reconcile/desired-child.ts';
import type { Live } from '../scenarios/api.ts';
import { apply, common, type Disturbance, patch, typeOf } from './disturb.ts';
import { disturbances } from './disturb-services.ts';
import { inContainer, workloads } from './disturb-workloads.ts';

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
  'data written as text': patch({ stringData: { GREETING_MESSAGE: 'Hi', other: 'theirs' } }),
  'data emptied': patch({ data: { GREETING_MESSAGE: '', username: '' } }),
  'nothing applied under our name': apply({}, 'serverless-reconciler'),
  'annotations removed': patch({ metadata: { annotations: null } }),
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
  'updated by hand': patch({ spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: null } } }),
  'update held back': patch({ spec: { updateStrategy: { rollingUpdate: { partition: 1 } } } }),
  'claims deleted with the set': patch({
    spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' } },
  }),
  'first ordinal changed': patch({ spec: { ordinals: { start: 1 } } }),
  'mount moved': patch(
    [
      {
        op: 'replace',
        path: '/spec/template/spec/containers/0/volumeMounts/0/mountPath',
        value: '/elsewhere',
      },
    ],
    { as: 'json' },
  ),
  'probe of another kind': inContainer({
    readinessProbe: { exec: null, tcpSocket: { port: 5432 }, httpGet: null },
  }),
};

const autoscalerV1 = { ...horizontalPodAutoscaler, version: 'v1' };
const older =
  (spec: JsonObject): Disturbance =>
  (api, live) =>
    api.patch(autoscalerV1, live.metadata.name, { spec });

const bounds = { minReplicas: 4, maxReplicas: 9 };
const autoscalers: Table = {
  ...common,
  'bounds changed': patch({ spec: bounds }),
  'bounds taken over': apply({
    spec: { ...bounds, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' } },
  }),
  'metrics removed': patch({ spec: { metrics: null } }),
  'bounds changed in v1': older({ minReplicas: 3, maxReplicas: 5 }),
  'target changed in v1': older({ targetCPUUtilizationPercentage: 50 }),
  'target removed in v1': older({ targetCPUUtilizationPercentage: null }),
  'bounds applied in v1': (api, live) => {
    const { scaleTargetRef } = live.spec as JsonObject;
    const spec = { maxReplicas: 6, scaleTargetRef } as JsonObject;
    return api.apply(autoscalerV1, live.metadata.name, { spec }, 'taker');
  },
  'behavior set': patch({ spec: { behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } } }),
  'metric added': patch(
    [
      {
        op: 'add',
        path: '/spec/metrics/-',
        value: {
          type: 'Resource',
          resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 60 } },
        },
      },
    ],
    { as: 'json' },
  ),
  'target renamed': patch({ spec: { scaleTargetRef: { name: 'other' } } }),
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
  'class removed': patch({ spec: { ingressClassName: null } }),
  'tls added': patch({ spec: { tls: [{ hosts: ['x.example.com'], secretName: 'other' }] } }),
  'default backend added': patch({ spec: { defaultBackend: openPath.backend } }),
  'host added as a rule': patch(
    [
      {
        op: 'add',
        path: '/spec/rules/-',
        value: { host: 'x.example.com', http: { paths: [openPath] } },
      },
    ],
    { as: 'json' },
  ),
  'rule put first': patch(
    [{ op: 'add', path: '/spec/rules/0', value: { http: { paths: [openPath] } } }],
    { as: 'json' },
  ),
  'rules removed': patch({ spec: { rules: null, defaultBackend: openPath.backend } }),
  'path type changed': patch(
    [{ op: 'replace', path: '/spec/rules/0/http/paths/0/pathType', value: 'Exact' }],
    { as: 'json' },
  ),
  'backend changed': patch(
    [{ op: 'replace', path: '/spec/rules/0/http/paths/0/backend', value: openPath.backend }],
    { as: 'json' },
  ),
  'snippet added': patch({
    metadata: { annotations: { [`${nginx}/configuration-snippet`]: 'return 200;' } },
  }),
  'annotations taken over': apply({
    metadata: { annotations: { [`${nginx}/auth-url`]: 'https://other.example.com' } },
    spec: { defaultBackend: openPath.backend },
  }),
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
