import type { LocalCluster } from '../cluster.ts';
import { createRandom } from './random.ts';
import { startRandomEdits } from './random-edits.ts';
import { startRandomFaults } from './random-faults.ts';

export interface ChaosOptions {
  readonly cluster: Pick<LocalCluster, 'url' | 'faults' | 'intercept'>;
  readonly seed: number;
  /** The user whose requests fail: the reconciler. */
  readonly user: string;
  /** The label selector of the objects that are edited and deleted: its children. */
  readonly selector: string;
  /** Receives a line for each fault and edit. */
  readonly log: (text: string) => void;
  /** The time between two random edits or deletions; 3 s by default. */
  readonly pauseMs?: number;
}

export interface Chaos {
  /** Ends all faults and edits. */
  readonly stop: () => Promise<void>;
}

const faultRate = 0.05;
const editRate = 0.05;

/**
 * Injects failures to show that the reconciler recovers. Some of its requests fail, and children are edited and
 * deleted, also between its reads and its writes.
 *
 * Caveats: a seed determines the choices; timing determines the request that each choice meets.
 */
export function startChaos(options: ChaosOptions): Chaos {
  const { cluster, seed, user, selector, log, pauseMs = 3_000 } = options;
  const random = createRandom(seed);
  const common = { cluster, random, user, log };
  const endFaults = startRandomFaults({ ...common, rate: faultRate });
  const edits = startRandomEdits({ ...common, selector, rate: editRate, pauseMs });
  return {
    async stop() {
      endFaults();
      await edits.stop();
    },
  };
}
