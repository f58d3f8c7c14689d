import { X509Certificate } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/schema';
import { ConfigError, isAddress } from '../environment.ts';
import { parseJson } from '../json.ts';
import type { Variable } from './variables.ts';

export type ClusterConfig = {
  readonly name: string;
  /** Set if CLUSTERS names the cluster. Audit entries that name only other clusters are then ignored. */
  readonly isNamed?: true;
} & (
  | { readonly context: string }
  | { readonly endpoint: string; readonly ca: string | undefined }
  /** The cluster in which this process runs. Uses the pod's service account. */
  | { readonly ownServer: string }
);

const choices = ['CLUSTER_CONTEXT', 'CLUSTER_ENDPOINT', 'CLUSTERS'] as const;

/** Returns the configured clusters; by default, the cluster that this process runs in. */
export function clustersOf(read: (name: Variable) => string): readonly ClusterConfig[] {
  const [context, endpoint, list] = choices.map(read) as [string, string, string];
  const ca = read('CLUSTER_CA');
  const chosen = choices.filter((name) => read(name) !== '');
  const host = read('KUBERNETES_SERVICE_HOST');
  if (chosen.length === 0 && ca === '' && host !== '') {
    // The kubelet writes IPv6 without brackets.
    const address = isIPv6(host) ? `[${host}]` : host;
    const ownServer = `https://${address}:${read('KUBERNETES_SERVICE_PORT')}`;
    return [{ name: 'in-cluster', ownServer }];
  }
  if (chosen.length !== 1)
    throw new ConfigError(
      `set exactly one of CLUSTER_CONTEXT (a context of the kubeconfig), CLUSTER_ENDPOINT (the host name of a managed cluster) and CLUSTERS (a list of several); currently set: ${chosen.join(', ') || 'none'}`,
    );
  if (ca !== '' && endpoint === '')
    throw new ConfigError(
      `CLUSTER_CA: only valid with CLUSTER_ENDPOINT, but ${chosen[0]} is set; remove CLUSTER_CA`,
    );
  if (list !== '') return listOf(list);
  if (context !== '') return [{ name: context, context }];
  return [{ name: endpoint, ...locationOf('', endpoint, ca) }];
}

/** Throws a ConfigError that names `entry`, such as `CLUSTERS "eu"`; without an entry, it names the variable. */
function locationOf(entry: string, endpoint: string, ca = '') {
  if (!isAddress(endpoint.replace(/^https:\/\//, '')))
    throw new ConfigError(
      `${entry || 'CLUSTER_ENDPOINT'}: "${endpoint}" is not a host name; write it as the cloud provider shows it, without a path`,
    );
  if (ca !== '' && !areCertificates(Buffer.from(ca, 'base64').toString()))
    throw new ConfigError(
      `${entry || 'CLUSTER_CA'}: not a certificate; give the PEM file in base64`,
    );
  return { endpoint, ca: ca === '' ? undefined : ca };
}

/** Requires complete certificates: Node's TLS skips an unreadable certificate, and may then trust no authority. */
function areCertificates(pem: string): boolean {
  const [, ...begun] = pem.split('-----BEGIN CERTIFICATE-----');
  try {
    for (const rest of begun) new X509Certificate(`-----BEGIN CERTIFICATE-----${rest}`);
    return begun.length > 0;
  } catch {
    return false;
  }
}

function listOf(text: string): readonly ClusterConfig[] {
  const list = parseList(text);
  const names = list.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new ConfigError(`CLUSTERS: two clusters are named "${twice}"`);
  return list.map(({ name, ...where }) =>
    'context' in where
      ? { name, isNamed: true, context: where.context }
      : { name, isNamed: true, ...locationOf(`CLUSTERS "${name}"`, where.endpoint, where.ca) },
  );
}

const name = Type.String({ minLength: 1 });
const strict = { additionalProperties: false };
const cluster = Type.Union([
  Type.Object({ name, context: name }, strict),
  Type.Object({ name, endpoint: name, ca: Type.Optional(Type.String()) }, strict),
]);

function parseList(text: string): readonly Static<typeof cluster>[] {
  const value = parseJson(text);
  const list = Array.isArray(value) && value.length > 0 ? value : [value];
  const other = list.findIndex((one) => !Check(cluster, one));
  if (other < 0 && list === value) return list;
  const what = list === value ? `entry ${other + 1} is not a cluster` : 'not a list of clusters';
  throw new ConfigError(
    `CLUSTERS: ${what}; write JSON such as [{"name": "eu", "endpoint": "…"}], each with a name, and with a context or an endpoint (and, if necessary, ca)`,
  );
}
