import { describe, expect, it, test } from 'vitest';
import { keyOfResource, worldOf } from '../../shared/reading/read.ts';
import type { Result } from '../../shared/resource/reconcile.ts';
import { lastOf, openPasses, settle } from '../../shared/resync/settle.ts';
import { areasOf } from '../../shared/run/area.ts';
import type { Run } from '../../shared/run/run.ts';
import type { LiveWorld } from '../../shared/run/state.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { identity, observeResource } from '../support/observe.ts';
import { foo as live } from '../support/resources.ts';

const worldIn = (namespace: string, name: string, kind: LiveWorld['kind'] = foo): LiveWorld =>
  worldOf(
    { identity, kind, resource: observeResource(live({ metadata: { name, namespace } })) },
    new Map(),
  );
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
        ...{ wrote: false, statusWritten: false, cutOff: false, met: false },
      };
      return { worlds, results: worlds.map(() => ({ ...result, summary })), listMs: 0 };
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

describe('a pass', () => {
  const summaryOf = (state: 'Ready' | 'Reconciling' | 'Stalled', reason = 'Progressing') =>
    state === 'Ready' ? { state } : { state, reason, message: 'why' };
  const resultFor = (world: LiveWorld, over: Partial<Result> = {}): Result => ({
    ...{ key: keyOfResource(world), namespace: world.resource.namespace, outcomes: [] },
    ...{ summary: summaryOf('Reconciling'), wrote: false, statusWritten: false },
    ...{ cutOff: false, met: false },
    ...over,
  });

  /** The names read in each pass, and the runs that read them; `passMs` by pass. */
  async function passes(
    worlds: readonly LiveWorld[],
    resultOf: (world: LiveWorld, pass: number) => Result | undefined,
    { deadline = 1_000_000, seconds = 10, passMs = [] as readonly number[], unwritten = 0 } = {},
  ) {
    let time = 0;
    const read: string[] = [];
    const runs: Run[] = [];
    const timeouts: number[] = [];
    const run = {
      ...{ deadline, now: () => new Date(time), trigger: 'tick' },
      unwritten: { statuses: { size: unwritten }, requestMs: 10 },
      cluster: { withTimeout: (ms: number) => timeouts.push(ms) },
    } as unknown as Run;
    const results = await settle(run, worlds, {
      seconds,
      wait: async (ms) => {
        time += ms;
      },
      runPass: async (pass, waiting) => {
        const at = read.length;
        runs.push(pass);
        read.push(`${time}: ${waiting.map(({ resource }) => resource.name).join()}`);
        time += passMs[at] ?? 0;
        return { worlds: waiting, results: waiting.map((world) => resultOf(world, at)), listMs: 0 };
      },
    });
    return { read, runs, timeouts, results };
  }

  test('reads only what may still become Ready', async () => {
    const states: Record<string, Result['summary']> = {
      f0: summaryOf('Ready'),
      f1: summaryOf('Reconciling'),
      f2: summaryOf('Stalled'),
      f3: summaryOf('Reconciling', 'Contested'),
      f4: summaryOf('Reconciling', 'RewrittenOnAdmission'),
      f5: undefined,
    };
    const { read, results } = await passes(
      many(7),
      (world) => {
        const { name } = world.resource;
        return name === 'f6' ? undefined : resultFor(world, { summary: states[name] });
      },
      { seconds: 4 },
    );
    expect(read).toEqual(['1000: f0,f1,f2,f3,f4,f5,f6', '3000: f1', '3750: f1']);
    expect(results).toHaveLength(8);
  });

  test('ends with the deadline of the run, and aborts what hangs a second later', async () => {
    const { read, runs, timeouts } = await passes(many(1), (world) => resultFor(world), {
      deadline: 4_000,
    });
    expect(read).toEqual(['1000: f0', '3000: f0', '3750: f0']);
    expect(timeouts).toEqual([4_000, 2_000, 1_250]);
    expect(runs).toMatchObject(runs.map(() => ({ deadline: 4_000, trigger: 'settle' })));
  });

  test('is not begun with less time left than the last one took', async () => {
    const { read } = await passes(many(1), (world) => resultFor(world), {
      ...{ seconds: 8, passMs: [500, 3_000, 0] },
    });
    expect(read).toEqual(['1000: f0', '3500: f0']);
    const { read: more } = await passes(many(1), (world) => resultFor(world), {
      ...{ seconds: 8, passMs: [500, 1_500, 0] },
    });
    expect(more).toEqual(['1000: f0', '3500: f0', '6500: f0', '7750: f0']);
  });

  test('leaves time to write each status that is unwritten', async () => {
    const unready = (world: LiveWorld) => resultFor(world);
    const { read } = await passes(many(1), unready, { seconds: 8, unwritten: 300 });
    expect(read).toEqual(['1000: f0', '3000: f0', '4750: f0']);
  });

  test('is begun at once, a single time, where there is only time to write', async () => {
    const unready = (world: LiveWorld) => resultFor(world);
    const { read } = await passes(many(1), unready, { seconds: 8, unwritten: 800 });
    expect(read).toEqual(['0: f0']);
  });

  test('is not begun where there is no time left even to write', async () => {
    const unready = (world: LiveWorld) => resultFor(world);
    const at = async (seconds: number, unwritten: number) =>
      (await passes(many(1), unready, { seconds, unwritten })).read;
    expect(await at(0.25, 1)).toEqual([]);
    expect(await at(0.251, 1)).toEqual(['0: f0']);
    expect(await at(0.25, 0)).toEqual([]);
  });

  test('is not begun without a resource', async () => {
    expect((await passes([], (world) => resultFor(world))).read).toEqual([]);
  });

  test('leaves the last result of a resource, with whether any of them wrote', () => {
    const [one, other, third] = many(3) as [LiveWorld, LiveWorld, LiveWorld];
    const ready = { summary: summaryOf('Ready') };
    const find = lastOf([
      resultFor(one, { wrote: true }),
      resultFor(other),
      undefined,
      resultFor(one, ready),
      resultFor(other, ready),
    ]);
    expect(find(one)).toMatchObject({ wrote: true, summary: { state: 'Ready' } });
    expect(find(other)).toMatchObject({ wrote: false, summary: { state: 'Ready' } });
    expect(find(third)).toBeUndefined();
  });
});

