import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../shared/kinds/child-types/core.ts';
import { application } from '../../systems/application.ts';
import { child, digestOf, greetingKey } from '../scenarios/applications.ts';
import { base64, dataOf } from '../scenarios/databases.ts';
import { failureNames } from './call-fault.ts';
import { actionNames, type Digests, learnDigests, openActors } from './greeting-race.ts';
import { skipPauses } from './pauses.ts';
import { effort, isLongRun, stride, testTimeoutMs } from './runs.ts';
import { openTestbed, type Testbed } from './testbed.ts';
import { callsAfter, playTimeline, quiet, type Timeline, timelinesOf } from './timeline.ts';
import type { Choose } from './turns.ts';

let testbed: Testbed;
let restoreTimers: () => void;
let digests: Digests;
beforeAll(async () => {
  testbed = await openTestbed({ kinds: [application] });
  digests = await learnDigests(testbed);
  restoreTimers = skipPauses();
});
afterAll(() => {
  restoreTimers();
  testbed.stop();
});

const birth = 'create the Application';
const begun = [birth, 'run', 'settle', 'run'];

/** Lets one run finish, then the other. */
const inTurn: Choose = () => 0;

async function check(timeline: Timeline, choose: Choose): Promise<void> {
  const actors = openActors(testbed, await testbed.open(), digests);
  try {
    const { story } = await playTimeline(actors, timeline, choose);
    expect(actors.early, story).toEqual([]);
    for (let times = 0; times < 3; times++) {
      await testbed.settle();
      await actors.ground.run();
    }
    await expectWhole(actors, story);
  } finally {
    await actors.ground.close();
  }
}

/** Expects one of each object, with Secret and digest of the greeting, and a further run to write nothing. */
async function expectWhole(
  { ground }: ReturnType<typeof openActors>,
  story: string,
): Promise<void> {
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

/** Actions before a run, by their name. */
const worlds: Readonly<Record<string, readonly string[]>> = {
  'with a new Application': [birth],
  'with a new greeting': [...begun, 'greet with Hello'],
  'with a new greeting and image': [...begun, 'greet with Hello from another image'],
  'with a Secret edited by hand': [...begun, 'edit the Secret'],
  'with a Secret deleted by hand': [...begun, 'delete the Secret', 'scale the Deployment'],
};

/** Tries a failure at some calls of each world, at others in each run of the tests; at all in a long run. */
const parts = isLongRun ? 1 : 3 * stride;
const offset = Date.now();

describe.each(Object.keys(worlds))('A-5 A-7 a run over a world %s', (name) => {
  test.each(failureNames)('survives, at any call, %s', async (how) => {
    const before = worlds[name] ?? [];
    const actors = openActors(testbed, await testbed.open(), digests);
    const { length } = await callsAfter(actors, before);
    await actors.ground.close();
    const part = (offset + failureNames.indexOf(how) + Object.keys(worlds).indexOf(name)) % parts;
    for (let at = part; at < length; at += parts) {
      await check({ ...quiet, before, callFault: { at, how } }, inTurn);
    }
  });
});

const timelines = timelinesOf(actionNames, { birth, begun });

test(
  'A-5 after any actions in any order, no Deployment is written before its Secret',
  () =>
    fc.assert(
      fc.asyncProperty(
        timelines,
        fc.infiniteStream(fc.nat({ max: 59 })),
        async (timeline, choices) => {
          await check(timeline, (waiting) => Number(choices.next().value) % waiting.length);
        },
      ),
      effort(40),
    ),
  testTimeoutMs,
);
