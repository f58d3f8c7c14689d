import { openBenchCluster } from './bench-cluster.ts';
import { type Call, measureFunction, resyncCall } from './candidates.ts';
import { alternate, type Measurement } from './figures.ts';
import type { Extent, Setting } from './replayed.ts';

const scenarios: Readonly<Record<string, { readonly controllers: boolean; readonly call: Call }>> =
  {
    'cold, settled': { controllers: true, call: { ...resyncCall, settleSeconds: 60 } },
    'cold, two instances at once': { controllers: false, call: { ...resyncCall, instances: 2 } },
  };

/** Limits the rounds, because each sample starts a new cluster. */
export const fewer = (rounds: number): number => Math.min(rounds, 3);

export const countLive = ({ rounds, versions }: Extent): number =>
  Object.keys(scenarios).length * versions.length * fewer(rounds);

/** Measures the scenarios that need a server that reacts to writes: each sample starts a new cluster. */
export async function measureLiveScenarios(
  { proxy, progress, real, resources, rounds, versions }: Setting,
  report: (measurement: Measurement) => void,
): Promise<void> {
  for (const [scenario, { controllers, call }] of Object.entries(scenarios)) {
    const candidates = versions.map((built) => {
      const measure = async () => {
        const cluster = await openBenchCluster({ real, controllers });
        try {
          await cluster.createResources(0, resources);
          proxy.forwardTo(cluster.address);
          return await measureFunction(proxy, built, call);
        } finally {
          await cluster.stop();
        }
      };
      return [built.name, measure] as const;
    });
    await alternate(
      { progress, rounds: fewer(rounds) },
      { scenario, candidates: Object.fromEntries(candidates) },
      report,
    );
  }
}
