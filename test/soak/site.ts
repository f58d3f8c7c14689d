import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@serverless-reconciler/local-cluster/client';
import { parse } from 'yaml';
import { type Api, openApi } from '../scenarios/api.ts';
import { awaitGarbageCollector, installAll } from '../scenarios/definitions.ts';
import { authUrl } from '../scenarios/functions.ts';
import { openTestCluster, reconciler, type TestClusterName } from '../scenarios/test-cluster.ts';
import { type Exchange, type FaultProxy, type ProxyOptions, startProxy } from './fault-proxy.ts';
import { copyArtefacts, type FunctionProcess, startFunctionProcess } from './function-process.ts';

/** A cluster with everything installed, and functions that reach it through a proxy. */
export interface Site {
  readonly ground: TestClusterName;
  readonly client: Client;
  /** Returns the administrator's client, for cluster-wide types or for one namespace. */
  readonly api: (namespace?: string) => Api;
  readonly proxy: FaultProxy;
  /** Starts a function; its name identifies its requests at the proxy. */
  readonly start: (options: Start) => Promise<FunctionProcess>;
  /** Stops every started process, and the cluster. */
  readonly close: () => Promise<void>;
}

export interface Start {
  readonly name: string;
  readonly target: 'resync' | 'audit';
  readonly env?: Readonly<Record<string, string>>;
}

export interface SiteOptions extends Omit<ProxyOptions, 'target'> {
  readonly ground: TestClusterName;
  /** Receives the cluster's audit events. */
  readonly onAudit?: (events: readonly unknown[]) => void;
  /** Receives each line that a function logs. */
  readonly onLine?: (name: string, line: string) => void;
  /** Waits until the garbage collector watches our kinds, which takes half a minute on the real control plane. */
  readonly collected?: boolean;
}

/** Starts a cluster with CRDs and permissions, and a proxy in front of it. */
export async function openSite(options: SiteOptions): Promise<Site> {
  const { ground: name, onAudit = () => undefined, onLine = () => undefined } = options;
  const directory = await mkdtemp(join(tmpdir(), 'soak-'));
  await copyArtefacts(directory);
  const ground = await openTestCluster(name, onAudit);
  const client = createClient(ground.admin);
  const proxy = await startProxy({ ...options, target: ground.admin });
  const processes: FunctionProcess[] = [];

  const start = async ({ name: sender, target, env = {} }: Start): Promise<FunctionProcess> => {
    const kubeconfig = join(directory, `kubeconfig-${sender}`);
    const config = leadTo(
      proxy.address(sender),
      await readFile(ground.env.KUBECONFIG ?? '', 'utf8'),
    );
    await writeFile(kubeconfig, config, { mode: 0o600 });
    const settings = { ...ground.env, AUTH_URL: authUrl, OWN_IDENTITY: reconciler, ...env };
    const started = await startFunctionProcess({
      name: sender,
      target,
      directory,
      env: { ...settings, KUBECONFIG: kubeconfig },
      onLine: (line) => onLine(sender, line),
    });
    processes.push(started);
    return started;
  };
  const close = async (): Promise<void> => {
    await Promise.all(processes.map((one) => one.kill('SIGKILL')));
    await proxy.stop();
    await client.close();
    await ground.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await installAll(client);
    if (options.collected !== false) await awaitGarbageCollector(client);
  } catch (error) {
    await close();
    throw error;
  }
  const api = (namespace?: string): Api => openApi(client, namespace);
  return { ground: name, client, api, proxy, start, close };
}

interface Kubeconfig {
  readonly clusters: readonly { readonly name: string; readonly cluster: object }[];
}

/** Returns a kubeconfig with the same users and contexts, but another server URL. */
function leadTo(server: string, kubeconfig: string): string {
  const config = parse(kubeconfig) as Kubeconfig;
  const clusters = config.clusters.map(({ name }) => ({ name, cluster: { server } }));
  return JSON.stringify({ ...config, clusters });
}

/** Reports whether an exchange may have changed something. */
export const isWrite = ({ method }: Exchange): boolean => method !== 'GET';
