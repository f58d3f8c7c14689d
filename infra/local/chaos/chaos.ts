import type { LocalCluster } from '../cluster.ts';
import { startMeddling } from './meddling.ts';
import { startMishaps } from './mishaps.ts';
import { createRandom } from './random.ts';

export interface ChaosOptions {
  readonly cluster: Pick<LocalCluster, 'url' | 'faults' | 'intercept'>;
  readonly seed: number;
  /** The reconciler, whose requests go wrong. */
  readonly user: string;
  /** Hears of each thing that was done. */
  readonly tell: (text: string) => void;
  /** From one hand edit or deletion to the next; 3 s by default. */
  readonly pauseMs?: number;
}

export interface Chaos {
  /** From then on everything is left in peace. */
  readonly stop: () => Promise<void>;
}

const mishapRate = 0.05;
const slipInRate = 0.05;

/**
 * Makes life hard for the reconciler, so that one can watch everything heal: some of its requests
 * fail, children are edited and deleted by hand, also between its reads and its writes.
 *
 * Caveats: a seed fixes the choices; which request meets which depends on when they come.
 */
export function startChaos(options: ChaosOptions): Chaos {
  const { cluster, seed, user, tell, pauseMs = 3_000 } = options;
  const random = createRandom(seed);
  const common = { cluster, random, user, tell };
  const endMishaps = startMishaps({ ...common, rate: mishapRate });
  const meddling = startMeddling({ ...common, rate: slipInRate, pauseMs });
  return {
    async stop() {
      endMishaps();
      await meddling.stop();
    },
  };
}
