import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { buildOnce } from '@serverless-reconciler/local-cluster/control-plane/build-cache';
import { goBuild } from '@serverless-reconciler/local-cluster/control-plane/go';
import { openBenchCluster } from './bench-cluster.ts';
import { measureFunction, resyncCall } from './candidates.ts';
import type { ApiProxy } from './counting-proxy.ts';
import { requestsOf, sumOfTraffic, type Traffic } from './exchange.ts';
import { alternate, type Measurement, type Sample } from './figures.ts';
import { fewer } from './live.ts';
import type { Extent, Setting } from './replayed.ts';

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const directory = join(import.meta.dirname, 'peers');

/** A peer that sends nothing for this long has finished. */
const quietMs = 4_000;

const scenario = 'cold, settled, with the start';

/** Counts the measurements; building each of the two peers is one more. */
export const countPeers = ({ rounds, versions }: Extent): number =>
  2 + (2 + versions.length) * fewer(rounds);

/**
 * Measures the whole job, from the start of the process until every resource is Ready and no more requests
 * are sent: ours, and operators that watch. Each sample starts a new cluster with controllers.
 */
export async function measurePeers(
  setting: Setting,
  report: (measurement: Measurement) => void,
): Promise<void> {
  const { proxy, progress, versions, rounds } = setting;
  const directory = await mkdtemp(join(tmpdir(), 'bench-peers-'));
  try {
    progress.begin('building', 'controller-runtime');
    const watching = await controllerRuntime(setting);
    progress.begin('building', '@dot-i/k8s-operator');
    const programs = {
      'controller-runtime': watching,
      '@dot-i/k8s-operator': await typeScriptOperator(proxy, directory),
    };
    const candidates: Record<string, () => Promise<Sample>> = {};
    for (const [name, program] of Object.entries(programs))
      candidates[name] = () => onNewCluster(setting, () => measurePeer(setting, program));
    for (const built of versions) {
      const call = { ...resyncCall, settleSeconds: 60, withStart: true };
      candidates[built.name] = () =>
        onNewCluster(setting, () => measureFunction(proxy, built, call));
    }
    await alternate({ progress, rounds: fewer(rounds) }, { scenario, candidates }, report);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function onNewCluster(
  { proxy, real, resources }: Setting,
  measure: () => Promise<Sample>,
): Promise<Sample> {
  const cluster = await openBenchCluster({ real, controllers: true });
  try {
    await cluster.createResources(0, resources);
    proxy.forwardTo(cluster.address);
    const sample = await measure();
    const ready = await cluster.countReady();
    if (ready !== resources) throw new Error(`${ready} of ${resources} resources are Ready`);
    return sample;
  } finally {
    await cluster.stop();
  }
}

async function measurePeer({ proxy }: Setting, { command, args, env }: Program): Promise<Sample> {
  proxy.takeTraffic();
  const began = performance.now();
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    const traffic = await whileItWorks(proxy, child);
    const wallSeconds = (performance.now() - began - quietMs) / 1000;
    return { ...(await usageOf(child.pid)), wallSeconds, traffic };
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

/** Resolves with all traffic once no request has been sent for `quietMs`. */
async function whileItWorks(proxy: ApiProxy, child: ChildProcess): Promise<Traffic> {
  let sum = proxy.takeTraffic();
  for (let quiet = 0; quiet < quietMs || requestsOf(sum) < 10; quiet += 500) {
    await pause(500);
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    const since = proxy.takeTraffic();
    if (requestsOf(since) > 0) quiet = 0;
    sum = sumOfTraffic(sum, since);
  }
  return sum;
}

const ticksPerSecond = 100;

/** Reads the usage from `/proc`, because our meter is not loaded into a peer. */
async function usageOf(pid = 0): Promise<Omit<Sample, 'wallSeconds'>> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // Skip the command's name, which may contain spaces; utime and stime are fields 14 and 15 of the line.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    peakMiB: mebibytes('VmHWM'),
    retainedMiB: mebibytes('VmRSS'),
  };
}

async function controllerRuntime({ proxy: { url, ca }, real }: Setting): Promise<Program> {
  const module = join(directory, 'controller-runtime');
  const built = await buildOnce({
    name: 'bench/controller-runtime',
    sources: ['main.go', 'go.mod', 'go.sum'].map((file) => join(module, file)),
    make: (to) => goBuild(module, to, { packages: ['.'] }),
  });
  const env = { SERVER: url, CA: ca, CONTENT_TYPE: real ? '' : 'application/json' };
  return { command: join(built, 'controller-runtime'), args: [], env };
}

async function typeScriptOperator({ url, ca }: ApiProxy, directory: string): Promise<Program> {
  const sources = ['operator.mjs', 'package.json', 'package-lock.json'].map((file) =>
    join(directory, 'typescript', file),
  );
  const installed = await buildOnce({
    name: 'bench/typescript',
    sources,
    async make(to) {
      await cp(join(directory, 'typescript'), to, { recursive: true });
      const options = ['--ignore-scripts', '--no-audit', '--no-fund'];
      await promisify(execFile)('npm', ['ci', ...options], { cwd: to });
    },
  });
  const kubeconfig = join(directory, 'kubeconfig');
  const authority = Buffer.from(ca).toString('base64');
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'bench',
    clusters: [
      { name: 'bench', cluster: { server: url, 'certificate-authority-data': authority } },
    ],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    users: [{ name: 'bench', user: { token: 'bench' } }],
  };
  await writeFile(kubeconfig, JSON.stringify(content));
  const env = { KUBECONFIG: kubeconfig };
  return { command: process.execPath, args: [join(installed, 'operator.mjs')], env };
}
