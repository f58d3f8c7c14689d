import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startControlPlane } from '@serverless-reconciler/local-cluster/control-plane';
import pMap from 'p-map';
import { Agent } from 'undici';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { apiVersionOf, type KubeObject } from '../../shared/kubernetes.ts';
import type { Address } from './counting-proxy.ts';
import { site } from './site.ts';

export interface BenchCluster {
  readonly address: Address;
  /** Creates the resources numbered `from` to `to`, in order, spread over ten namespaces. */
  readonly createResources: (from: number, to: number, spec?: object) => Promise<void>;
  /** Sets the replicas of the Deployments of these resources, as a user would. */
  readonly scaleByHand: (from: number, to: number, replicas: number) => Promise<void>;
  readonly countReady: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

export interface ClusterOptions {
  readonly real: boolean;
  readonly controllers: boolean;
}

const namespaces = Array.from({ length: 10 }, (_, at) => `bench-${at}`);
const nameOf = (at: number): string => `site-${at}`;
export const namespaceOf = (at: number): string => namespaces[at % namespaces.length] ?? '';

/** Starts an API server in another process, with the CRD and the namespaces in place. */
export async function openBenchCluster(options: ClusterOptions): Promise<BenchCluster> {
  const { stop, ...address } = await (options.real ? realServer : localServer)(options.controllers);
  const { apply, get, remove, close } = openClient(address);
  const crd = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${site.plural}.${site.group}`;
  await apply(crd, customResourceDefinition(site));
  for (const name of namespaces)
    await apply(`/api/v1/namespaces/${name}`, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    });
  const each = (
    from: number,
    to: number,
    act: (at: number) => Promise<unknown>,
  ): Promise<unknown> => pMap(range(from, to), act, { concurrency: 32 });
  return {
    address,
    async createResources(from, to, spec) {
      await each(from, to, async (at) => {
        const path = pathOf(`apis/${apiVersionOf(site)}`, site.plural, at);
        const manifest = {
          apiVersion: apiVersionOf(site),
          kind: site.kind,
          metadata: { name: nameOf(at) },
          spec: { imageTag: 'latest', ...spec },
        };
        while (isComparedSoon(await apply(path, manifest))) await remove(path);
      });
    },
    async scaleByHand(from, to, replicas) {
      await each(from, to, (at) =>
        apply(pathOf('apis/apps/v1', 'deployments', at), {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: nameOf(at) },
          spec: { replicas },
        }),
      );
    },
    async countReady() {
      const { items } = (await get(`/apis/${apiVersionOf(site)}/${site.plural}`)) as {
        readonly items: readonly Resource[];
      };
      return items.filter(isReady).length;
    },
    async stop() {
      await close();
      await stop();
    },
  };
}

/**
 * Reports whether the first daily comparison, which the uid determines (`spreadOver`), is due within half an hour. Some
 * measurements would include it, others not.
 */
const isComparedSoon = (created: unknown): boolean =>
  Number.parseInt((created as KubeObject).metadata.uid.slice(0, 8), 16) / 2 ** 32 > 1 - 0.5 / 23;

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, at) => from + at);

const pathOf = (api: string, plural: string, at: number): string =>
  `/${api}/namespaces/${namespaceOf(at)}/${plural}/${nameOf(at)}`;

interface Resource {
  readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
}

const isReady = ({ status }: Resource): boolean =>
  status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;

function openClient({ url, ca, token }: Address) {
  const agent = new Agent({
    connections: 32,
    allowH2: false,
    connect: ca === undefined ? {} : { ca },
  });
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const to = { origin: url, headers: authorization };
  const get = async (path: string): Promise<unknown> => {
    const response = await agent.request({ ...to, path, method: 'GET' });
    return response.body.json();
  };
  const remove = async (path: string): Promise<void> => {
    const response = await agent.request({ ...to, path, method: 'DELETE' });
    await response.body.dump();
  };
  const apply = async (path: string, body: object): Promise<unknown> => {
    const response = await agent.request({
      origin: url,
      path: `${path}?fieldManager=bench&force=true`,
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml', ...authorization },
      body: JSON.stringify(body),
    });
    const text = await response.body.text();
    if (response.statusCode < 300) return JSON.parse(text);
    // A CRD is served a moment after it has been created.
    if (!text.includes('could not find the requested resource'))
      throw new Error(`${path}: ${text}`);
    return apply(path, body);
  };
  return { apply, get, remove, close: () => agent.destroy() };
}

interface StartedServer extends Address {
  readonly stop: () => Promise<void>;
}

async function localServer(controllers: boolean): Promise<StartedServer> {
  const file = fileURLToPath(import.meta.resolve('@serverless-reconciler/local-cluster/process'));
  const child = fork(file, [controllers ? 'running' : 'paused']);
  const [url] = (await once(child, 'message')) as [string];
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function realServer(controllers: boolean): Promise<StartedServer> {
  const { url, ca, tokens, stop } = await startControlPlane({ controllers });
  return { url, ca, token: tokens.admin, stop };
}
