import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { secret, service, statefulSet } from '../../shared/kinds/child-types.ts';
import { database } from '../../shared/kinds/database.ts';
import { eventType } from '../../shared/reconcile/commit.ts';
import { base64, dataOf, secretName } from '../scenarios/databases.ts';
import { condition } from '../scenarios/resources.ts';
import { type Arena, openArena } from './arena.ts';
import { deedNames, heal, openCast } from './credentials-race.ts';
import { callsAfter, type Drama, dramasOf, type Ending, playDrama, quiet } from './drama.ts';
import { explore } from './explore.ts';
import { failureNames } from './mishap.ts';
import { skipPauses } from './pauses.ts';
import { effort, isLongRun, patience, stride } from './runs.ts';
import type { Choose } from './turns.ts';

const lines: string[] = [];
let arena: Arena;
let takeBack: () => void;
beforeAll(async () => {
  arena = await openArena({ kinds: [database], hear: (line) => lines.push(line) });
  takeBack = skipPauses();
});
afterAll(() => {
  takeBack();
  arena.stop();
});

const begun = ['create the Database', 'run', 'settle', 'run'];

/** One run to its end, then the other. */
const inTurn: Choose = () => 0;

type Play = ReturnType<typeof openCast> & Ending;

async function check(drama: Drama, choose: Choose): Promise<Play> {
  lines.length = 0;
  const cast = openCast(arena, await arena.open());
  try {
    const play = { ...cast, ...(await playDrama(cast, drama, choose)) };
    expect(cast.ledger.faults, play.story).toEqual([]);
    await expectHealed(play);
    await expectUntold(play);
    return play;
  } finally {
    await cast.ground.close();
  }
}

/** Everything is there once, with the password it had; a further run writes nothing. */
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

/** D-3: in no line at any level, no report, Event, status or child but the Secret itself. */
async function expectUntold({ ground: { api }, ledger, reports }: Play): Promise<void> {
  const objects = await Promise.all(
    [database, eventType, statefulSet].map((type) => api.list(type)),
  );
  const said = JSON.stringify([lines, reports, objects]);
  const forms = [...ledger.passwords].flatMap((encoded) => {
    const text = Buffer.from(encoded, 'base64').toString();
    return [text, encoded, base64(encoded), sha256(text), sha256(encoded)];
  });
  expect(forms.filter((form) => said.includes(form))).toEqual([]);
}

const callsOf = async (before: readonly string[]): Promise<readonly string[]> => {
  const cast = openCast(arena, await arena.open());
  const calls = await callsAfter(cast, before);
  await cast.ground.close();
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
    patience,
  );

  test.each(failureNames)('is generated once, whichever call of a run meets %s', async (how) => {
    const { length } = await callsOf(before);
    for (let at = failureNames.indexOf(how) % stride; at < length; at += stride) {
      const { ledger, story } = await check({ ...quiet, before, mishap: { at, how } }, inTurn);
      expect(ledger.made, story).toHaveLength(1);
    }
  });
});

describe('D-4 a password that was lost', () => {
  test.each(failureNames)(
    'is not generated anew, whichever call of a run meets %s',
    async (how) => {
      const before = [...begun, 'delete the Secret'];
      const { length } = await callsOf(before);
      for (let at = failureNames.indexOf(how) % stride; at < length; at += stride) {
        const { ledger, story } = await check({ ...quiet, before, mishap: { at, how } }, inTurn);
        expect(ledger.made, story).toHaveLength(1);
      }
    },
  );
});

const dramas = dramasOf(deedNames, { birth: 'create the Database', begun });

test(
  'D-1 D-4 after any actions in any order, no run changes a password or generates one too many',
  () =>
    fc.assert(
      fc.asyncProperty(dramas, fc.infiniteStream(fc.nat({ max: 59 })), async (drama, choices) => {
        await check(drama, (waiting) => Number(choices.next().value) % waiting.length);
      }),
      effort(50),
    ),
  patience,
);
