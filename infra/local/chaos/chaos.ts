import type { LocalCluster } from '../cluster.ts';
import { createRandom } from './random.ts';
import { startRandomEdits } from './random-edits.ts';
import { startRandomFaults } from './random-faults.ts';

export interface ChaosOptions {
  readonly cluster: Pick<LocalCluster, 'url' | 'faults' | 'intercept'>;
  readonly seed: number;
  /** The reconciler, whose requests go wrong. */
  readonly user: string;
  /** Hears of each thing that was done. */
  readonly log: (text: string) => void;
  /** From one hand edit or deletion to the next; 3 s by default. */
  readonly pauseMs?: number;
}

export interface Chaos {
  /** From then on everything is left in peace. */
  readonly stop: () => Promise<void>;
}

const faultRate = 0.05;
const slipInRate = 0.05;

/**
 * Makes life hard for the reconciler, so that one can watch everything heal: some of its requests
 * fail, children are edited and deleted by hand, also between its reads and its writes.
 *
 * Caveats: a seed fixes the choices; which request meets which depends on when they come.
 */
export function startChaos(options: ChaosOptions): Chaos {
  const { cluster, seed, user, log, pauseMs = 3_000 } = options;
  const random = createRandom(seed);
  const common = { cluster, random, user, log };
  const endFaults = startRandomFaults({ ...common, rate: faultRate });
  const edits = startRandomEdits({ ...common, rate: slipInRate, pauseMs });
  return {
    async stop() {
      endFaults();
      await edits.stop();
    },
  };
}
