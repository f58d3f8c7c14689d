import { isIPv4 } from 'node:net';
import { clustersOf } from '../../shared/config/cluster-config.ts';
import type { Config } from '../../shared/config/config.ts';
import type { ReconcilerConfig } from '../../shared/config/define-config.ts';
import { platformVariables, type Variable, variables } from '../../shared/config/variables.ts';
import { ConfigError, type Environment, givenVariables } from '../../shared/environment.ts';
import { defaultIdentity, type Identity } from '../../shared/identity.ts';
import { present } from '../../shared/json.ts';
import type { ClusterName } from './audit/sink-filter.ts';

// The Terraform module modules/settings repeats the patterns below; test/terraform/forms.test.ts compares
// both copies.

/** Variables that the Terraform module derives from other inputs, or that the platform sets. */
const derived: readonly Variable[] = [
  'CLUSTER_CONTEXT',
  'CLUSTER_ENDPOINT',
  'CLUSTER_CA',
  'CLUSTERS',
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
  'KINDS',
  'NAMESPACES',
  'DEADLINE_SECONDS',
  'FAN_OUT_TOPIC',
  'RECORD_BUCKET',
  'OWN_IDENTITY',
  'ATTRIBUTE_REPAIRS',
  ...platformVariables,
];

/** Variables that the Terraform module passes on unchanged. The module passes on the settings of kinds, too. */
export const passedThrough = variables.filter((variable) => !derived.includes(variable));

/** The largest DEADLINE_SECONDS with which a resync ends before Cloud Scheduler gives up, after 30 minutes. */
export const longestDeadline = 1740;

/** Matches the host names that the Terraform module accepts. The functions also accept others. */
export const hostName = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z]([a-z0-9-]*[a-z0-9])?$/;

export const forms = {
  project: {
    form: /^[a-z][a-z0-9-]{4,28}[a-z0-9]$/,
    want: "a project's ID: 6 to 30 lower-case letters, digits and dashes",
  },
  region: {
    form: /^[a-z]+-[a-z]+[0-9]+$/,
    want: 'a region such as europe-west1 (functions have no zone)',
  },
  location: {
    form: /^[a-z]+-[a-z]+[0-9]+(-[a-z])?$/,
    want: 'a region such as europe-west1, or a zone such as europe-west1-b',
  },
  name: {
    form: /^[a-z][a-z0-9-]{4,22}[a-z0-9]$/,
    want: 'a name for the objects that Terraform creates: 6 to 24 lower-case letters, digits and dashes, because service accounts are named after it',
  },
  cluster: {
    form: /^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$/,
    want: "a cluster's name: up to 40 lower-case letters, digits and dashes",
  },
} as const;

export interface TerraformTarget extends ClusterName {
  readonly region?: string;
}

/** Throws a ConfigError for options that Google Cloud, and therefore Terraform, would refuse. */
export function requireLegalTarget(target: TerraformTarget): void {
  for (const option of ['project', 'location', 'cluster', 'region'] as const) {
    const text = target[option];
    const { form, want } = forms[option];
    if (text !== undefined && !form.test(text))
      throw new ConfigError(`--${option}: "${text}" is not ${want}`);
  }
}

/** Passes the reconciler's name to Terraform as the prefix of object names, unless it is the default name. */
function prefixOf({ name }: Identity): { readonly name?: string } {
  if (name === defaultIdentity.name) return {};
  if (forms.name.form.test(name)) return { name };
  throw new ConfigError(`name: "${name}" in the configuration is not ${forms.name.want}`);
}

export function terraformVariables(
  { project, region, location, cluster: name }: TerraformTarget,
  { settings }: Pick<ReconcilerConfig, 'settings'>,
  { env, config }: { readonly env: Environment; readonly config: Config },
) {
  const { kinds, namespaces, deadlineSeconds, platform } = config;
  const read = (variable: string): string => env[variable]?.trim() ?? '';
  const endpoint = read('CLUSTER_ENDPOINT').replace(/^https:\/\//, '');
  if (endpoint === '')
    throw new ConfigError(
      `CLUSTER_ENDPOINT: the DNS endpoint of the cluster is missing; to look it up: gcloud container clusters describe ${name} --location ${location} --project ${project} --format "value(controlPlaneEndpointsConfig.dnsEndpointConfig.endpoint)"`,
    );
  const ca = read('CLUSTER_CA');
  // Throws the error that the functions would throw at startup for this endpoint and CA.
  const alone: Environment = { CLUSTER_ENDPOINT: endpoint, CLUSTER_CA: ca };
  clustersOf((variable) => alone[variable] ?? '');
  if (!hostName.test(endpoint) && !isIPv4(endpoint))
    throw new ConfigError(
      `CLUSTER_ENDPOINT: "${endpoint}" is not a DNS endpoint: give only the host name`,
    );
  if (deadlineSeconds > longestDeadline)
    throw new ConfigError(
      `DEADLINE_SECONDS: ${deadlineSeconds} is more than ${longestDeadline}: Cloud Scheduler waits 30 minutes at most`,
    );
  const given = givenVariables([...passedThrough, ...settings], env);
  const ownSettings = settings.filter((variable) => variable in given);
  return {
    ...prefixOf(config.identity),
    project,
    ...present({ region }),
    clusters: [{ name, location, endpoint, ...(ca === '' ? {} : { ca }) }],
    ...(read('KINDS') === '' ? {} : { kinds: kinds.map(({ kind }) => kind) }),
    ...present({ namespaces }),
    ...(read('DEADLINE_SECONDS') === '' ? {} : { deadline_seconds: { resync: deadlineSeconds } }),
    // Passes no name, because Terraform creates and names the topic.
    ...(platform.publish === undefined ? {} : { fan_out: true }),
    ...present({ record_bucket: platform.bucket?.name }),
    ...(Object.keys(given).length === 0 ? {} : { environment: given }),
    ...(ownSettings.length === 0 ? {} : { settings: ownSettings }),
  };
}
