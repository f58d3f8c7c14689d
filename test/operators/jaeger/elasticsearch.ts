import { type Child, child, defineChildType } from 'serverless-reconciler';
import { textsOf } from './options.ts';
import type { Spec } from './spec.ts';

/** A cluster that OpenShift's operator makes. It serves requests unless its health is red. */
export const elasticsearch = defineChildType<{ spec: object }>({
  group: 'logging.openshift.io',
  version: 'v1',
  kind: 'Elasticsearch',
  plural: 'elasticsearches',
  readiness({ status }) {
    const { cluster } = (status ?? {}) as { cluster?: { status?: unknown } };
    return cluster?.status === 'green' || cluster?.status === 'yellow'
      ? { state: 'Current' }
      : { state: 'InProgress', message: 'its cluster is not healthy yet' };
  },
});

const isUsed = ({ platform, storage }: Spec): boolean =>
  platform === 'openshift' &&
  storage.type === 'elasticsearch' &&
  !('es.server-urls' in storage.options);

/** An Elasticsearch, unless the options or `doNotProvision` say that there is one. */
export function elasticsearches(name: string, spec: Spec): readonly Child[] {
  const { doNotProvision, ...given } = spec.storage.elasticsearch;
  if (!isUsed(spec) || doNotProvision) return [];
  const { nodeCount, storage, nodeSelector, ...nodeSpec } = given;
  const { image, resources = large, proxyResources, tolerations } = nodeSpec;
  const id = name.replaceAll(/[^a-z0-9]/g, '');
  const nodes = (count: number, roles: readonly string[], genUUID: string) => ({
    nodeCount: count,
    roles: [...roles, 'client', 'data'],
    genUUID,
    storage,
    nodeSelector,
  });
  return [
    child(elasticsearch, {
      name: given.name,
      annotations: {
        'logging.openshift.io/elasticsearch-cert-management': 'true',
        [`logging.openshift.io/elasticsearch-cert.${certificateOf(spec)}`]: 'user.jaeger',
      },
      body: {
        spec: {
          managementState: 'Managed',
          redundancyPolicy: policyOf(given),
          nodeSpec: { image, resources, proxyResources, tolerations },
          // At most three may become master.
          nodes: [
            nodes(Math.min(nodeCount, 3), ['master'], `${id}master`),
            ...(nodeCount > 3 ? [nodes(nodeCount - 3, [], id)] : []),
          ],
        },
      },
    }),
  ];
}

/** The name of an Elasticsearch that others made and resize. */
export const sharedName = (spec: Spec): string | undefined =>
  isUsed(spec) && spec.storage.elasticsearch.doNotProvision
    ? spec.storage.elasticsearch.name
    : undefined;

/** Returns the spec with as many nodes as that Elasticsearch has. */
export function withSharedNodes(spec: Spec, found: { readonly spec?: object } | undefined): Spec {
  const { nodes = [] } = (found?.spec ?? {}) as { readonly nodes?: readonly Nodes[] };
  const nodeCount = nodes.reduce((sum, { nodeCount = 0 }) => sum + nodeCount, 0);
  if (nodeCount === 0) return spec;
  const elasticsearch = { ...spec.storage.elasticsearch, nodeCount };
  return { ...spec, storage: { ...spec.storage, elasticsearch } };
}

interface Nodes {
  readonly nodeCount?: number;
}

const large = {
  requests: { cpu: '1', memory: '16Gi' },
  limits: { memory: '16Gi' },
};

const policyOf = ({
  redundancyPolicy,
  nodeCount,
}: Pick<Spec['storage']['elasticsearch'], 'redundancyPolicy' | 'nodeCount'>) =>
  redundancyPolicy ?? (nodeCount === 1 ? 'ZeroRedundancy' : 'SingleRedundancy');

/** The Secret into which that operator writes a client certificate for `user.jaeger`. */
const certificateOf = ({ storage }: Spec): string => `jaeger-${storage.elasticsearch.name}`;

const folder = '/certs';

/** Returns the spec with the options and files by which processes and Jobs use that Elasticsearch. */
export function withElasticsearch(spec: Spec): Spec {
  if (!isUsed(spec)) return spec;
  const { options, elasticsearch: given } = spec.storage;
  const client = {
    'server-urls': `https://${given.name}:9200`,
    'tls.enabled': 'true',
    'tls.ca': `${folder}/ca-bundle.crt`,
    'tls.cert': `${folder}/tls.crt`,
    'tls.key': `${folder}/tls.key`,
    timeout: '15s',
    'num-shards': String(given.nodeCount),
    'num-replicas': String(copies(given)),
  };
  const prefixes =
    textsOf(options)['es-archive.enabled'] === 'true' ? ['es', 'es-archive'] : ['es'];
  const clients = prefixes.flatMap((prefix) =>
    Object.entries(client).map(([key, value]) => [`${prefix}.${key}`, value]),
  );
  const name = 'elasticsearch-certs';
  return {
    ...spec,
    storage: {
      ...spec.storage,
      options: { ...Object.fromEntries(clients), ...options },
    },
    volumes: [...(spec.volumes ?? []), { name, secret: { secretName: certificateOf(spec) } }],
    volumeMounts: [...(spec.volumeMounts ?? []), { name, mountPath: folder, readOnly: true }],
  };
}

/** How many copies of a shard the policy asks for. */
function copies(given: Spec['storage']['elasticsearch']): number {
  const policy = policyOf(given);
  if (policy === 'FullRedundancy') return given.nodeCount - 1;
  if (policy === 'MultipleRedundancy') return Math.floor((given.nodeCount - 1) / 2);
  return policy === 'ZeroRedundancy' ? 0 : 1;
}
