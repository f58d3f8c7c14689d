import { afterAll, beforeAll, expect, test } from 'vitest';
import { startLocalCluster } from '../../infra/local/cluster.ts';
import { createClient } from '../contract/client.ts';
import { registerDefinitions } from '../contract/definitions.ts';
import { isModelled } from '../control-plane/release.ts';
import { startControlPlane } from '../control-plane/start.ts';
import type { Servers } from '../player/game.ts';
import { definitions } from '../player/subjects.ts';
import { playGames } from '../player/tournament.ts';

const steps = Number(process.env.PLAYER_STEPS ?? 4_000);
const seed = Number(process.env.PLAYER_SEED ?? 1);

let servers: Servers;
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  const controlPlane = await startControlPlane({ controllers: false });
  ends.push(controlPlane.stop);
  const cluster = await startLocalCluster({ controllers: 'paused' });
  ends.push(cluster.stop);
  const { url, ca, tokens } = controlPlane;
  const real = createClient({ url, ca, token: tokens.admin });
  const local = createClient({ url: cluster.url });
  ends.push(real.close, local.close);
  servers = { real, local };
  await Promise.all([real, local].map((client) => registerDefinitions(client, definitions)));
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

const timeout = 60_000 + 100 * steps;

test.runIf(isModelled())(
  `the local server answers ${steps} requests made at random as the real one does`,
  async () => {
    const outcome = await playGames({ servers, steps, seed, tries: 150 });
    expect(outcome.difference).toBeUndefined();
    expect(outcome.steps).toBeGreaterThanOrEqual(steps);
  },
  timeout,
);
