import { present } from '../../shared/json.ts';
import { persistentVolumeClaim } from '../../shared/kinds/child-types/core.ts';
import type { JsonObject, ResourceType } from '../../shared/kubernetes.ts';
import { RefusedError } from '../../testing/user.ts';
import type { Api, Live, Patch } from '../scenarios/api.ts';
import { childTypes } from '../support/observe.ts';

/** One change of a child by another writer. */
export type Disturbance = (api: Api, live: Live) => Promise<unknown>;

/** Returns the type of a child by its kind. */
export const typeOf = ({ kind }: Live): ResourceType =>
  childTypes.find((type) => type.kind === kind) ?? persistentVolumeClaim;

export const patch =
  (body: unknown, how?: Patch): Disturbance =>
  (api, live) =>
    api.patch(typeOf(live), live.metadata.name, body, how);

export const apply =
  (fields: JsonObject): Disturbance =>
  (api, live) =>
    api.apply(typeOf(live), live.metadata.name, fields, 'taker');

/** Patches the first container, whatever its name, by a strategic merge. */
export const inContainer =
  (fields: JsonObject, manager?: string): Disturbance =>
  (api, live) => {
    const how = { as: 'strategic', ...present({ manager }) } as const;
    return patch(container(nameOfContainer(live), fields), how)(api, live);
  };

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

/** Changes of any child. */
export const common: Readonly<Record<string, Disturbance>> = {
  deleted: (api, live) => api.remove(typeOf(live), live.metadata.name),
  'deleted, and held by a finalizer': async (api, live) => {
    await patch({ metadata: { finalizers: ['other/hold'] } })(api, live);
    await common.deleted?.(api, live);
  },
  'labels stripped': patch({ metadata: { labels: null } }),
  'managed-by changed': patch({
    metadata: { labels: { 'app.kubernetes.io/managed-by': 'somebody' } },
  }),
  'instance label removed': patch({
    metadata: { labels: { 'app.kubernetes.io/instance': null } },
  }),
  'label and annotation added': patch({
    metadata: { labels: { 'other/label': 'x' }, annotations: { 'other/note': 'x' } },
  }),
  'labels taken over': apply({
    metadata: { labels: { 'app.kubernetes.io/managed-by': 'serverless-reconciler' } },
  }),
  'managedFields cleared': patch(
    [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }],
    { as: 'json' },
  ),
  'owner no longer blocks': patch(
    [{ op: 'replace', path: '/metadata/ownerReferences/0/blockOwnerDeletion', value: false }],
    { as: 'json' },
  ),
  orphaned: patch({ metadata: { ownerReferences: null } }),
  'controller removed': patch(
    [{ op: 'replace', path: '/metadata/ownerReferences/0/controller', value: false }],
    { as: 'json' },
  ),
};

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
  'replicas taken over': apply({ spec: { replicas: 7 } }),
};

const deployments: Readonly<Record<string, Disturbance>> = {
  ...workloads,
  'strategy changed': patch({ spec: { strategy: { type: 'Recreate', rollingUpdate: null } } }),
  'image taken over': apply(container('nginx', { image: 'nginx:latest' })),
  'same replicas set by others': patch({ spec: { replicas: 2 } }),
};

const services: Readonly<Record<string, Disturbance>> = {
  ...common,
  'port changed': patch([{ op: 'replace', path: '/spec/ports/0/port', value: 81 }], { as: 'json' }),
  'target port changed': patch([{ op: 'replace', path: '/spec/ports/0/targetPort', value: 8080 }], {
    as: 'json',
  }),
  'node port removed': patch([{ op: 'remove', path: '/spec/ports/0/nodePort' }], { as: 'json' }),
  'node port moved to another port': (api, live) =>
    patch({
      spec: {
        ports: [{ name: 'x', port: 8080, protocol: 'TCP', nodePort: nodePortOf(live) }],
      },
    })(api, live),
  'port named and one added': (api, live) =>
    patch({
      spec: {
        ports: [
          { name: 'http', port: 80, protocol: 'TCP', nodePort: nodePortOf(live) },
          { name: 'metrics', port: 9090, protocol: 'TCP' },
        ],
      },
    })(api, live),
  'udp added to tcp': (api, live) =>
    patch({
      spec: {
        ports: [
          { name: 'tcp', port: 80, protocol: 'TCP', nodePort: nodePortOf(live) },
          { name: 'udp', port: 80, protocol: 'UDP', nodePort: nodePortOf(live) },
        ],
      },
    })(api, live),
  'made internal': patch({ spec: { type: 'ClusterIP', ports: [{ port: 80, protocol: 'TCP' }] } }),
  'made a load balancer': patch({ spec: { type: 'LoadBalancer' } }),
  'selector widened': patch({ spec: { selector: { other: 'x' } } }),
  'selector taken over': apply({ spec: { selector: { app: 'theirs' } } }),
  'session affinity': patch({ spec: { sessionAffinity: 'ClientIP' } }),
};

const nodePortOf = ({ spec }: Live): number =>
  (spec as { readonly ports: readonly { readonly nodePort: number }[] }).ports[0]?.nodePort ?? 0;

export const disturbances: Readonly<Record<string, Readonly<Record<string, Disturbance>>>> = {
  Deployment: deployments,
  Service: services,
};

/** Makes the change, if the server accepts it. */
export async function disturb(api: Api, live: Live, name: string): Promise<void> {
  const act = disturbances[live.kind]?.[name];
  if (act !== undefined) await permitted(act(api, live));
}

/** Ignores that the server refuses an attempt. */
export async function permitted(attempt: Promise<unknown>): Promise<void> {
  try {
    await attempt;
  } catch (error) {
    if (!(error instanceof RefusedError) || error.status.code >= 500) throw error;
  }
}
