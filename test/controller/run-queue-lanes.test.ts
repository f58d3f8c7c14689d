import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunQueue } from '../../shared/controller/run-queue.ts';
import { effort } from '../properties/runs.ts';

/** Opens a queue whose runs end on request, and records the order in which they begin. */
function openQueue(waiting: number) {
  const queue = new RunQueue({ running: 4, waiting });
  const begun: { readonly key: string; readonly end: () => void }[] = [];
  /** Enqueues a run; by default the lane is the first letter of the key, `a` for `a0`. */
  const ask = (key: string, lane = key.charAt(0)): Promise<unknown> =>
    queue
      .enqueue({
        key,
        lane,
        input: 0,
        until: Date.now() + 2_000,
        act: () => {
          const { promise, resolve } = Promise.withResolvers<void>();
          begun.push({ key, end: resolve });
          return promise;
        },
      })
      .catch((error: unknown) => error);
  const keys = (): readonly string[] => begun.map(({ key }) => key);
  const end = async (at: number): Promise<void> => {
    begun[at]?.end();
    await settled();
  };
  return { ask, keys, end };
}

/** Lets every promise settle that can. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('lanes of the run queue', () => {
  it('that fill the queue do not exclude other lanes, and lose their newest runs', async () => {
    const { ask, keys } = openQueue(4);
    const flood = Array.from({ length: 9 }, (_, at) => ask(`a${at}`));
    expect(keys()).toEqual(['a0', 'a1']);
    for (const key of ['b0', 'b1']) void ask(key);
    expect(keys()).toEqual(['a0', 'a1', 'b0']);
    // b1 now waits instead of the newest run of a.
    expect(await flood[5]).toMatchObject({ kind: 'busy' });
    expect(await ask('a9')).toMatchObject({ kind: 'busy' });
    expect(await Promise.race([flood[4], settled()])).toBeUndefined();
  });

  it('with the fewest runs come first', async () => {
    const { ask, keys, end } = openQueue(9);
    for (const key of ['a0', 'a1', 'a2', 'a3', 'b0', 'b1', 'c0']) void ask(key);
    expect(keys()).toEqual(['a0', 'a1', 'b0', 'c0']);
    await end(0);
    expect(keys().slice(4)).toEqual([]);
    await end(1);
    expect(keys().slice(4)).toEqual(['a2']);
  });
});

describe('a run that several lanes request', () => {
  it('does not wait behind the other runs of the first lane', async () => {
    const { ask, keys, end } = openQueue(9);
    for (const key of ['a0', 'a1', 'a2', 't0', 'b0']) void ask(key, key === 't0' ? 'a' : undefined);
    expect(keys()).toEqual(['a0', 'a1', 'b0']);
    void ask('t0', 'b');
    expect(keys()).toEqual(['a0', 'a1', 'b0', 't0']);
    await end(0);
    await end(1);
    expect(keys().slice(4)).toEqual(['a2']);
  });
});

const lanes = ['a', 'b', 'c'] as const;
const crowd = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ ask: fc.constantFrom('a', 'a', ...lanes) }) },
    { weight: 1, arbitrary: fc.record({ end: fc.nat(10) }) },
  ),
  { maxLength: 80, size: 'max' },
);

interface Part {
  readonly lane: string;
  state: 'waiting' | 'running' | 'over';
  readonly end: PromiseWithResolvers<void>;
}

// Fails for a queue that is first come, first served, or that always refuses the newest run of all lanes.
it('the run queue gives each lane an equal part of its running and waiting slots', async () => {
  const most = 6;
  const longest = 5;
  await fc.assert(
    fc.asyncProperty(crowd, async (script) => {
      const queue = new RunQueue({ running: most, waiting: longest });
      const parts: Part[] = [];
      const unfair: string[] = [];
      const numberOf = (state: Part['state'], lane?: string): number =>
        parts.filter((one) => one.state === state && (lane ?? one.lane) === one.lane).length;
      const mayBegin = (lane: string): boolean =>
        numberOf('running', lane) < most - numberOf('running');
      const ask = (lane: string): void => {
        const part: Part = { lane, state: 'waiting', end: Promise.withResolvers() };
        parts.push(part);
        const act = (): Promise<void> => {
          const others = lanes.filter((one) => numberOf('waiting', one) > 0 && mayBegin(one));
          const fewest = Math.min(...others.map((one) => numberOf('running', one)));
          if (!mayBegin(lane)) unfair.push(`${lane} takes more than it leaves`);
          if (numberOf('running', lane) > fewest) unfair.push(`${lane} is not next`);
          part.state = 'running';
          return part.end.promise;
        };
        queue
          .enqueue({
            key: String(parts.length),
            lane,
            input: 0,
            until: Date.now() + 60_000,
            act,
          })
          .catch(() => {
            const most = Math.max(...lanes.map((one) => numberOf('waiting', one)));
            if (numberOf('waiting', lane) < most) unfair.push(`${lane} is refused`);
            part.state = 'over';
          });
      };
      for (const step of script) {
        if ('ask' in step) ask(step.ask);
        else {
          const open = parts.filter(({ state }) => state === 'running');
          const part = open[step.end % Math.max(1, open.length)];
          if (part !== undefined) part.state = 'over';
          part?.end.resolve();
        }
        await settled();
        expect(numberOf('waiting')).toBeLessThanOrEqual(longest);
        for (const lane of lanes)
          expect(numberOf('waiting', lane) > 0 && mayBegin(lane)).toBe(false);
      }
      for (const { end } of parts) end.resolve();
      expect(unfair).toEqual([]);
    }),
    effort(600),
  );
});
