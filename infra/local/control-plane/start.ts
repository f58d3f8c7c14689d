import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Binaries, buildControlPlane } from './build.ts';
import { etcd, kubeApiServer, kubeControllerManager, kubeScheduler, kwok } from './components.ts';
import {
  makeTokens,
  type UserTokens,
  writeAuditPolicy,
  writeAuditWebhook,
  writeKubeconfig,
  writeServiceAccountKey,
  writeTokenFile,
} from './credentials.ts';
import { createProbe } from './probe.ts';
import { type Processes, superviseProcesses } from './processes.ts';
import type { Release } from './release.ts';

export interface ControlPlane {
  readonly release: Release;
  readonly url: string;
  /** The certificate authority to trust, as PEM. */
  readonly ca: string;
  /** Path of a kubeconfig with a context for each key of `tokens`. */
  readonly kubeconfig: string;
  readonly tokens: UserTokens;
  /** Path of a kubectl of the same version. */
  readonly kubectl: string;
  stop(): Promise<void>;
}

export interface ControlPlaneOptions {
  /** The address for audit batches, with the scheme `http:`. */
  readonly auditWebhook?: string;
  /** The audit policy; default: every write. */
  readonly auditPolicy?: object;
  /** False to start only the API server: no controllers, no scheduler, no node. */
  readonly controllers?: boolean;
}

/**
 * Starts etcd, the API server, the controllers, the scheduler and one node simulated by kwok, all on
 * loopback. Resolves when a Deployment could become available.
 *
 * Guarantees: no component remains after `stop`, after a failed start or after the death of this process.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const binaries = await buildControlPlane();
  const directory = await mkdtemp(join(tmpdir(), 'control-plane-'));
  const processes = superviseProcesses(binaries.directory, directory);
  try {
    return await startComponents({ options, binaries, directory, processes });
  } catch (error) {
    await processes.stop();
    throw error;
  }
}

interface Given {
  readonly options: ControlPlaneOptions;
  readonly binaries: Binaries;
  readonly directory: string;
  readonly processes: Processes;
}

async function startComponents(given: Given): Promise<ControlPlane> {
  const { options, binaries, directory, processes } = given;
  const tokens = makeTokens();
  const serviceAccountKey = await writeServiceAccountKey(directory);
  const { url, certificate } = await startApiServer(given, { tokens, serviceAccountKey });
  const ca = await processes.until('certificate', async () =>
    nonEmpty(await readFile(certificate, 'utf8')),
  );
  const kubeconfig = await writeKubeconfig(directory, { url, ca, tokens });
  const probe = createProbe({ url, ca, token: tokens.admin });
  try {
    await processes.until('answer of the API server', () => probe.isThere('/readyz'));
    await processes.until('default namespace', () => probe.isThere('/api/v1/namespaces/default'));
    if (options.controllers !== false) {
      const files = { serviceAccountKey, ca: certificate };
      processes.start(kubeControllerManager(kubeconfig, files));
      processes.start(kubeScheduler(kubeconfig));
      processes.start(kwok(kubeconfig, binaries.stages));
      await processes.until('node', () => probe.create('/api/v1/nodes', node));
      const account = '/api/v1/namespaces/default/serviceaccounts/default';
      await processes.until('default service account', () => probe.isThere(account));
      for (const volume of volumes) {
        await processes.until('volume', () => probe.create('/api/v1/persistentvolumes', volume));
      }
    }
  } finally {
    await probe.close();
  }
  const kubectl = join(binaries.directory, 'kubectl');
  const { release } = binaries;
  return { release, url, ca, kubeconfig, tokens, kubectl, stop: processes.stop };
}

async function startApiServer(
  { options, directory, processes }: Given,
  {
    tokens,
    serviceAccountKey,
  }: { readonly tokens: UserTokens; readonly serviceAccountKey: string },
): Promise<{ readonly url: string; readonly certificate: string }> {
  const { auditWebhook } = options;
  const [etcdPort, port] = await Promise.all([freePort(), freePort()]);
  const webhook =
    auditWebhook === undefined
      ? {}
      : { auditWebhook: await writeAuditWebhook(directory, auditWebhook) };
  const apiServer = kubeApiServer({
    directory,
    etcdPort,
    port,
    serviceAccountKey,
    tokenFile: await writeTokenFile(directory, tokens),
    auditPolicy: await writeAuditPolicy(directory, options.auditPolicy),
    ...webhook,
  });
  processes.start(etcd(directory, etcdPort));
  processes.start(apiServer);
  const certificate = join(directory, 'certificates', 'apiserver.crt');
  return { url: `https://127.0.0.1:${port}`, certificate };
}

const node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'fake', labels: { 'kubernetes.io/hostname': 'fake' } },
};

/** Volumes for claims that name no class, because nothing here provisions volumes on demand. */
const volumes = Array.from({ length: 100 }, (_, at) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: `volume-${at}` },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Ti' },
    hostPath: { path: '/nowhere' },
  },
}));

/** A file may exist before its content is complete. */
function nonEmpty(text: string): string | undefined {
  return text === '' ? undefined : text;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

if (import.meta.main) {
  const { url, kubeconfig, kubectl, stop } = await startControlPlane({});
  console.log(`API server   ${url}\nkubectl      ${kubectl}\nkubeconfig   ${kubeconfig}`);
  console.log('ready; stops on Ctrl+C');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stop().then(() => process.exit()));
  }
  // The children and the reaper do not keep this process alive.
  setInterval(() => undefined, 60_000);
}
