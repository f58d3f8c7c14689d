import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { website } from '../../systems/website.ts';
import { nodePorts, openBenchCluster } from './bench-cluster.ts';
import { measureReactions } from './reaction.ts';
import type { Cost } from './run-process.ts';
import { site } from './site.ts';

const usage = `npm run bench -- [--real] [--resources N]

Resources of two children each, in ten namespaces, reconciled by one resync in a process of its own.
Websites as far as there are node ports (2768), else Sites: the same with 0 replicas and no node port.
Then, with both functions and the audit relay, how long a hand edit lasts.
  --real         on the real control plane instead of the local cluster (without controllers on both)
  --resources N  how many (1000)
`;

const { values } = parseArgs({
  options: {
    real: { type: 'boolean', default: false },
    resources: { type: 'string', default: '1000' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit();
}
const count = Number(values.resources);
const kind = count <= nodePorts ? website : site;
const cluster = await openBenchCluster(values.real, kind);
try {
  await cluster.createResources(count);
  show('cold', await resync());
  show('nothing changed', await resync());
  await cluster.scaleByHand(10);
  show('10 of them scaled by hand', await resync());
} finally {
  await cluster.stop();
}

const times = await measureReactions(values.real ? 'real' : 'local', 20);
const [median = 0, slowest = 0] = [times[times.length >> 1], times.at(-1)];
process.stdout.write(
  `hand edit repaired by audit event: median ${median.toFixed(0)} ms, slowest of ${times.length} ${slowest.toFixed(0)} ms\n`,
);

async function resync(): Promise<Cost> {
  const address = JSON.stringify(cluster.address);
  const child = fork(join(import.meta.dirname, 'run-process.ts'), [kind.kind, address], {
    env: { ...process.env, CLUSTER_CONTEXT: 'unused', SETTLE_SECONDS: '0' },
  });
  const [cost] = (await once(child, 'message')) as [Cost];
  return cost;
}

function show(what: string, { report, cpuSeconds, wallSeconds, peakMiB }: Cost): void {
  const { outcomes, statusWrites, requests, failures } = report;
  const traffic = Object.entries(requests).map(
    ([resource, { requests: sent, bytes }]) =>
      `${resource} ${sent} (${Math.round(bytes / 1024)} KiB)`,
  );
  process.stdout.write(
    [
      `${what}: ${cpuSeconds.toFixed(2)} s client CPU, ${wallSeconds.toFixed(2)} s, peak ${Math.round(peakMiB)} MiB`,
      `  created ${outcomes.created}, updated ${outcomes.updated}, status ${statusWrites}, failed ${failures.length}`,
      `  requests: ${traffic.join(', ')}\n`,
    ].join('\n'),
  );
}
