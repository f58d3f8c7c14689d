import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTopic } from '../support/pubsub.ts';
import { openBenchCluster } from './bench-cluster.ts';
import { type Serving, serve } from './built-function.ts';
import { measureFunction, resyncCall, sumOf } from './candidates.ts';
import type { Measurement, Sample } from './figures.ts';
import type { Setting } from './replayed.ts';

const topicName = 'projects/bench/topics/requests';

const workerCounts = [2, 4, 8];

/** Counts the measurements; each number of resources adds one for creating and first reconciling them. */
export const countGrowth = (counts: readonly number[]): number =>
  counts.length * (1 + 2 * (1 + workerCounts.length));

/**
 * Measures a cluster with more and more resources: a resync with nothing to do and one that repairs 1 %,
 * by one process and by fan-out over 2, 4 and 8 processes, with every message delivered twice.
 */
export async function measureGrowth(
  setting: Setting,
  counts: readonly number[],
  report: (measurement: Measurement) => void,
): Promise<void> {
  const { proxy, progress, real, versions } = setting;
  const cluster = await openBenchCluster({ real, controllers: false });
  let existing = 0;
  let edits = 0;
  try {
    for (const count of counts) {
      progress.begin(`${count}, cold`, 'one process');
      await cluster.createResources(existing, count, { headless: true });
      proxy.forwardTo(cluster.address);
      await measureFunction(proxy, versions[0], { ...resyncCall, deadlineSeconds: 3_500 });
      const drift = async (): Promise<void> => {
        const share = Math.ceil(count / 100);
        // Edit other Deployments each time: a second edit within 30 s would be contested.
        const from = (edits++ * share) % count;
        await cluster.scaleByHand(from, Math.min(from + share, count), 5);
      };
      const candidates: readonly (readonly [string, () => Promise<Sample>])[] = [
        ['one process', () => measureFunction(proxy, versions[0], resyncCall)],
        ...workerCounts.map(
          (workers) => [`fan-out over ${workers}`, () => fannedOut(setting, workers)] as const,
        ),
      ];
      for (const [candidate, measure] of candidates) {
        const atRest = `${count}, nothing to do`;
        progress.begin(atRest, candidate);
        report({ scenario: atRest, candidate, samples: [await measure()] });
        await drift();
        const drifted = `${count}, 1 % drifted`;
        progress.begin(drifted, candidate);
        report({ scenario: drifted, candidate, samples: [await measure()] });
      }
      existing = count;
    }
  } finally {
    await cluster.stop();
  }
}

/** Measures a resync over all its processes, from the request to the last acknowledged message. */
async function fannedOut({ proxy, versions }: Setting, workers: number): Promise<Sample> {
  const [built] = versions;
  const base = { ...proxy.environment, SETTLE_SECONDS: '0', LOG_LEVEL: 'ERROR' };
  const start = (): Promise<Serving> => serve(built, 'audit', base);
  const audits = await Promise.all(Array.from({ length: workers }, start));
  const bridges = await Promise.all(audits.map(bridge));
  const topic = await startTopic(
    topicName,
    bridges.map(({ url }) => url),
  );
  const env = { ...base, FAN_OUT_TOPIC: topicName, PUBSUB_EMULATOR_HOST: topic.host };
  const resync = await serve(built, 'resync', env);
  const all = [resync, ...audits];
  try {
    proxy.takeTraffic();
    const done = Promise.withResolvers<void>();
    const measured = all.map(({ measure }) => measure(() => done.promise));
    const { reconcileRequests } = (await resync.post({})) as {
      readonly reconcileRequests: readonly object[];
    };
    await topic.idle();
    if (topic.published.length !== reconcileRequests.length)
      throw new Error(`published ${JSON.stringify(topic.published)}`);
    done.resolve();
    return { ...(await Promise.all(measured)).reduce(sumOf), traffic: proxy.takeTraffic() };
  } finally {
    await topic.stop();
    for (const { close } of bridges) close();
    await Promise.all(all.map(({ stop }) => stop()));
  }
}

/** Opens a loopback address for a function that listens on a socket file. */
async function bridge({ socketPath }: Serving) {
  const server = createServer((incoming, response) => {
    const { method, url: path, headers } = incoming;
    const onward = request({ socketPath, method, path, headers }, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}
