import { startLocalCluster } from '@serverless-reconciler/local-cluster';
import { type Client, createClient } from '@serverless-reconciler/local-cluster/client';
import { startControlPlane } from '@serverless-reconciler/local-cluster/control-plane';
import { isModelled } from '@serverless-reconciler/local-cluster/control-plane/release';
import { gadget, registerDefinitions } from '@serverless-reconciler/local-cluster/definitions';
import { playGames } from '@serverless-reconciler/local-cluster/player';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { kinds } from '../support/config.ts';

const definitions = [gadget, ...kinds.map(customResourceDefinition)];
const steps = Number(process.env.PLAYER_STEPS ?? 4_000);
const seed = Number(process.env.PLAYER_SEED ?? 1);

let servers: { readonly local: Client; readonly real: Client };
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
  `the embedded API server responds to ${steps} random requests like the real one`,
  async () => {
    const outcome = await playGames({ servers, definitions, steps, seed, tries: 150 });
    expect(outcome.difference).toBeUndefined();
    expect(outcome.steps).toBeGreaterThanOrEqual(steps);
  },
  timeout,
);
