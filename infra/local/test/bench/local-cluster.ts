import { parseArgs } from 'node:util';
import { createClient } from '../../client.ts';
import { startLocal, startReal } from './measured-server.ts';
import { createSites, list, listInPages, lists } from './site-objects.ts';

const usage = `node infra/local/test/bench/local-cluster.ts [--real] [--resources N]

What a cluster costs the machine it runs on: custom resources of two children each are created and
listed; no controllers. Memory and CPU of the server's processes alone; on Linux only.
  --real         etcd and kube-apiserver instead of the local cluster
  --resources N  how many (10000)
`;

const { values } = parseArgs({
  options: {
    real: { type: 'boolean', default: false },
    resources: { type: 'string', default: '10000' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit();
}

if (!values.real) await measureStartHere();
const began = performance.now();
const server = await (values.real ? startReal() : startLocal());
const started = performance.now() - began;
const { cpuSeconds, peakMiB } = await server.consumed();
print('process serves', started, `${cpuSeconds.toFixed(2)} s CPU, ${Math.round(peakMiB)} MiB`);
const client = createClient(server);
try {
  await measure('create', () => createSites(client, Number(values.resources)));
  for (const path of lists) {
    await measure(`${path} by 500`, () => listInPages(client, path));
    await measure(`${path} whole`, () => list(client, path));
  }
} finally {
  await client.close();
  await server.stop();
}

/** Measures the start as a test sees it, with Node already running. */
async function measureStartHere(): Promise<void> {
  const start = performance.now();
  const { startLocalCluster } = await import('../../cluster.ts');
  const loaded = performance.now();
  const cluster = await startLocalCluster({ controllers: 'paused' });
  print(
    'startLocalCluster',
    performance.now() - loaded,
    `modules ${Math.round(loaded - start)} ms`,
  );
  await cluster.stop();
}

async function measure(what: string, work: () => Promise<string>): Promise<void> {
  const before = await server.consumed();
  const start = performance.now();
  const result = await work();
  const elapsed = performance.now() - start;
  const after = await server.consumed();
  const cpu = (after.cpuSeconds - before.cpuSeconds).toFixed(2);
  print(what, elapsed, `${cpu} s CPU, peak so far ${Math.round(after.peakMiB)} MiB, ${result}`);
}

function print(what: string, milliseconds: number, more: string): void {
  process.stdout.write(`${what}: ${Math.round(milliseconds)} ms, ${more}\n`);
}
