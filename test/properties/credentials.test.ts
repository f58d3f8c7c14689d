import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statefulSet } from '../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../shared/kinds/child-types/core.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { database } from '../../systems/database.ts';
import { base64, dataOf, secretName } from '../scenarios/databases.ts';
import { condition } from '../scenarios/resources.ts';
import { failureNames } from './call-fault.ts';
import { actionNames, heal, openActors } from './credentials-race.ts';
import { explore } from './explore.ts';
import { skipPauses } from './pauses.ts';
import { effort, isLongRun, stride, testTimeoutMs } from './runs.ts';
import { openTestbed, type Testbed } from './testbed.ts';
import {
  callsAfter,
  type Ending,
  playTimeline,
  quiet,
  type Timeline,
  timelinesOf,
} from './timeline.ts';
import type { Choose } from './turns.ts';

const lines: string[] = [];
let testbed: Testbed;
let restoreTimers: () => void;
beforeAll(async () => {
  testbed = await openTestbed({ kinds: [database], onLog: (line) => lines.push(line) });
  restoreTimers = skipPauses();
});
afterAll(() => {
  restoreTimers();
  testbed.stop();
});

const begun = ['create the Database', 'run', 'settle', 'run'];

/** Lets one run finish, then the other. */
const inTurn: Choose = () => 0;

type Play = ReturnType<typeof openActors> & Ending;

async function check(timeline: Timeline, choose: Choose): Promise<Play> {
  lines.length = 0;
  const actors = openActors(testbed, await testbed.open());
  try {
    const play = { ...actors, ...(await playTimeline(actors, timeline, choose)) };
    expect(actors.ledger.faults, play.story).toEqual([]);
    await expectHealed(play);
    await expectUntold(play);
    return play;
  } finally {
    await actors.ground.close();
  }
}

/** Expects one of each object with the old password, and a further run to write nothing. */
async function expectHealed(play: Play): Promise<void> {
  const { ground, story } = play;
  const { api, run } = ground;
  await heal(play);
  const live = await api.get(database, 'shop');
  expect(condition(live, 'Ready'), story).toMatchObject({ status: 'True' });
  const credentials = await api.get(secret, secretName);
  expect(dataOf(credentials), story).toMatchObject({
    username: base64('admin'),
    database: base64('mydb'),
  });
  for (const type of [secret, statefulSet, service]) {
    const owners = (await api.list(type)).map(({ metadata }) => metadata.ownerReferences?.[0]?.uid);
    expect(owners, story).toEqual([live.metadata.uid]);
  }
  const { outcomes, statusWrites } = await run();
  expect({ ...outcomes, statusWrites }, story).toEqual({
    created: 0,
    updated: 0,
    deleted: 0,
    skipped: 0,
    failed: 0,
    blocked: 0,
    statusWrites: 0,
  });
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Expects that no log line, report, Event, status or child except the Secret contains the password (D-3). */
async function expectUntold({ ground: { api }, ledger, reports }: Play): Promise<void> {
  const objects = await Promise.all(
    [database, eventType, statefulSet].map((type) => api.list(type)),
  );
  const text = JSON.stringify([lines, reports, objects]);
  const forms = [...ledger.passwords].flatMap((encoded) => {
    const text = Buffer.from(encoded, 'base64').toString();
    return [text, encoded, base64(encoded), sha256(text), sha256(encoded)];
  });
  expect(forms.filter((form) => text.includes(form))).toEqual([]);
}

const callsOf = async (before: readonly string[]): Promise<readonly string[]> => {
  const actors = openActors(testbed, await testbed.open());
  const calls = await callsAfter(actors, before);
  await actors.ground.close();
  return calls;
};

describe('D-1 the password of a new Database', () => {
  const before = ['create the Database'];

  test(
    'is generated once, in any order of two runs',
    async () => {
      const orders = await explore(1 + Number(isLongRun), async (choose) => {
        const { ledger, story } = await check({ ...quiet, before }, choose);
        expect(ledger.made, story).toHaveLength(1);
      });
      expect(orders).toBeGreaterThan(20 / stride);
    },
    testTimeoutMs,
  );

  test.each(failureNames)('is generated once, whichever call of a run meets %s', async (how) => {
    const { length } = await callsOf(before);
    for (let at = failureNames.indexOf(how) % stride; at < length; at += stride) {
      const { ledger, story } = await check({ ...quiet, before, callFault: { at, how } }, inTurn);
      expect(ledger.made, story).toHaveLength(1);
    }
  });
});

describe('D-4 a password that was lost', () => {
  test.each(failureNames)(
    'is not generated again, whichever call of a run meets %s',
    async (how) => {
      const before = [...begun, 'delete the Secret'];
      const { length } = await callsOf(before);
      for (let at = failureNames.indexOf(how) % stride; at < length; at += stride) {
        const { ledger, story } = await check({ ...quiet, before, callFault: { at, how } }, inTurn);
        expect(ledger.made, story).toHaveLength(1);
      }
    },
  );
});

const timelines = timelinesOf(actionNames, { birth: 'create the Database', begun });

test(
  'D-1 D-4 after any actions in any order, no run changes a password or generates a second one',
  () =>
    fc.assert(
      fc.asyncProperty(
        timelines,
        fc.infiniteStream(fc.nat({ max: 59 })),
        async (timeline, choices) => {
          await check(timeline, (waiting) => Number(choices.next().value) % waiting.length);
        },
      ),
      effort(50),
    ),
  testTimeoutMs,
);
