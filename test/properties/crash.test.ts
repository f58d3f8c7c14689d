import pMap from 'p-map';
import { describe, expect, test } from 'vitest';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { type Around, eachCall } from '../reconcile/calls.ts';
import { look } from '../reconcile/desired.ts';
import type { Place, Settings } from '../reconcile/engine.ts';
import { useEngine } from '../reconcile/use-engine.ts';
import { stride } from './runs.ts';
import { childCount, settlingOf, theirs, unfinished, worlds } from './worlds.ts';

const engine = useEngine();

/** Counts two Deployments, a Service and a foreign Deployment. */
const everything = 4;

describe.each(Object.keys(worlds))('a run over the world “%s” that crashes', (name) => {
  test('at any call is completed by the next run', async () => {
    const calls = await callsOf(name);
    expect(calls.length).toBeGreaterThan(6);
    // Tries every crash in a long run, otherwise every third one.
    const deaths = calls
      .flatMap((call, at) => moments(at).map((when) => ({ call, at, when })))
      .filter((_, nth) => nth % stride === 0);
    await pMap(
      deaths,
      async ({ call, at, when }) => {
        const place = await prepared(name);
        const before = await theirs(place);
        const through: Settings['through'] = (port) => eachCall(port, dying(at, when));
        await place.resync({ ...settlingOf(name), through });
        await place.resync();
        const scene = await look(place.api);
        expect(unfinished(scene), `${when} ${call}`).toEqual([]);
        const reasons = (await place.api.list(eventType)).map(({ reason }) => reason);
        if (isCold(name)) expect(reasons, `${when} ${call}`).toEqual(['Synced']);
        expect(await childCount(place)).toBe(everything);
        expect(await theirs(place)).toBe(before);
      },
      { concurrency: 4 },
    );
  });
});

const isCold = (name: string): boolean => name.startsWith('cold');

type Moment = 'before' | 'after';

const moments = (at: number): readonly Moment[] =>
  at % 2 === 0 ? ['before', 'after'] : ['after', 'before'];

async function prepared(name: string): Promise<Place> {
  const place = await engine.place();
  await worlds[name]!(engine, place);
  await engine.cluster.controllers.settled();
  return place;
}

/** Lists the calls of an undisturbed run. */
async function callsOf(name: string): Promise<readonly string[]> {
  const place = await prepared(name);
  const calls: string[] = [];
  const recorded: Around = (what, call) => {
    calls.push(what);
    return call();
  };
  await place.resync({ ...settlingOf(name), through: (port) => eachCall(port, recorded) });
  return calls;
}

/** Ends the process at one call, before or after the server executes it; no later call is made. */
function dying(last: number, when: Moment): Around {
  let calls = 0;
  return async (what, call) => {
    const at = calls++;
    if (at < last) return call();
    if (at === last && when === 'after') await call();
    throw new Error(`the process is gone: ${what}`);
  };
}
