import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startControlPlane } from '@serverless-reconciler/local-cluster/control-plane';
import pMap from 'p-map';
import { Agent, request } from 'undici';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { apiVersionOf } from '../../shared/kubernetes.ts';
import { website } from '../../systems/website.ts';

export interface BenchCluster {
  readonly address: {
    readonly server: string;
    readonly ca: string | undefined;
    readonly token: string | undefined;
  };
  readonly createResources: (count: number) => Promise<void>;
  /** Sets the replicas of the first Deployments to 5. */
  readonly scaleByHand: (count: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface Server {
  readonly url: string;
  readonly ca?: string;
  readonly token?: string;
  readonly stop: () => Promise<void>;
}

const namespaces = Array.from({ length: 10 }, (_, at) => `bench-${at}`);

/** A cluster whose server is another process, with the CRDs and the namespaces, and no controllers. */
export async function openBenchCluster(real: boolean, kind: Kind): Promise<BenchCluster> {
  const server = real ? await realServer() : await localServer();
  const agent = new Agent({
    connections: 32,
    allowH2: false,
    connect: server.ca === undefined ? {} : { ca: server.ca },
  });
  const apply = async (path: string, body: object): Promise<void> => {
    const answer = await request(`${server.url}${path}?fieldManager=bench&force=true`, {
      method: 'PATCH',
      dispatcher: agent,
      headers: {
        'content-type': 'application/apply-patch+yaml',
        ...(server.token === undefined ? {} : { authorization: `Bearer ${server.token}` }),
      },
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300 && !text.includes('could not find the requested resource'))
      throw new Error(`${path}: ${text}`);
    if (answer.statusCode >= 300) return apply(path, body);
  };
  const crd = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${kind.plural}.${kind.group}`;
  await apply(crd, customResourceDefinition(kind));
  for (const name of namespaces)
    await apply(`/api/v1/namespaces/${name}`, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    });
  return {
    address: { server: server.url, ca: server.ca, token: server.token },
    async createResources(count) {
      await pMap(
        range(count),
        (at) => apply(pathOf(`apis/${apiVersionOf(kind)}`, kind.plural, at), manifestOf(kind, at)),
        { concurrency: 32 },
      );
    },
    async scaleByHand(count) {
      const body = { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 5 } };
      await pMap(
        range(count),
        (at) =>
          apply(pathOf('apis/apps/v1', 'deployments', at), {
            ...body,
            metadata: { name: nameOf(at) },
          }),
        { concurrency: 32 },
      );
    },
    async stop() {
      await agent.destroy();
      await server.stop();
    },
  };
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);
const nameOf = (at: number): string => `site-${at}`;
const pathOf = (api: string, plural: string, at: number): string =>
  `/${api}/namespaces/${namespaces[at % namespaces.length]}/${plural}/${nameOf(at)}`;

/** The node ports there are: 30000 to 32767. */
export const nodePorts = 2768;

const manifestOf = (kind: Kind, at: number) => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: { name: nameOf(at) },
  spec: { imageTag: 'latest', ...(kind === website ? { nodePort: 30_000 + at } : {}) },
});

async function localServer(): Promise<Server> {
  const child = fork(
    fileURLToPath(import.meta.resolve('@serverless-reconciler/local-cluster/process')),
  );
  const [url] = (await once(child, 'message')) as [string];
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function realServer(): Promise<Server> {
  const { url, ca, tokens, stop } = await startControlPlane({ controllers: false });
  return { url, ca, token: tokens.admin, stop };
}
