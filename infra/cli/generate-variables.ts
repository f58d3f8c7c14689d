import type { ClusterName } from '../../shared/audit/sink-filter.ts';
import type { Config } from '../../shared/config/config.ts';
import { UsageError } from './errors.ts';
import type { Environment } from './terminal.ts';

/** Those that Terraform hands on as they are; the others follow from its own variables. */
const handedOn = [
  'AUTH_URL',
  'CONCURRENCY',
  'DRY_RUN',
  'INGRESS_CLASS',
  'LOG_LEVEL',
  'PRUNE_LIMIT',
  'SETTLE_SECONDS',
];

/** Terraform's variables for one cluster, from the environment that a command works with. */
export function terraformVariables(
  { project, location, cluster: name }: ClusterName,
  env: Environment,
  { kinds, namespaces, deadlineSeconds }: Config,
) {
  const read = (variable: string): string => env[variable]?.trim() ?? '';
  const endpoint = read('CLUSTER_ENDPOINT').replace(/^https:\/\//, '');
  if (endpoint === '')
    throw new UsageError(
      `CLUSTER_ENDPOINT: the DNS endpoint of the cluster is missing; it is what gcloud container clusters describe ${name} --location ${location} --project ${project} --format "value(controlPlaneEndpointsConfig.dnsEndpointConfig.endpoint)" says`,
    );
  const ca = read('CLUSTER_CA');
  const given = handedOn.filter((variable) => read(variable) !== '');
  return {
    project,
    clusters: [{ name, location, endpoint, ...(ca === '' ? {} : { ca }) }],
    ...(read('KINDS') === '' ? {} : { kinds: kinds.map(({ kind }) => kind) }),
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(read('DEADLINE_SECONDS') === '' ? {} : { deadline_seconds: { resync: deadlineSeconds } }),
    ...(given.length === 0
      ? {}
      : { environment: Object.fromEntries(given.map((variable) => [variable, read(variable)])) }),
  };
}
