import { deployment, service } from '../../shared/kinds/child-types.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { type Api, type Live, type Patch, RefusedError } from '../scenarios/api.ts';

/** One thing somebody else does to a child. */
export type Disturbance = (api: Api, live: Live) => Promise<unknown>;

const patch =
  (body: unknown, how?: Patch): Disturbance =>
  (api, { kind, metadata: { name } }) =>
    api.patch(kind === 'Service' ? service : deployment, name, body, how);

const apply =
  (fields: JsonObject): Disturbance =>
  (api, { kind, metadata: { name } }) =>
    api.apply(kind === 'Service' ? service : deployment, name, fields, 'taker');

const container = (fields: JsonObject): JsonObject => ({
  spec: { template: { spec: { containers: [{ name: 'nginx', ...fields }] } } },
});

const path = '/spec/template/spec/containers/0';

/** What may happen to either kind of child. */
const common: Readonly<Record<string, Disturbance>> = {
  deleted: (api, { kind, metadata: { name } }) =>
    api.remove(kind === 'Service' ? service : deployment, name),
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
  'controller taken away': patch(
    [{ op: 'replace', path: '/metadata/ownerReferences/0/controller', value: false }],
    { as: 'json' },
  ),
};

const deployments: Readonly<Record<string, Disturbance>> = {
  ...common,
  'image changed': patch(container({ image: 'other:1' }), { as: 'strategic' }),
  'image changed under our name': patch(container({ image: 'other:2' }), {
    as: 'strategic',
    manager: 'serverless-reconciler',
  }),
  scaled: (api, { metadata: { name } }) => api.scale(deployment, name, 4),
  'scaled to nothing': (api, { metadata: { name } }) => api.scale(deployment, name, 0),
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
  'env added': patch(container({ env: [{ name: 'OTHER', value: 'x' }] }), { as: 'strategic' }),
  'ports removed': patch([{ op: 'remove', path: `${path}/ports` }], { as: 'json' }),
  'strategy changed': patch({ spec: { strategy: { type: 'Recreate', rollingUpdate: null } } }),
  'replicas taken over': apply({ spec: { replicas: 7 } }),
  'image taken over': apply(container({ image: 'nginx:latest' })),
  'same replicas by another': patch({ spec: { replicas: 2 } }),
};

const services: Readonly<Record<string, Disturbance>> = {
  ...common,
  'port changed': patch([{ op: 'replace', path: '/spec/ports/0/port', value: 81 }], { as: 'json' }),
  'target port changed': patch([{ op: 'replace', path: '/spec/ports/0/targetPort', value: 8080 }], {
    as: 'json',
  }),
  'node port given up': patch([{ op: 'remove', path: '/spec/ports/0/nodePort' }], { as: 'json' }),
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
  'udp beside tcp': (api, live) =>
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

export const disturbances = { Deployment: deployments, Service: services } as const;

/** Does it, if the server lets it. */
export async function disturb(api: Api, live: Live, name: string): Promise<void> {
  const act = (live.kind === 'Service' ? services : deployments)[name];
  if (act !== undefined) await permitted(act(api, live));
}

/** What the server refuses did not happen. */
export async function permitted(attempt: Promise<unknown>): Promise<void> {
  try {
    await attempt;
  } catch (error) {
    if (!(error instanceof RefusedError) || error.status.code >= 500) throw error;
  }
}
