import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { ConfigError } from './error.ts';

/** Where a cluster is; its name tells it from others. */
export type ClusterConfig = { readonly name: string } & (
  | { readonly context: string }
  | { readonly endpoint: string; readonly ca: string | undefined }
);

type Variable = 'CLUSTER_CONTEXT' | 'CLUSTER_ENDPOINT' | 'CLUSTER_CA' | 'CLUSTERS';

/** The clusters that CLUSTER_CONTEXT, CLUSTER_ENDPOINT and CLUSTER_CA, or CLUSTERS name. Throws a ConfigError. */
export function clustersOf(read: (name: Variable) => string): readonly ClusterConfig[] {
  const [context, endpoint, list] = [
    read('CLUSTER_CONTEXT'),
    read('CLUSTER_ENDPOINT'),
    read('CLUSTERS'),
  ];
  if ([context, endpoint, list].filter((given) => given !== '').length !== 1) {
    throw new ConfigError(
      'set either CLUSTER_CONTEXT (a context of the kubeconfig), CLUSTER_ENDPOINT (a DNS endpoint on Google Cloud) or CLUSTERS (a list of several)',
    );
  }
  if (list !== '') return listOf(list);
  if (context !== '') return [{ name: context, context }];
  return [{ name: endpoint, ...placeOf('', endpoint, read('CLUSTER_CA')) }];
}

/** `of` says which of several a wrong value belongs to. */
function placeOf(of: string, endpoint: string, ca: string) {
  if (!/^(https:\/\/)?[A-Za-z0-9.:-]+$/.test(endpoint)) {
    throw new ConfigError(
      `${of === '' ? 'CLUSTER_ENDPOINT' : of}: "${endpoint}" is no host name; write it as in the cluster's description, without a path`,
    );
  }
  if (ca !== '' && !Buffer.from(ca, 'base64').includes('-----BEGIN CERTIFICATE-----')) {
    throw new ConfigError(
      `${of === '' ? 'CLUSTER_CA' : of}: this is no certificate; give the PEM file in base64`,
    );
  }
  return { endpoint, ca: ca === '' ? undefined : ca };
}

function listOf(text: string): readonly ClusterConfig[] {
  const list = Value.Parse(clusterList, parseList(text));
  const names = list.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new ConfigError(`CLUSTERS: there are two of the name "${twice}"`);
  return list.map(({ name, context = '', endpoint = '', ca = '' }) => {
    if ((context === '') === (endpoint === ''))
      throw new ConfigError(`CLUSTERS: "${name}" needs either an endpoint or a context`);
    return context === ''
      ? { name, ...placeOf(`CLUSTERS "${name}"`, endpoint, ca) }
      : { name, context };
  });
}

const clusterList = Type.Array(
  Type.Object(
    {
      name: Type.String({ minLength: 1 }),
      context: Type.Optional(Type.String()),
      endpoint: Type.Optional(Type.String()),
      ca: Type.Optional(Type.String()),
    },
    { additionalProperties: false },
  ),
  { minItems: 1 },
);

function parseList(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (Value.Check(clusterList, value)) return value;
  } catch {
    // Told below, as any other wrong value.
  }
  throw new ConfigError(
    'CLUSTERS: this is no JSON list of clusters; write [{"name": "eu", "endpoint": "…"}], each with a name and an endpoint (and ca) or a context',
  );
}
