import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type LocalCluster, startLocalCluster } from '@serverless-reconciler/local-cluster';
import { createClient } from '@serverless-reconciler/local-cluster/client';
import { openSession, type Session } from '../../infra/cli/base/session.ts';
import { type Dashboard, startDashboard } from '../../infra/dashboard/dashboard-server.ts';
import { openOperations } from '../../infra/dashboard/open-operations.ts';
import type { Messages, RunTimeline } from '../../infra/dashboard/views.ts';
import { install } from '../../infra/generate/install.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { type Api, applyManifest, openApi } from '../scenarios/api.ts';
import { config, configFile, kinds } from '../support/config.ts';

interface Options {
  readonly readOnly?: boolean;
  readonly reported?: () => RunTimeline;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the kinds of this repository. */
  readonly kinds?: readonly Kind[];
  readonly clock?: () => Date;
  readonly prepare?: () => Promise<void>;
}

/** Opens the session that `reconciler dashboard` would use for this cluster. */
export async function openSessionOn(
  cluster: Pick<LocalCluster, 'kubeconfig'>,
  {
    env = {},
    kinds,
    clock = () => new Date(),
    prepare = async () => undefined,
  }: Pick<Options, 'env' | 'kinds' | 'clock' | 'prepare'> = {},
): Promise<Session> {
  const reconciler = kinds === undefined ? config : { ...config, kindsFor: () => kinds };
  const directory = await mkdtemp(join(tmpdir(), 'dashboard-'));
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, cluster.kubeconfig());
  const out = new PassThrough();
  const terminal = {
    env: { HOME: directory, SETTLE_SECONDS: '1', ...env },
    configFile: () => configFile,
    loadConfig: async () => reconciler,
    out,
    err: out.resume(),
    localKubeconfig: '/nonexistent/kubeconfig',
    now: clock,
    wait: async () => undefined,
  };
  const session = await openSession(terminal, reconciler, {
    kubeconfig,
    prepare,
  });
  return {
    ...session,
    async close() {
      await session.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** Starts the dashboard as `reconciler dashboard` does, for this cluster. */
export async function openDashboardOn(
  cluster: Pick<LocalCluster, 'kubeconfig'>,
  { readOnly = false, reported, ...given }: Options = {},
): Promise<Dashboard> {
  const session = await openSessionOn(cluster, given);
  const operations = openOperations(session, { readOnly, reported });
  const dashboard = await startDashboard({ port: 0, operations });
  return {
    ...dashboard,
    async stop() {
      await dashboard.stop();
      await session.close();
    },
  };
}

export interface DashboardGround {
  readonly cluster: LocalCluster;
  readonly api: Api;
  readonly dashboard: Dashboard;
  readonly stop: () => Promise<void>;
}

/** Starts a dashboard and a cluster with all CRDs, no resources, and Deployments that become ready. */
export async function openDashboardGround(options: Options = {}): Promise<DashboardGround> {
  const cluster = await startLocalCluster(options.clock && { clock: options.clock });
  const client = createClient({ url: cluster.url });
  await install((path, manifest) => applyManifest(client, path, manifest as JsonObject), {
    kinds: options.kinds ?? kinds,
    user: 'operator',
    samples: false,
  });
  const dashboard = await openDashboardOn(cluster, options);
  return {
    cluster,
    api: openApi(client, 'default'),
    dashboard,
    async stop() {
      await dashboard.stop();
      await client.close();
      await cluster.stop();
    },
  };
}

export type Message = {
  readonly [Name in keyof Messages]: { readonly name: Name; readonly data: Messages[Name] };
}[keyof Messages];

/** Follows the stream as a page does. */
export interface Follower {
  /** Resolves with the first matching message since the beginning of the stream. */
  readonly until: (is: (message: Message, all: readonly Message[]) => boolean) => Promise<Message>;
  readonly all: readonly Message[];
  readonly close: () => void;
}

export async function follow(url: string): Promise<Follower> {
  const end = new AbortController();
  const response = await fetch(`${url}stream`, { signal: end.signal });
  const all: Message[] = [];
  let wake = Promise.withResolvers<void>();
  const read = async (): Promise<void> => {
    let rest = '';
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + part).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, name = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
        all.push({ name, data: JSON.parse(data) } as Message);
      }
      wake.resolve();
      wake = Promise.withResolvers();
    }
  };
  read().catch(() => undefined);
  return {
    all,
    close: () => end.abort(),
    async until(is) {
      for (let at = 0; ; ) {
        for (; at < all.length; at++) if (is(all[at]!, all)) return all[at]!;
        await wake.promise;
      }
    },
  };
}

/** Reads the token from the page. */
export async function tokenOf(url: string): Promise<string> {
  const html = await (await fetch(url)).text();
  return /name="token" content="([^"]+)"/.exec(html)?.[1] ?? '';
}

/** Sends a POST as the page does; the token defaults to that of the page. */
export async function post(url: string, path: string, body: unknown, token?: string) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-reconciler-token': token ?? (await tokenOf(url)),
    },
    body: JSON.stringify(body),
  });
  return { code: response.status, response: await response.json() };
}
