import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRandom } from '../../chaos/random.ts';
import { type Client, createClient } from '../../client.ts';
import { type LocalCluster, startLocalCluster } from '../../cluster.ts';
import { gadget, registerDefinitions } from '../contract/definitions.ts';
import { createMask } from './mask.ts';
import { makeMoves } from './moves.ts';
import { playGames } from './random-run.ts';
import { subjectsOf } from './subjects.ts';

const definitions = [gadget];
const subjects = subjectsOf(definitions);

const clusters: LocalCluster[] = [];
const clients: Client[] = [];
beforeAll(async () => {
  for (let count = 0; count < 2; count++) {
    const cluster = await startLocalCluster({ controllers: 'paused' });
    const client = createClient({ url: cluster.url });
    clusters.push(cluster);
    clients.push(client);
    await registerDefinitions(client, definitions);
  }
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all(clusters.map((cluster) => cluster.stop()));
});

/** Wraps the local server and changes some of its answers. */
const changed = (client: Client, change: (text: string) => string): Client => ({
  ...client,
  send: async (request) => {
    const answer = await client.send(request);
    const text = change(answer.text);
    return text === answer.text ? answer : { ...answer, text, body: JSON.parse(text) };
  },
});

describe('the player', () => {
  test('generates the same moves from the same seed', () => {
    expect(makeMoves(createRandom(3), subjects, 20)).toEqual(
      makeMoves(createRandom(3), subjects, 20),
    );
    expect(makeMoves(createRandom(3), subjects, 20)).not.toEqual(
      makeMoves(createRandom(4), subjects, 20),
    );
  });

  test('finds no difference between two equal servers, and no 500', async () => {
    const broken: string[] = [];
    const [local, other] = clients as [Client, Client];
    const watched = changed(local, (text) => {
      if (text.includes('Internal error occurred: ')) broken.push(text);
      return text;
    });
    const servers = { local: watched, real: other };
    const outcome = await playGames({ servers, definitions, steps: 100, seed: 1, tries: 20 });
    expect(outcome.difference).toBeUndefined();
    expect(broken).toEqual([]);
  });

  test('finds a server that never increments a generation, and shrinks it to a few steps', async () => {
    const [local, other] = clients as [Client, Client];
    const stuck = changed(local, (text) => text.replace(/"generation":[2-9]/, '"generation":1'));
    const outcome = await playGames({
      servers: { local: stuck, real: other },
      definitions,
      steps: 2_000,
      seed: 1_000,
      tries: 60,
    });
    expect(outcome.difference).toMatch(/PLAYER_SEED=\d+[\s\S]*metadata\.generation: 1 \/ 2/);
    expect(outcome.difference?.match(/"name": "read/g)?.length).toBeLessThan(4);
  });
});

describe('a mask', () => {
  const versions = (...all: readonly string[]) =>
    all.map((resourceVersion) => ({ metadata: { resourceVersion } }));
  const masked = (objects: readonly object[]) => {
    const mask = createMask();
    return objects.map((object) => mask.apply(object));
  };

  test('distinguishes changed versions from unchanged ones, whatever their values', () => {
    expect(masked(versions('12', '12', '15'))).toEqual(masked(versions('71', '71', '99')));
    expect(masked(versions('12', '12', '15'))).not.toEqual(masked(versions('71', '72', '99')));
  });

  test('compares one cause literally, and several by their fields', () => {
    const refused = (...fields: readonly string[]) => ({
      kind: 'Status',
      reason: 'Invalid',
      message: `Foo "x" is invalid: ${fields.join()}`,
      details: { causes: fields.map((field) => ({ field, message: 'no' })) },
    });
    expect(masked([refused('a', 'b')])).toEqual(masked([refused('b', 'c', 'a')]));
    expect(masked([refused('a')])).not.toEqual(masked([refused('b')]));
  });
});
