import { describe, expect, it, test } from 'vitest';
import { createLog } from '../../shared/log.ts';
import { keyOfResource, worldOf } from '../../shared/reading/read.ts';
import type { Result } from '../../shared/resource/reconcile.ts';
import { settle } from '../../shared/resync/settle.ts';
import { areasToFollow, listsOf } from '../../shared/run/area.ts';
import { openMemory } from '../../shared/run/memory-budget.ts';
import { type LiveWorld, type Run, timeLeft } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { identity, observeResource } from '../support/observe.ts';
import { foo as live } from '../support/resources.ts';
import type { RunParts } from './run-with.ts';

const worldIn = (namespace: string, name: string, kind: LiveWorld['kind'] = foo): LiveWorld =>
  worldOf(
    {
      identity,
      kind,
      resource: observeResource(live({ metadata: { name, namespace } })),
      unlisted: new Map(),
      now: 0,
    },
    new Map(),
  );
const many = (count: number, namespace = 'a'): readonly LiveWorld[] =>
  Array.from({ length: count }, (_, at) => worldIn(namespace, `f${at}`));
const namespaces = (count: number): readonly LiveWorld[] =>
  Array.from({ length: count }, (_, at) => worldIn(`n${at}`, 'f'));

const all = { kinds: [foo, website], namespaces: undefined, name: undefined };

describe('the area that a settling run reads again', () => {
  it.each([
    ['the waiting resources if they are few', many(3), ['a/f0', 'a/f1', 'a/f2']],
    ['the namespace if many resources wait in it', many(9), ['a/']],
    [
      'several namespaces if many resources wait in them',
      [...many(9), ...many(9, 'b')],
      ['a/', 'b/'],
    ],
    ['that of the run if resources wait in many namespaces', namespaces(33), ['undefined/']],
  ])('is %s', (_, worlds, want) => {
    const areas = areasToFollow(worlds, all);
    expect(areas.every(({ kinds }) => kinds.length === 1 && kinds[0] === foo)).toBe(true);
    expect(areas.map((one) => `${one.namespaces}/${one.name ?? ''}`)).toEqual(want);
  });

  it('takes at most 64 lists', () => {
    const lists = (worlds: readonly LiveWorld[]): number =>
      areasToFollow(worlds, all).reduce((sum, area) => sum + listsOf(area), 0);
    for (let count = 1; count < 40; count++) {
      expect(lists(namespaces(count))).toBeLessThanOrEqual(64);
      expect(lists(many(count))).toBeLessThanOrEqual(64);
    }
  });
});

/** A run in simulated time, which reports the timeout of each request. */
function runIn(
  { deadline, now, trigger }: Pick<RunParts, 'deadline' | 'now' | 'trigger'>,
  onTimeout: (ms: number) => void,
): Run {
  const cluster = { withTimeout: (ms: number) => onTimeout(ms) };
  const clients = { identity, log: createLog(() => undefined, 'ERROR'), now };
  const limits = { deadline, memory: openMemory()('local') };
  return { cluster, clients, limits, policy: { trigger } } as unknown as Run;
}

/** Settles in simulated time, in which each pass takes this long. */
async function settled(seconds: number, passMs: number, ready = Number.POSITIVE_INFINITY) {
  let time = 0;
  const looks: number[] = [];
  const run = runIn(
    { deadline: 1_000_000, now: () => new Date(time), trigger: 'resync' },
    () => {},
  );
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
        key: '',
        namespace: '',
        outcomes: [],
        wrote: false,
        statusWritten: false,
        cutOff: false,
      };
      return worlds.map((world) => ({ world, result: { ...result, summary } }));
    },
  });
  return { looks, end: time };
}

describe('settling', () => {
  it('reads after 1, 2, 4 … seconds', async () => {
    expect((await settled(100, 0)).looks.slice(0, 4)).toEqual([1000, 3000, 7000, 15_000]);
  });

  it.each([0, 1, 2, 15, 600])(
    'for %i seconds ends in time, however long a read takes',
    async (seconds) => {
      for (const passMs of [0, 10, 200, 240]) {
        const { end } = await settled(seconds, passMs);
        expect(end).toBeLessThanOrEqual(seconds * 1000);
      }
      // A read that takes longer than the previous one is cut off, and no other follows.
      for (const passMs of [1_000, 5_000]) {
        const { looks, end } = await settled(seconds, passMs);
        expect(looks.every((at) => at <= seconds * 1000)).toBe(true);
        expect(end).toBeLessThan(seconds * 1000 + passMs);
      }
    },
  );

  it('reads at least once, and leaves time to write the result', async () => {
    expect((await settled(1, 200)).looks).toEqual([750]);
  });

  it('ends once all resources are Ready', async () => {
    expect((await settled(600, 10, 5_000)).looks).toEqual([1000, 3010, 7020]);
  });
});

