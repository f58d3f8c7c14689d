import { expect, test } from 'vitest';
import { showSteps } from '../../infra/cli/output/progress.ts';
import { runSoak } from '../soak/run-soak.ts';

const seed = Number(process.env.SOAK_SEED ?? 1);
const minute = 60_000;

/** Runs a minute with SOAK_SEED or a fixed seed; for longer runs use `npm run soak -- --real --minutes 60`. */
test(
  'one resync converges everything after a minute of disturbance on the real control plane, and all invariants hold',
  async () => {
    const { checks, failures, counts } = await runSoak({
      ground: 'real',
      minutes: 1,
      seed,
      without: [],
      faultRate: 0.04,
      onStep: showSteps({ err: process.stderr, now: () => new Date() }).onStep,
    });
    const wrong = checks.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`));
    expect([...wrong, ...failures], `SOAK_SEED=${seed}`).toEqual([]);
    expect(counts.deeds).toBeGreaterThan(50);
    expect(counts.kills).toBeGreaterThan(1);
  },
  25 * minute,
);
