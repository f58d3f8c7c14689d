import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import type { DiscoveredKind } from '../api-server/kinds/kind.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/start.ts';
import { definitionsOf, type GroupVersionKind, type OpenApiDocument } from './definitions.ts';
import { type DiscoveryDocument, storedKinds } from './kinds.ts';

/** Kinds that are embedded or answered, but not stored. */
const others: readonly GroupVersionKind[] = [
  { group: '', version: 'v1', kind: 'Status' },
  { group: '', version: 'v1', kind: 'DeleteOptions' },
  { group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectAccessReview' },
  { group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectRulesReview' },
  { group: 'autoscaling', version: 'v1', kind: 'Scale' },
];

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

type Read = (path: string, accept?: string) => Promise<unknown>;

/** Reads from a real API server the kinds that it stores, and their schemas. */
async function generate({ release }: ControlPlane, read: Read): Promise<void> {
  const discovery = [await read('/api', aggregated), await read('/apis', aggregated)];
  const kinds = storedKinds(discovery as DiscoveryDocument[]);
  await write('kinds.json', listOf(kinds));
  const wanted = [
    ...kinds.flatMap(({ group, version, kind }) =>
      [kind, `${kind}List`].map((one) => ({ group, version, kind: one })),
    ),
    ...others,
  ];
  const paths = new Set(
    wanted.map(({ group, version }) =>
      group === '' ? `api/${version}` : `apis/${group}/${version}`,
    ),
  );
  const documents = await Promise.all([...paths].map((path) => read(`/openapi/v3/${path}`)));
  const definitions = definitionsOf(wanted, documents as OpenApiDocument[]);
  await write('schemas.json', schemasOf(release.version, definitions));
}

async function write(name: string, text: string): Promise<void> {
  const path = join(import.meta.dirname, '../api-server/generated', name);
  await writeFile(path, text);
  process.stdout.write(`wrote ${path}\n`);
}

/** Writes one line for each kind or definition, so that a new Kubernetes version shows as a readable diff. */
function listOf(kinds: readonly DiscoveredKind[]): string {
  return `[\n${kinds.map((kind) => `  ${JSON.stringify(kind)}`).join(',\n')}\n]\n`;
}

function schemasOf(kubernetes: string, definitions: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(definitions).map(
    ([name, schema]) => `    ${JSON.stringify(name)}: ${JSON.stringify(schema)}`,
  );
  const version = JSON.stringify(kubernetes);
  return `{\n  "version": ${version},\n  "definitions": {\n${lines.join(',\n')}\n  }\n}\n`;
}

const controlPlane = await startControlPlane({});
const { url, ca, tokens } = controlPlane;
const dispatcher = new Agent({ connect: { ca } });
try {
  await generate(controlPlane, async (path, accept = 'application/json') => {
    const headers = { authorization: `Bearer ${tokens.admin}`, accept };
    const { statusCode, body } = await request(`${url}${path}`, { dispatcher, headers });
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
    return body.json();
  });
} finally {
  await dispatcher.close();
  await controlPlane.stop();
}
