/** Every variable that is read, besides the settings of kinds; docs/configuration.md has a table of them. */
export const variables = [
  'CLUSTER_CONTEXT',
  'CLUSTER_ENDPOINT',
  'CLUSTER_CA',
  'CLUSTERS',
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
  'KINDS',
  'NAMESPACES',
  'CONCURRENCY',
  'DEADLINE_SECONDS',
  'SETTLE_SECONDS',
  'PRUNE_LIMIT',
  'DRY_RUN',
  'FAN_OUT_TOPIC',
  'PUBSUB_EMULATOR_HOST',
  'OWN_IDENTITY',
  'ATTRIBUTE_REPAIRS',
  'GOOGLE_CLOUD_PROJECT',
  'LOG_LEVEL',
] as const;
export type Variable = (typeof variables)[number];
