import pMap from 'p-map';
import type { Client } from '../../client.ts';

const namespace = 'bench';
const site = { apiVersion: 'bench.example.com/v1', kind: 'Site', plural: 'sites' };
const siteApi = `/apis/${site.apiVersion}`;

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${site.plural}.bench.example.com` },
  spec: {
    group: 'bench.example.com',
    scope: 'Namespaced',
    names: { plural: site.plural, kind: site.kind },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { imageTag: { type: 'string' } },
                required: ['imageTag'],
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};

/** The types that are listed: the custom resources, and one kind of their children. */
export const lists = [`${siteApi}/${site.plural}`, '/apis/apps/v1/deployments'];

/** Creates the kind and this many resources, each the owner of a Deployment and a ConfigMap. */
export async function createSites(client: Client, count: number): Promise<string> {
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await create(client, crds, definition);
  await create(client, '/api/v1/namespaces', { metadata: { name: namespace } });
  while ((await client.send({ method: 'GET', path: lists[0] ?? '' })).status !== 200);
  const names = Array.from({ length: count }, (_, at) => `site-${at}`);
  await pMap(names, (name) => createSite(client, name), { concurrency: 32 });
  return `${3 * count} objects`;
}

async function createSite(client: Client, name: string): Promise<void> {
  const within = `namespaces/${namespace}`;
  const { apiVersion, kind } = site;
  const spec = { imageTag: 'latest' };
  const owner = { apiVersion, kind, metadata: { name }, spec };
  const uid = await create(client, `${siteApi}/${within}/${site.plural}`, owner);
  const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
  const metadata = { name, labels: { site: name }, ownerReferences };
  await create(client, `/apis/apps/v1/${within}/deployments`, {
    metadata,
    spec: {
      replicas: 0,
      selector: { matchLabels: { site: name } },
      template: {
        metadata: { labels: { site: name } },
        spec: { containers: [{ name: 'web', image: 'web:latest' }] },
      },
    },
  });
  await create(client, `/api/v1/${within}/configmaps`, { metadata, data: { site: name } });
}

async function create(client: Client, path: string, body: object): Promise<string> {
  const answer = await client.send({ method: 'POST', path, body });
  if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`);
  return (answer.body as { metadata: { uid: string } }).metadata.uid;
}

export async function list(client: Client, path: string): Promise<string> {
  const { text, body } = await client.send({ method: 'GET', path });
  const { length } = (body as { items: unknown[] }).items;
  return `${length} objects, ${(text.length / 2 ** 20).toFixed(1)} MiB`;
}

export async function listInPages(client: Client, path: string): Promise<string> {
  let pages = 0;
  for (let token = '', more = true; more; pages++) {
    const next = token === '' ? '' : `&continue=${encodeURIComponent(token)}`;
    const { body } = await client.send({ method: 'GET', path: `${path}?limit=500${next}` });
    token = (body as { metadata: { continue?: string } }).metadata.continue ?? '';
    more = token !== '';
  }
  return `${pages} pages`;
}
