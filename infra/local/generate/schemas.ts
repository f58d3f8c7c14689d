import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { startControlPlane } from '../control-plane/start.ts';
import { definitionsOf, type GroupVersionKind, type OpenApiDocument } from './definitions.ts';

/** The built-in kinds that the local cluster serves or embeds, by group and version. */
const served: Readonly<Record<string, readonly string[]>> = {
  'api/v1': [
    ...withLists(['ConfigMap', 'Event', 'Namespace', 'PersistentVolumeClaim', 'Pod']),
    ...withLists(['Secret', 'Service', 'ServiceAccount']),
    'Status',
    'DeleteOptions',
  ],
  'apis/apiextensions.k8s.io/v1': withLists(['CustomResourceDefinition']),
  'apis/apps/v1': withLists(['Deployment', 'ReplicaSet', 'StatefulSet']),
  'apis/authorization.k8s.io/v1': ['SelfSubjectAccessReview', 'SelfSubjectRulesReview'],
  'apis/autoscaling/v1': ['Scale'],
  'apis/autoscaling/v2': withLists(['HorizontalPodAutoscaler']),
  'apis/coordination.k8s.io/v1': withLists(['Lease']),
  'apis/events.k8s.io/v1': withLists(['Event']),
  'apis/networking.k8s.io/v1': withLists(['Ingress']),
  'apis/rbac.authorization.k8s.io/v1': withLists([
    'ClusterRole',
    'ClusterRoleBinding',
    'Role',
    'RoleBinding',
  ]),
};

function withLists(kinds: readonly string[]): string[] {
  return kinds.flatMap((kind) => [kind, `${kind}List`]);
}

function kindsOf(path: string, kinds: readonly string[]): GroupVersionKind[] {
  const [version = '', group = ''] = path.split('/').slice(1).reverse();
  return kinds.map((kind) => ({ group, version, kind }));
}

async function readDocuments(url: string, ca: string, token: string): Promise<OpenApiDocument[]> {
  const dispatcher = new Agent({ connect: { ca } });
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  const read = async (path: string): Promise<OpenApiDocument> => {
    const { statusCode, body } = await request(`${url}/openapi/v3/${path}`, {
      dispatcher,
      headers,
    });
    if (statusCode !== 200) throw new Error(`/openapi/v3/${path}: ${statusCode}`);
    return (await body.json()) as OpenApiDocument;
  };
  try {
    return await Promise.all(Object.keys(served).map(read));
  } finally {
    await dispatcher.close();
  }
}

/** One line for each definition, so that a new Kubernetes version shows as a readable diff. */
function format(kubernetes: string, definitions: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(definitions).map(
    ([name, schema]) => `    ${JSON.stringify(name)}: ${JSON.stringify(schema)}`,
  );
  const version = JSON.stringify(kubernetes);
  return `{\n  "version": ${version},\n  "definitions": {\n${lines.join(',\n')}\n  }\n}\n`;
}

const controlPlane = await startControlPlane({});
try {
  const { release, url, ca, tokens } = controlPlane;
  const documents = await readDocuments(url, ca, tokens.admin);
  const kinds = Object.entries(served).flatMap(([path, names]) => kindsOf(path, names));
  const path = join(import.meta.dirname, '../api-server/generated/schemas.json');
  await writeFile(path, format(release.version, definitionsOf(kinds, documents)));
  process.stdout.write(`wrote ${path}\n`);
} finally {
  await controlPlane.stop();
}
