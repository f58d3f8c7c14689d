import { googleVariables } from '../google/settings.ts';

/** Variables that affect decisions. Recordings and the kubeconfig of `npm start` contain their values. */
export const decisiveVariables = [
  'KINDS',
  'NAMESPACES',
  'PRUNE_LIMIT',
  'ROLLOUT_BUDGET',
  'ROLLOUT_TIMEOUT_SECONDS',
  'ROLLOUT_FAILURES',
] as const;

export const platformVariables = [...googleVariables] as const;

/** The variables that `parseConfig` reads, except the settings of kinds. */
export const variables = [
  'CLUSTER_CONTEXT',
  'CLUSTER_ENDPOINT',
  'CLUSTER_CA',
  'CLUSTERS',
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
  ...decisiveVariables,
  'CONCURRENCY',
  'DEADLINE_SECONDS',
  'SETTLE_SECONDS',
  'DRY_RUN',
  'FAN_OUT_TOPIC',
  'RECORD_BUCKET',
  'OWN_IDENTITY',
  'ATTRIBUTE_REPAIRS',
  'LOG_LEVEL',
  ...platformVariables,
] as const;
export type Variable = (typeof variables)[number];
