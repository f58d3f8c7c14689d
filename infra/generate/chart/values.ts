import { yaml } from '../files.ts';
import { type PodSettings, resources } from '../pod.ts';

interface Defaults extends Pick<PodSettings, 'image' | 'schedule' | 'environment'> {
  readonly auditFrom: readonly string[] | undefined;
}

/** name → comment and default */
const values = (given: Defaults) =>
  ({
    image: [
      'Image of both functions, built with the Dockerfile that `reconciler generate container` prints.',
      given.image,
    ],
    imagePullSecrets: ['References to Secrets, such as `- name: registry`.', []],
    schedule: ['Schedule of the resync: five cron fields, in UTC.', given.schedule],
    environment: ['Variables of both functions; every value is a string.', given.environment],
    auditFrom: [
      'CIDR ranges that may reach the audit function; empty allows any.',
      given.auditFrom ?? [],
    ],
    crds: [
      'True to install the CRDs with the chart; they stay when it is uninstalled.',
      { install: true },
    ],
    serviceAccount: ['Annotations of the service account of the functions.', { annotations: {} }],
    resources: [
      'Resources of each function. The heap of Node is limited to 384 MiB, unless `environment` sets NODE_OPTIONS.',
      resources,
    ],
    nodeSelector: ['', {}],
    tolerations: ['', []],
    affinity: ['', {}],
  }) as const;

export const chartValues = (given: Defaults): string =>
  Object.entries(values(given))
    .map(([name, [comment, value]]) => `${comment && `# ${comment}\n`}${yaml({ [name]: value })}`)
    .join('');

const strings = { type: 'object', additionalProperties: { type: 'string' } };
const objects = { type: 'array', items: { type: 'object' } };

/** Refuses values that the templates do not use, except `global`, which Helm sets in a subchart. */
export const valuesSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  additionalProperties: false,
  required: ['image', 'schedule'],
  properties: {
    global: { type: 'object' },
    image: { type: 'string', minLength: 1 },
    imagePullSecrets: objects,
    schedule: { type: 'string', pattern: '^\\S+( \\S+){4}$' },
    environment: strings,
    auditFrom: { type: 'array', items: { type: 'string' } },
    crds: {
      type: 'object',
      additionalProperties: false,
      properties: { install: { type: 'boolean' } },
    },
    serviceAccount: {
      type: 'object',
      additionalProperties: false,
      properties: { annotations: strings },
    },
    resources: { type: 'object' },
    nodeSelector: strings,
    tolerations: objects,
    affinity: { type: 'object' },
  },
};
