import type { Random } from '@serverless-reconciler/local-cluster/random';
import type { Effect } from './effects.ts';

/** Effects, all equally likely. */
const effects: readonly ((random: Random) => Effect)[] = [
  (random) => ({ kind: 'delay', ms: 20 + random.below(1_500) }),
  () => ({ kind: 'drop', when: 'before' }),
  () => ({ kind: 'drop', when: 'after' }),
  () => ({ kind: 'refuse', code: 429, retryAfterSeconds: 1 }),
  (random) => ({ kind: 'refuse', code: random.pick([500, 503] as const) }),
  () => ({ kind: 'cut' }),
  (random) => ({ kind: 'hang', ms: 1_000 + random.below(5_000) }),
];

/** Chooses a fault for this share of the requests, from 0 to 1. */
export const chooseFault = (random: Random, rate: number): Effect | undefined =>
  random.chance(rate) ? random.pick(effects)(random) : undefined;
