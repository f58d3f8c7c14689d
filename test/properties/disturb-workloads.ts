import { present } from '../../shared/json.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import type { Live } from '../scenarios/api.ts';
import { apply, common, type Disturbance, patch, typeOf } from './disturb.ts';

/** Patches the first container, whatever its name, by a strategic merge. */
export const inContainer =
  (fields: JsonObject, manager?: string): Disturbance =>
  (api, live) => {
    const how = { as: 'strategic', ...present({ manager }) } as const;
    return patch(container(nameOfContainer(live), fields), how)(api, live);
  };

/** Patches the template's pods by a strategic merge. */
const inPod = (fields: JsonObject): Disturbance =>
  patch({ spec: { template: { spec: fields } } }, { as: 'strategic' });

const nameOfContainer = ({ spec }: Live): string =>
  (spec as unknown as PodOwner).template.spec.containers[0]?.name ?? '';

interface PodOwner {
  readonly template: {
    readonly spec: { readonly containers: readonly { readonly name: string }[] };
  };
}

const container = (name: string, fields: JsonObject): JsonObject => ({
  spec: { template: { spec: { containers: [{ name, ...fields }] } } },
});

const path = '/spec/template/spec/containers/0';

/** Changes of any workload. */
export const workloads: Readonly<Record<string, Disturbance>> = {
  ...common,
  'image changed': inContainer({ image: 'other:1' }),
  'image changed under our name': inContainer({ image: 'other:2' }, 'serverless-reconciler'),
  scaled: (api, live) => api.scale(typeOf(live), live.metadata.name, 4),
  'scaled to nothing': (api, live) => api.scale(typeOf(live), live.metadata.name, 0),
  'template label added': patch({
    spec: { template: { metadata: { labels: { 'other/label': 'x' } } } },
  }),
  'sidecar added': patch(
    { spec: { template: { spec: { containers: [{ name: 'sidecar', image: 'sidecar:1' }] } } } },
    { as: 'strategic' },
  ),
  'container replaced': patch(
    [{ op: 'replace', path, value: { name: 'impostor', image: 'impostor:1' } }],
    { as: 'json' },
  ),
  'env added': inContainer({ env: [{ name: 'OTHER', value: 'x' }] }),
  'ports removed': patch([{ op: 'remove', path: `${path}/ports` }], { as: 'json' }),
  restarted: patch(
    {
      spec: {
        template: {
          metadata: {
            annotations: { 'kubectl.kubernetes.io/restartedAt': '2026-11-29T00:00:00Z' },
          },
        },
      },
    },
    { as: 'strategic', manager: 'kubectl-rollout' },
  ),
  'sidecar put first': patch(
    [
      {
        op: 'add',
        path: '/spec/template/spec/containers/0',
        value: { name: 'first', image: 'sidecar:1' },
      },
    ],
    { as: 'json' },
  ),
  'containers reversed': (api, live) => {
    const { containers } = (live.spec as unknown as PodOwner).template.spec;
    const value = containers.toReversed();
    return patch([{ op: 'replace', path: '/spec/template/spec/containers', value }], {
      as: 'json',
    })(api, live);
  },
  'container renamed': patch([{ op: 'replace', path: `${path}/name`, value: 'other' }], {
    as: 'json',
  }),
  'init container added': inPod({ initContainers: [{ name: 'init', image: 'init:1' }] }),
  'service account set': inPod({ serviceAccountName: 'other' }),
  'host network': inPod({ hostNetwork: true }),
  'node selector set': inPod({ nodeSelector: { 'other/label': 'x' } }),
  'pull secret added': inPod({ imagePullSecrets: [{ name: 'other' }] }),
  'grace period set': inPod({ terminationGracePeriodSeconds: 5 }),
  'pods secured': inPod({ securityContext: { runAsNonRoot: true, fsGroup: 1000 } }),
  'volume mounted': (api, live) =>
    inPod({
      volumes: [{ name: 'other', emptyDir: {} }],
      containers: [
        { name: nameOfContainer(live), volumeMounts: [{ name: 'other', mountPath: '/other' }] },
      ],
    })(api, live),
  'resources set': inContainer({
    resources: { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1' } },
  }),
  'probe added': inContainer({ livenessProbe: { httpGet: { path: '/', port: 80 } } }),
  'command set': inContainer({ command: ['sh'], args: ['-c', 'true'] }),
  'pull policy changed': inContainer({ imagePullPolicy: 'Never' }),
  'container port added': inContainer({ ports: [{ containerPort: 9999, name: 'other' }] }),
  'udp port added': inContainer({ ports: [{ containerPort: 80, protocol: 'UDP' }] }),
  'port named': patch([{ op: 'add', path: `${path}/ports/0/name`, value: 'web' }], { as: 'json' }),
  'port published': patch([{ op: 'add', path: `${path}/ports/0/hostPort`, value: 8080 }], {
    as: 'json',
  }),
  'environment from a Secret': inContainer({ envFrom: [{ secretRef: { name: 'other' } }] }),
  'history limited': patch({ spec: { revisionHistoryLimit: 1 } }),
  'readiness delayed': patch({ spec: { minReadySeconds: 1 } }),
  'condition written': patch(
    { status: { conditions: [{ type: 'Other', status: 'True', reason: 'X', message: 'x' }] } },
    { subresource: 'status' },
  ),
  'replicas taken over': apply({ spec: { replicas: 7 } }),
};

export const deployments: Readonly<Record<string, Disturbance>> = {
  ...workloads,
  'strategy changed': patch({ spec: { strategy: { type: 'Recreate', rollingUpdate: null } } }),
  'image taken over': apply(container('nginx', { image: 'nginx:latest' })),
  'same replicas set by others': patch({ spec: { replicas: 2 } }),
  paused: patch({ spec: { paused: true } }),
  resumed: patch({ spec: { paused: null } }),
  'surge changed': patch({
    spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } },
  }),
  'deadline changed': patch({ spec: { progressDeadlineSeconds: 60 } }),
};
