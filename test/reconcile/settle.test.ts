import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { areasOf } from '../../shared/reconcile/area.ts';
import { worldOf } from '../../shared/reconcile/read.ts';
import type { Run } from '../../shared/reconcile/run.ts';
import { settle } from '../../shared/reconcile/settle.ts';
import type { LiveWorld } from '../../shared/reconcile/state.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { observeResource } from '../support/observe.ts';
import { foo as live } from '../support/resources.ts';
import { type Engine, openEngine } from './engine.ts';
import { requestCounts } from './request-counts.ts';

const worldIn = (namespace: string, name: string, kind: LiveWorld['kind'] = foo): LiveWorld =>
  worldOf(kind, observeResource(live({ metadata: { name, namespace } })), new Map());
const many = (count: number, namespace = 'a'): readonly LiveWorld[] =>
  Array.from({ length: count }, (_, at) => worldIn(namespace, `f${at}`));
const namespaces = (count: number): readonly LiveWorld[] =>
  Array.from({ length: count }, (_, at) => worldIn(`n${at}`, 'f'));

const all = { kinds: [foo, website], namespaces: undefined, name: undefined };

describe('the areas that are read again', () => {
  it.each([
    ['by name where few wait', many(3), ['a/f0', 'a/f1', 'a/f2']],
    ['by namespace where many do', many(9), ['a/']],
    ['by namespace where many do in several', [...many(7), ...many(7, 'b')], ['a/', 'b/']],
    ['as the run began where they are in many', namespaces(9), ['undefined/']],
  ])('is %s', (_, worlds, want) => {
    const areas = areasOf(worlds, [all]);
    expect(areas.every(({ kinds }) => kinds.length === 1 && kinds[0] === foo)).toBe(true);
    expect(areas.map((one) => `${one.namespaces}/${one.name ?? ''}`)).toEqual(want);
  });

  it('is never more than eight areas for each kind', () => {
    for (let count = 1; count < 40; count++) {
      expect(areasOf(namespaces(count), [all]).length).toBeLessThanOrEqual(8);
      expect(areasOf(many(count), [all]).length).toBeLessThanOrEqual(8);
    }
  });
});

/** A run in simulated time, in which looking and writing again takes so long. */
async function settled(seconds: number, passMs: number, ready = Number.POSITIVE_INFINITY) {
  let time = 0;
  const looks: number[] = [];
  const run = {
    deadline: 1_000_000,
    now: () => new Date(time),
    cluster: { withTimeout: () => undefined },
  } as unknown as Run;
  await settle(run, many(1), {
    seconds,
    wait: async (ms) => {
      time += ms;
    },
    runPass: async (_, worlds) => {
      looks.push(time);
      const state = time >= ready ? 'Ready' : 'Reconciling';
      time += passMs;
      const summary = { state, reason: 'Progressing', message: 'not yet' } as const;
      const result = {
        ...{ key: '', namespace: '', outcomes: [] },
        ...{ wrote: false, statusWritten: false, cutOff: false },
      };
      return { worlds, results: worlds.map(() => ({ ...result, summary })) };
    },
  });
  return { looks, end: time };
}

describe('settling', () => {
  it('reads after 1, 2, 4 … seconds', async () => {
    expect((await settled(100, 0)).looks.slice(0, 4)).toEqual([1000, 3000, 7000, 15_000]);
  });

  it.each([0, 1, 2, 15, 600])(
    'of %i seconds ends on time, however long a read takes',
    async (seconds) => {
      for (const passMs of [0, 10, 200, 240]) {
        const { end } = await settled(seconds, passMs);
        expect(end).toBeLessThanOrEqual(seconds * 1000);
      }
      // One that takes longer than the last one is cut off; there is none after it.
      for (const passMs of [1_000, 5_000]) {
        const { looks, end } = await settled(seconds, passMs);
        expect(looks.every((at) => at <= seconds * 1000)).toBe(true);
        expect(end).toBeLessThan(seconds * 1000 + passMs);
      }
    },
  );

  it('reads at least once, with time to write the result', async () => {
    expect((await settled(1, 200)).looks).toEqual([750]);
  });

  it('ends once all is Ready', async () => {
    expect((await settled(600, 10, 5_000)).looks).toEqual([1000, 3010, 7020]);
  });
});

describe('a run that waits for what it wrote', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openEngine();
  });
  afterAll(() => engine.stop());

  test('takes a list of each kind, and one status write for each that became Ready', async () => {
    const place = await engine.place();
    const count = 20;
    for (let at = 0; at < count; at++)
      await place.api.create(website, `w${at}`, {
        spec: { imageTag: 'v1', nodePort: place.nodePort() },
      });
    engine.cluster.requests.reset();
    await place.tick({ kinds: [website], settleSeconds: 2 });
    const { 'patch websites/status': statuses = 0, ...rest } = requestCounts(engine);
    expect(statuses).toBeLessThanOrEqual(2 * count);
    expect(
      Object.values(await place.api.list(website)).every(
        ({ status }) => status?.conditions?.[0]?.status === 'True',
      ),
    ).toBe(true);
    expect(rest).toMatchObject({ 'patch deployments': count, 'patch services': count });
    expect(rest['list websites']).toBeLessThanOrEqual(3);
    expect(rest['list deployments']).toBe(rest['list websites']);
    expect(rest['get websites']).toBeUndefined();
  });
});
