import type { LocalCluster } from '@serverless-reconciler/local-cluster';
import pMap from 'p-map';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { look } from '../reconcile/desired.ts';
import { engineUser, type Place, type RequestRecord } from '../reconcile/engine.ts';
import { useEngine } from '../reconcile/use-engine.ts';
import { isLongRun, stride, testTimeoutMs } from './runs.ts';
import { childCount, settlingOf, theirs, unfinished, worlds } from './worlds.ts';

type Fault = Parameters<LocalCluster['faults']['add']>[0];

vi.setConfig({ maxConcurrency: 64 });

const engine = useEngine();

/**
 * Faults of a call. With `within` the run itself recovers; otherwise it reports the work that is left to the
 * next run.
 */
const faults: Readonly<
  Record<string, Pick<Fault, 'effect' | 'times'> & { readonly within: boolean }>
> = {
  'a conflict': { effect: { kind: 'status', code: 409 }, within: false },
  overload: { effect: { kind: 'status', code: 429, retryAfter: 1 }, within: true },
  'an internal error': { effect: { kind: 'status', code: 500 }, within: true },
  unavailability: { effect: { kind: 'status', code: 503 }, within: true },
  'a connection lost before the request': {
    effect: { kind: 'drop', when: 'before' },
    within: true,
  },
  'a lost response': { effect: { kind: 'drop', when: 'after' }, within: true },
  slowness: { effect: { kind: 'delay', ms: 50 }, within: true },
  'a lasting internal error': {
    effect: { kind: 'status', code: 500 },
    times: 100,
    within: false,
  },
  'a lasting loss of responses': {
    effect: { kind: 'drop', when: 'after' },
    times: 100,
    within: false,
  },
};

const everything = 4;

/** Tries a fault at some calls of each world, at others in each run of the tests; at all in a long run. */
const parts = isLongRun ? 1 : 4 * stride;
const offset = Date.now();

describe.concurrent.each(Object.keys(worlds))(
  'a run over the world “%s” survives, at any call,',
  (world) => {
    let calls: readonly Call[];
    beforeAll(async () => {
      calls = await callsOf(world);
      expect(calls.length).toBeGreaterThan(6);
    });

    test.each(Object.keys(faults))(
      '%s',
      async (name) => {
        const { within, ...fault } = faults[name]!;
        const part = (offset + indexIn(faults, name) + indexIn(worlds, world)) % parts;
        const tried = calls.filter((_, at) => at % parts === part);
        await pMap(tried, (call) => survive(world, call, { fault, within }), { concurrency: 8 });
      },
      testTimeoutMs,
    );
  },
);

const indexIn = (all: object, name: string): number => Object.keys(all).indexOf(name);

async function survive(
  world: string,
  call: Call,
  { fault, within }: { readonly fault: Pick<Fault, 'effect' | 'times'>; readonly within: boolean },
): Promise<void> {
  const what = `${call.verb} ${call.resource}/${call.subresource} ${call.name} ${call.nth}`;
  const place = await prepared(world);
  const before = await theirs(place);
  const { namespace } = place;
  const repair = engine.cluster.faults.add({ user: engineUser, namespace, ...call, ...fault });
  const begun = place.requests().length;
  const report = await place.resync(settlingOf(world));
  repair();
  const done = place.requests().slice(begun);
  const left = unfinished(await look(place.api));
  const reported = report.failures.length + report.incomplete.length + report.undone.length;
  if (within) expect({ left, reported }, what).toEqual({ left: [], reported: 0 });
  if (left.length > 0) expect(reported, `${what}: not reported: ${left}`).toBeGreaterThan(0);
  // Only children of the Foo are deleted in these worlds.
  if (report.incomplete.some(({ kind }) => kind === 'foos.example.com'))
    expect(done.filter(({ verb }) => verb === 'delete')).toEqual([]);
  await place.resync();
  expect(unfinished(await look(place.api)), what).toEqual([]);
  expect(await childCount(place)).toBe(everything);
  expect(await theirs(place)).toBe(before);
}

async function prepared(world: string): Promise<Place> {
  const place = await engine.place();
  await worlds[world]!(engine, place);
  await engine.cluster.controllers.settled();
  return place;
}

/** A request of a run, numbered among equal ones. */
interface Call
  extends Pick<RequestRecord, 'resource' | 'subresource' | 'name'>,
    Pick<Required<Fault>, 'verb' | 'nth'> {}

/** Lists the requests of an undisturbed run. */
async function callsOf(world: string): Promise<readonly Call[]> {
  const place = await prepared(world);
  const begun = place.requests().length;
  await place.resync(settlingOf(world));
  const seen: string[] = [];
  return place
    .requests()
    .slice(begun)
    .map(({ verb, resource, subresource, name }) => {
      const key = `${verb} ${resource}/${subresource} ${name}`;
      seen.push(key);
      const nth = seen.filter((one) => one === key).length;
      return { verb: verb as Call['verb'], resource, subresource, name, nth };
    });
}
