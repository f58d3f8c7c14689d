import { auditEvent, eventList } from '../audit/samples.ts';
import { namespaceOf, openBenchCluster } from './bench-cluster.ts';
import type { Built } from './built-function.ts';
import {
  type Call,
  measureBareClient,
  measureFunction,
  measureReplayed,
  resyncCall,
} from './candidates.ts';
import type { ApiProxy } from './counting-proxy.ts';
import type { Recording } from './exchange.ts';
import { alternate, type Measurement, type Sample } from './figures.ts';
import type { BenchProgress } from './progress.ts';

export interface Setting {
  readonly proxy: ApiProxy;
  readonly progress: BenchProgress;
  readonly real: boolean;
  readonly resources: number;
  readonly rounds: number;
  /** The current version first. */
  readonly versions: readonly [Built, ...Built[]];
}

/** The settings that determine the number of measurements. */
export type Extent = Pick<Setting, 'rounds' | 'versions'>;

/** An edit of this resource's Deployment, as the API server's audit webhook sends it. */
const deliveryOf = (at: number): Call => ({
  target: 'audit',
  body: eventList(
    auditEvent({
      objectRef: {
        apiGroup: 'apps',
        apiVersion: 'v1',
        resource: 'deployments',
        namespace: namespaceOf(at),
        name: `site-${at}`,
      },
    }),
  ),
});

const scenarios = [
  'cold',
  'nothing to do',
  'nothing to do, next resync',
  '1 % drifted',
  '1 % drifted, next resync',
  'one edit, by audit event',
] as const;

/** Counts the measurements; recording each version is one more. */
export const countReplayed = ({ rounds, versions }: Extent): number =>
  versions.length + scenarios.length * (1 + versions.length) * rounds;

interface Step {
  readonly scenario: (typeof scenarios)[number];
  readonly call: Call;
  readonly recording: Recording;
  /** Recording of the previous resync. */
  readonly before?: Recording;
}

/** Records one run of each scenario on a cluster without controllers. */
async function recordSteps(setting: Setting, built: Built): Promise<readonly Step[]> {
  const { proxy, real, resources } = setting;
  const drifted = Math.ceil(resources / 100);
  const cluster = await openBenchCluster({ real, controllers: false });
  const steps: Step[] = [];
  const run = async (scenario: Step['scenario'], call: Call): Promise<Recording> => {
    const recording = proxy.record(cluster.address);
    await measureFunction(proxy, built, call);
    steps.push({ scenario, call, recording });
    return recording;
  };
  try {
    await cluster.createResources(0, resources);
    await run('cold', resyncCall);
    const nextResync = { ...resyncCall, again: true };
    const atRest = await run('nothing to do', resyncCall);
    steps.push({ scenario: 'nothing to do, next resync', call: nextResync, recording: atRest });
    await cluster.scaleByHand(0, drifted, 5);
    const recording = await run('1 % drifted', resyncCall);
    steps.push({
      scenario: '1 % drifted, next resync',
      call: nextResync,
      recording,
      before: atRest,
    });
    await cluster.scaleByHand(drifted, drifted + 1, 5);
    await run('one edit, by audit event', deliveryOf(drifted));
  } finally {
    await cluster.stop();
  }
  return steps;
}

/**
 * Measures each version against the responses recorded for it, and the bare client with the requests of
 * the current version. All are served by the same proxy, so no API server's own time is included.
 */
export async function measureReplayedScenarios(
  setting: Setting,
  report: (measurement: Measurement) => void,
): Promise<void> {
  const { proxy, progress, versions } = setting;
  const recorded: (readonly [Built, readonly Step[]])[] = [];
  for (const built of versions) {
    progress.begin('recording the responses', built.name);
    recorded.push([built, await recordSteps(setting, built)]);
  }
  for (const [at, { scenario, call, recording }] of recorded[0]?.[1].entries() ?? []) {
    const candidates: Record<string, () => Promise<Sample>> = {
      'bare client': () => measureBareClient(proxy, recording, call.again),
    };
    for (const [built, steps] of recorded) {
      const step = steps[at];
      if (step === undefined) continue;
      candidates[built.name] = () =>
        measureReplayed({ proxy, built, call: step.call }, step.recording, step.before);
    }
    await alternate(setting, { scenario, candidates }, report);
  }
}