describe('a pass within a long run', () => {
  /** The seconds at which looks began; lists take so long in each, and all of it `passMs`. */
  function looking({ waiting = 1, listMs = 0, passMs = 0 } = {}) {
    let time = 0;
    const looks: number[] = [];
    const runs: Run[] = [];
    const limits: (number | undefined)[] = [];
    const worlds = many(waiting);
    const run = {
      ...{ now: () => new Date(time), trigger: 'tick', deadline: 600_000 },
      unwritten: { statuses: new Map(worlds.map((world, at) => [`${at}`, { world }])) },
    } as unknown as Run;
    const { results, passIfDue } = openPasses(run, async (pass, seen, ms) => {
      looks.push(time);
      limits.push(ms);
      runs.push(pass);
      time += passMs;
      const result = { key: 'f' } as Result;
      return { worlds: seen, results: seen.flatMap(() => [result, undefined]), listMs };
    });
    const lookAt = async (ms: number) => {
      time = ms;
      await passIfDue();
    };
    return { looks, runs, limits, results, lookAt };
  }

  test('is taken every ten seconds while something waits, as a later pass', async () => {
    const { looks, runs, limits, results, lookAt } = looking();
    for (const ms of [0, 9_999, 10_000, 19_999, 20_000]) await lookAt(ms);
    expect(looks).toEqual([10_000, 20_000]);
    expect(limits, 'of its lists alone').toEqual([10_000, 10_000]);
    expect(runs).toMatchObject([{ trigger: 'settle' }, { trigger: 'settle' }]);
    expect(results).toEqual([{ key: 'f' }, { key: 'f' }]);
  });

  test('is not taken where nothing waits', async () => {
    const { looks, lookAt } = looking({ waiting: 0 });
    for (const ms of [10_000, 20_000]) await lookAt(ms);
    expect(looks).toEqual([]);
  });

  test('leaves nine tenths of the time to the run where lists are slow', async () => {
    const { looks, lookAt } = looking({ listMs: 3_000, passMs: 3_000 });
    for (const ms of [10_000, 42_999, 43_000]) await lookAt(ms);
    expect(looks).toEqual([10_000, 43_000]);
  });

  test('is one at a time', async () => {
    const { looks, lookAt } = looking();
    await Promise.all([lookAt(10_000), lookAt(10_000)]);
    expect(looks).toEqual([10_000]);
  });
});
