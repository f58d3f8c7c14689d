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

/** Of resync, as modules/settings has it. */
const longestDeadline = 1740;

const forms = {
  project: {
    form: /^[a-z][a-z0-9-]{4,28}[a-z0-9]$/,
    want: "a project's ID: 6 to 30 lower-case letters, digits and dashes",
  },
  location: {
    form: /^[a-z]+-[a-z]+[0-9]+(-[a-z])?$/,
    want: 'a region, as europe-west1, or a zone, as europe-west1-b',
  },
  cluster: {
    form: /^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$/,
    want: "a cluster's name: up to 40 lower-case letters, digits and dashes",
  },
} as const;

/** The cluster that the options name. Throws a UsageError for what Google Cloud, and so Terraform, refuses. */
export function clusterNameOf({ project, location, cluster }: ClusterName): ClusterName {
  const place = { project, location, cluster };
  for (const option of ['project', 'location', 'cluster'] as const) {
    const { form, want } = forms[option];
    if (!form.test(place[option]))
      throw new UsageError(`--${option}: "${place[option]}" is not ${want}`);
  }
  return place;
}

/** Terraform's variables for one cluster, from the environment that a command works with. */
export function terraformVariables(
  { project, location, cluster: name }: ClusterName,
  env: Environment,
  { kinds, namespaces, deadlineSeconds, fanOut }: Config,
) {
  const read = (variable: string): string => env[variable]?.trim() ?? '';
  const endpoint = read('CLUSTER_ENDPOINT').replace(/^https:\/\//, '');
  if (endpoint === '')
    throw new UsageError(
      `CLUSTER_ENDPOINT: the DNS endpoint of the cluster is missing; it is what gcloud container clusters describe ${name} --location ${location} --project ${project} --format "value(controlPlaneEndpointsConfig.dnsEndpointConfig.endpoint)" says`,
    );
  if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(endpoint))
    throw new UsageError(`CLUSTER_ENDPOINT: "${endpoint}" is no DNS endpoint: give the host alone`);
  if (deadlineSeconds > longestDeadline)
    throw new UsageError(
      `DEADLINE_SECONDS: ${deadlineSeconds} is more than ${longestDeadline}: Cloud Scheduler waits 30 minutes at most`,
    );
  const ca = read('CLUSTER_CA');
  const given = handedOn.filter((variable) => read(variable) !== '');
  return {
    project,
    clusters: [{ name, location, endpoint, ...(ca === '' ? {} : { ca }) }],
    ...(read('KINDS') === '' ? {} : { kinds: kinds.map(({ kind }) => kind) }),
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(read('DEADLINE_SECONDS') === '' ? {} : { deadline_seconds: { resync: deadlineSeconds } }),
    // Terraform makes the topic itself, by a name of its own.
    ...(fanOut === undefined ? {} : { fan_out: true }),
    ...(given.length === 0
      ? {}
      : { environment: Object.fromEntries(given.map((variable) => [variable, read(variable)])) }),
  };
}
