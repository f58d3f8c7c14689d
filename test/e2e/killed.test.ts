import { createRandom } from '@serverless-reconciler/local-cluster/random';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestClusterName } from '../scenarios/test-cluster.ts';
import { type Death, describeDeath, type Executioner, openExecutioner } from '../soak/killed.ts';

const seed = Number(process.env.KILLED_SEED ?? 1);
/** Number of kills to try; `all` means before and after each request. */
const tries = process.env.KILLED ?? '';
const minute = 60_000;

/** Chooses `count` kills spread over the requests; without a count, all of them. */
function deathsOf(requests: number, count: number | undefined): readonly Death[] {
  const random = createRandom(seed);
  const all = Array.from({ length: requests }, (_, at) => at + 1).flatMap((at) =>
    (['before', 'after'] as const).map((when) => ({ at, when })),
  );
  if (count === undefined) return all;
  const stride = requests / count;
  return Array.from({ length: count }, (_, turn) => {
    const at = Math.min(
      requests,
      1 + Math.floor(turn * stride + random.below(1_000) * stride * 0.001),
    );
    return all.filter((death) => death.at === at)[random.below(2)] as Death;
  });
}

describe.each<{ readonly ground: TestClusterName; readonly count: number }>([
  { ground: 'local', count: 12 },
  { ground: 'real', count: 6 },
])('a run killed at any request, on the $ground cluster', ({ ground, count }) => {
  let executioner: Executioner;
  beforeAll(async () => {
    executioner = await openExecutioner(ground);
  }, 15 * minute);
  afterAll(() => executioner?.close());

  test(
    'is completed by the next run without duplicates, and loses an Event only between a write and its commit',
    async () => {
      expect(executioner.requests).toBeGreaterThan(40);
      const number = tries === 'all' ? undefined : Number(tries || count);
      const wrong: string[] = [];
      const deaths = deathsOf(executioner.requests, number);
      for (const death of deaths) {
        const faults = await executioner.tryDeath(death);
        wrong.push(
          ...faults.map((fault) => `${describeDeath(death)} (KILLED_SEED=${seed}): ${fault}`),
        );
      }
      expect(wrong).toEqual([]);
      // Some runs end before their kill, because they send fewer requests than the undisturbed run.
      expect(executioner.deaths()).toBeGreaterThanOrEqual(deaths.length / 3);
    },
    600 * minute,
  );
});
