import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { application } from '../../shared/kinds/application.ts';
import { deployment, secret, service } from '../../shared/kinds/child-types.ts';
import { child, digestOf, greetingKey } from '../scenarios/applications.ts';
import { base64, dataOf } from '../scenarios/databases.ts';
import { type Arena, openArena } from './arena.ts';
import { callsAfter, type Drama, dramasOf, playDrama, quiet } from './drama.ts';
import { type Digests, deedNames, learnDigests, openCast } from './greeting-race.ts';
import { failureNames } from './mishap.ts';
import { skipPauses } from './pauses.ts';
import { effort, isLongRun, patience, stride } from './runs.ts';
import type { Choose } from './turns.ts';

let arena: Arena;
let takeBack: () => void;
let digests: Digests;
beforeAll(async () => {
  arena = await openArena({ kinds: [application] });
  digests = await learnDigests(arena);
  takeBack = skipPauses();
});
afterAll(() => {
  takeBack();
  arena.stop();
});

const birth = 'create the Application';
const begun = [birth, 'run', 'settle', 'run'];

/** One run to its end, then the other. */
const inTurn: Choose = () => 0;

async function check(drama: Drama, choose: Choose): Promise<void> {
  const cast = openCast(arena, await arena.open(), digests);
  try {
    const { story } = await playDrama(cast, drama, choose);
    expect(cast.early, story).toEqual([]);
    for (let times = 0; times < 3; times++) {
      await arena.settle();
      await cast.ground.run();
    }
    await expectWhole(cast, story);
  } finally {
    await cast.ground.close();
  }
}

/** Exactly one of each, the Secret and the digest as the greeting has them; a further run writes nothing. */
async function expectWhole({ ground }: ReturnType<typeof openCast>, story: string): Promise<void> {
  const { api, run } = ground;
  const live = await api.find(application, 'shop');
  for (const type of [secret, deployment, service]) {
    expect(await api.list(type), story).toHaveLength(live === undefined ? 0 : 1);
  }
  const { outcomes, statusWrites } = await run();
  expect([...Object.values(outcomes), statusWrites], story).toEqual([0, 0, 0, 0, 0, 0, 0]);
  if (live === undefined) return;
  const content = base64(String(live.spec?.greeting));
  expect(dataOf(await api.get(secret, child.secret)), story).toEqual({ [greetingKey]: content });
  const workload = await api.get(deployment, child.deployment);
  expect(digestOf(workload), story).toBe(digests.get(content));
  expect(workload.spec?.replicas, story).toBe(live.spec?.amountPods);
}

/** What a run comes to, and in how many of its calls it may be disturbed. */
const worlds: Readonly<Record<string, readonly string[]>> = {
  'of a new Application': [birth],
  'of a new greeting': [...begun, 'greet with Hello'],
  'of a new greeting and image': [...begun, 'greet with Hello from another image'],
  'of a Secret edited by hand': [...begun, 'edit the Secret'],
  'of a Secret deleted by hand': [...begun, 'delete the Secret', 'scale the Deployment'],
};

/** A failure meets some calls of a world, in each world and in each run of the tests others; all in a long run. */
const parts = isLongRun ? 1 : 3 * stride;
const offset = Date.now();

describe.each(Object.keys(worlds))('A-5 A-7 a run over a world %s', (name) => {
  test.each(failureNames)('survives at any call %s', async (how) => {
    const before = worlds[name] ?? [];
    const cast = openCast(arena, await arena.open(), digests);
    const { length } = await callsAfter(cast, before);
    await cast.ground.close();
    const part = (offset + failureNames.indexOf(how) + Object.keys(worlds).indexOf(name)) % parts;
    for (let at = part; at < length; at += parts) {
      await check({ ...quiet, before, mishap: { at, how } }, inTurn);
    }
  });
});

const dramas = dramasOf(deedNames, { birth, begun });

test(
  'A-5 whatever is done in whatever order, no Deployment is written before its Secret',
  () =>
    fc.assert(
      fc.asyncProperty(dramas, fc.infiniteStream(fc.nat({ max: 59 })), async (drama, choices) => {
        await check(drama, (waiting) => Number(choices.next().value) % waiting.length);
      }),
      effort(40),
    ),
  patience,
);
