import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../client.ts';
import { valueAt } from './value-at.ts';

const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A resource of a team: one version, a status subresource. */
const website = definition({
  names: { plural: 'websites', singular: 'website', kind: 'Website', listKind: 'WebsiteList' },
  group: 'kubecon.my.domain',
  versions: [
    {
      name: 'v1beta1',
      served: true,
      storage: true,
      subresources: { status: {} },
      schema: {
        openAPIV3Schema: {
          type: 'object',
          required: ['spec'],
          properties: {
            spec: {
              type: 'object',
              required: ['imageTag'],
              properties: {
                imageTag: { type: 'string', pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$' },
                nodePort: { type: 'integer', minimum: 30000, maximum: 32767, default: 31000 },
              },
            },
            status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      },
    },
  ],
});

const word = { type: 'string', maxLength: 40 };

const gadgetSpec = {
  type: 'object',
  default: {},
  properties: {
    size: { type: 'integer', minimum: 0, maximum: 10, default: 1 },
    mode: { type: 'string', enum: ['fast', 'slow'], default: 'fast' },
    owner: {
      ...word,
      'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'owner is immutable' }],
    },
    min: { type: 'integer' },
    max: { type: 'integer' },
    tags: { type: 'array', maxItems: 10, items: word, 'x-kubernetes-list-type': 'set' },
    ports: {
      type: 'array',
      maxItems: 10,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        required: ['port'],
        properties: {
          port: { type: 'integer' },
          protocol: { type: 'string', default: 'TCP' },
          label: word,
        },
      },
    },
    steps: {
      type: 'array',
      maxItems: 10,
      items: {
        type: 'object',
        required: ['run'],
        properties: { run: { ...word, minLength: 1 }, retries: { type: 'integer', default: 3 } },
      },
    },
    extra: { type: 'object', additionalProperties: word },
    nested: {
      type: 'object',
      properties: { depth: { type: 'integer', default: 2 }, note: { ...word, nullable: true } },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    anyPort: { 'x-kubernetes-int-or-string': true },
    ratio: { type: 'number' },
    since: { type: 'string', format: 'date-time' },
    enabled: { type: 'boolean' },
  },
  'x-kubernetes-validations': [
    {
      rule: '!has(self.max) || !has(self.min) || self.max >= self.min',
      message: 'max must be at least min',
    },
    { rule: '!has(oldSelf.owner) || has(self.owner)', message: 'owner may not be removed' },
  ],
};

const gadgetSchema = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: gadgetSpec,
      status: {
        type: 'object',
        properties: {
          observedGeneration: { type: 'integer' },
          replicas: { type: 'integer' },
          selector: { type: 'string' },
          conditions: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['type'],
            items: {
              type: 'object',
              required: ['type', 'status'],
              properties: {
                type: { type: 'string' },
                status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
                reason: { type: 'string' },
                message: { type: 'string' },
              },
            },
          },
        },
      },
    },
    'x-kubernetes-validations': [
      {
        rule: "!self.metadata.name.startsWith('reserved')",
        messageExpression: "'the name ' + self.metadata.name + ' is reserved'",
      },
    ],
  },
};

const gadgetVersion = {
  served: true,
  schema: gadgetSchema,
  subresources: {
    status: {},
    scale: {
      specReplicasPath: '.spec.size',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  },
  selectableFields: [{ jsonPath: '.spec.mode' }],
  additionalPrinterColumns: [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'how big' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Owner', type: 'string', jsonPath: '.spec.owner', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
};

/** A resource that uses the features of structural schemas: defaults, rules, list types, scale, two versions. */
export const gadget = definition({
  names: {
    plural: 'gadgets',
    singular: 'gadget',
    kind: 'Gadget',
    listKind: 'GadgetList',
    shortNames: ['gad'],
    categories: ['contract'],
  },
  group: 'contract.example.com',
  versions: [
    { name: 'v1', storage: true, ...gadgetVersion },
    { name: 'v1alpha1', storage: false, ...gadgetVersion },
  ],
});

/** Cluster-scoped and without a status subresource. */
const zone = definition({
  names: { plural: 'zones', singular: 'zone', kind: 'Zone', listKind: 'ZoneList' },
  group: 'cluster.example.com',
  scope: 'Cluster',
  versions: [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: { type: 'object', properties: { region: { type: 'string' } } },
            status: { type: 'object', properties: { phase: { type: 'string' } } },
          },
        },
      },
    },
  ],
});

/** Builds a CustomResourceDefinition as a client sends it. */
export function definition(given: {
  readonly group: string;
  readonly names: { readonly plural: string } & Readonly<Record<string, unknown>>;
  readonly versions: readonly unknown[];
  readonly scope?: 'Namespaced' | 'Cluster';
}) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${given.names.plural}.${given.group}` },
    spec: { scope: 'Namespaced', ...given },
  };
}

/** Registers the definitions that cases share; resolves when the server serves them. */
export async function registerDefinitions(
  client: Client,
  manifests: readonly object[] = [website, gadget, zone],
): Promise<void> {
  await Promise.all(manifests.map((manifest) => register(client, manifest)));
}

async function register(client: Client, manifest: object): Promise<void> {
  const text = (path: string) => String(valueAt(manifest, path));
  const name = text('metadata.name');
  const posted = await client.send({ method: 'POST', path: definitionsPath, body: manifest });
  if (posted.status !== 201) throw new Error(`cannot register ${name}: ${posted.text}`);
  const groupVersion = `${text('spec.group')}/${text('spec.versions.0.name')}`;
  const path = `/apis/${groupVersion}/${text('spec.names.plural')}`;
  for (let attempt = 0; attempt < 400; attempt++) {
    if ((await client.send({ method: 'GET', path })).status === 200) return;
    await pause(25);
  }
  throw new Error(`${name} is registered but not served`);
}