describe('a pass of a settling run', () => {
  const summaryOf = (state: 'Ready' | 'Reconciling' | 'Stalled', reason = 'Progressing') =>
    state === 'Ready' ? { state } : { state, reason, message: 'why' };
  const resultFor = (world: LiveWorld, over: Partial<Result> = {}): Result => ({
    key: keyOfResource(world),
    namespace: world.resource.namespace,
    outcomes: [],
    summary: summaryOf('Reconciling'),
    wrote: false,
    statusWritten: false,
    cutOff: false,
    ...over,
  });

  /** Lists the names read in each pass, and the runs that read them; `passMs` gives the time of each pass. */
  async function passes(
    worlds: readonly LiveWorld[],
    resultOf: (world: LiveWorld, pass: number) => Result | undefined,
    { deadline = 1_000_000, seconds = 10, passMs = [] as readonly number[] } = {},
  ) {
    let time = 0;
    const read: string[] = [];
    const runs: Run[] = [];
    const timeouts: number[] = [];
    const run = runIn({ deadline, now: () => new Date(time), trigger: 'resync' }, (ms) =>
      timeouts.push(ms),
    );
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
        return waiting.flatMap((world) => {
          const result = resultOf(world, at);
          return result === undefined ? [] : [{ world, result }];
        });
      },
    });
    return { read, runs, timeouts, results };
  }

  test('reads only resources that may still become Ready', async () => {
    const states: Record<string, Result['summary']> = {
      f0: summaryOf('Ready'),
      f1: summaryOf('Reconciling'),
      f2: summaryOf('Stalled'),
      f3: summaryOf('Reconciling', 'Contested'),
      f4: undefined,
    };
    const { read, results } = await passes(
      many(6),
      (world) => {
        const { name } = world.resource;
        return name === 'f5' ? undefined : resultFor(world, { summary: states[name] });
      },
      { seconds: 4 },
    );
    expect(read).toEqual(['1000: f0,f1,f2,f3,f4,f5', '3000: f1', '3750: f1']);
    expect(results).toHaveLength(7);
  });

  test('ends with the deadline of the run, and aborts hanging requests a second later', async () => {
    const { read, runs, timeouts } = await passes(many(1), (world) => resultFor(world), {
      deadline: 4_000,
    });
    expect(read).toEqual(['1000: f0', '3000: f0', '3750: f0']);
    expect(timeouts).toEqual([4_000, 2_000, 1_250]);
    for (const { limits, policy } of runs) {
      expect(limits.deadline).toBe(4_000);
      expect(policy.trigger).toBe('later');
    }
  });

  test('does not begin with less time than the previous one took', async () => {
    const { read } = await passes(many(1), (world) => resultFor(world), {
      seconds: 8,
      passMs: [500, 3_000, 0],
    });
    expect(read).toEqual(['1000: f0', '3500: f0']);
    const { read: more } = await passes(many(1), (world) => resultFor(world), {
      seconds: 8,
      passMs: [500, 1_500, 0],
    });
    expect(more).toEqual(['1000: f0', '3500: f0', '6500: f0', '7750: f0']);
  });

  test('does not begin without a waiting resource', async () => {
    expect((await passes([], (world) => resultFor(world))).read).toEqual([]);
  });
  test('ends a pass that is under way if the run is stopped', async () => {
    let time = 0;
    const stopping = new AbortController();
    const now = () => new Date(time);
    const run = runIn({ deadline: 0, now, trigger: 'resync' }, () => undefined);
    const limits = { ...run.limits, deadline: 1_000_000, stopped: stopping.signal };
    const left: number[] = [];
    await settle({ ...run, limits }, many(1), {
      seconds: 15,
      wait: async (ms) => {
        time += ms;
      },
      runPass: async (pass, worlds) => {
        stopping.abort();
        left.push(timeLeft(pass));
        return worlds.map((world) => ({ world, result: resultFor(world) }));
      },
    });
    expect(left).toEqual([0]);
  });
});
