import { AsyncLocalStorage } from 'node:async_hooks';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunQueue } from '../../shared/controller/run-queue.ts';
import { effort } from '../properties/runs.ts';

const patient = { running: 2, waiting: 3 };

/** Opens a queue whose runs end on request, and records the order in which they begin. */
function openQueue(limits = patient) {
  const queue = new RunQueue(limits);
  const begun: { key: string; inputs: readonly number[]; end: PromiseWithResolvers<string> }[] = [];
  const ask = (key: string, input = 0, waitMs = 60_000): Promise<string> =>
    queue.enqueue({
      key,
      lane: key,
      input,
      until: Date.now() + waitMs,
      act: (inputs: readonly number[]) => {
        const end = Promise.withResolvers<string>();
        begun.push({ key, inputs: [...inputs], end });
        return end.promise;
      },
    });
  const keys = () => begun.map(({ key }) => key);
  const end = async (at: number, failure?: Error): Promise<void> => {
    if (failure === undefined) begun[at]?.end.resolve(`run ${at}`);
    else begun[at]?.end.reject(failure);
    await settled();
  };
  return { ask, begun, keys, end };
}

const later = (): number => Date.now() + 60_000;

/** Lets every promise settle that can. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('runs of one key', () => {
  it('wait for the current run, and then one run serves all that waited', async () => {
    const { ask, begun, end } = openQueue();
    const first = ask('a', 1);
    const later = [ask('a', 2), ask('a', 3), ask('a', 4)];
    await settled();
    expect(begun.map(({ inputs }) => inputs)).toEqual([[1]]);
    await end(0);
    expect(await first).toBe('run 0');
    expect(begun.map(({ inputs }) => inputs)).toEqual([[1], [2, 3, 4]]);
    await end(1);
    expect(await Promise.all(later)).toEqual(['run 1', 'run 1', 'run 1']);
  });

  it('fail for every request that waited, and are reported once', async () => {
    const { ask, end } = openQueue();
    const first = ask('a');
    const later = [ask('a'), ask('a')];
    await end(0);
    await first;
    const failure = new Error('no lists');
    const settled = Promise.allSettled(later);
    await end(1, failure);
    const [owner, joined] = (await settled).map((one) => 'reason' in one && one.reason);
    expect(owner).toBe(failure);
    expect(joined).toMatchObject({ isLogged: true });
    expect(joined).toMatchObject({ message: 'no lists' });
  });

  it('free their slot if they fail synchronously', async () => {
    const queue = new RunQueue(patient);
    const fail = () => {
      throw new Error('at once');
    };
    for (const _ of [1, 2, 3, 4])
      await expect(
        queue.enqueue({ key: 'a', lane: '', input: 0, until: later(), act: fail }),
      ).rejects.toThrow('at once');
  });
});

describe('runs of different keys', () => {
  it('start while there are slots, then in order', async () => {
    const { ask, keys, end } = openQueue();
    const all = ['a', 'b', 'a', 'c', 'd'].map((key) => ask(key));
    expect(keys()).toEqual(['a', 'b']);
    await end(1);
    expect(keys()).toEqual(['a', 'b', 'c']);
    await end(0);
    expect(keys()).toEqual(['a', 'b', 'c', 'a']);
    await end(2);
    await end(3);
    await end(4);
    expect(await Promise.all(all)).toHaveLength(5);
  });

  it('or of the same key start once a run releases its slot, before it ends', async () => {
    const queue = new RunQueue({ ...patient, running: 1 });
    const begun: string[] = [];
    const end = Promise.withResolvers<string>();
    const first = queue.enqueue({
      key: 'a',
      lane: '',
      input: 0,
      until: later(),
      act: (_, release) => {
        begun.push('first');
        release();
        release();
        return end.promise;
      },
    });
    const second = queue.enqueue({
      key: 'a',
      lane: '',
      input: 0,
      until: later(),
      act: async () => `second of ${begun.length}`,
    });
    expect(await second).toBe('second of 1');
    end.resolve('first');
    expect(await first).toBe('first');
  });

  it('are refused if too many wait, except those that join a waiting run', async () => {
    const { ask } = openQueue();
    // These runs keep waiting until after the test.
    for (const key of 'abcde') ask(key).catch(() => undefined);
    await expect(ask('f')).rejects.toMatchObject({ kind: 'busy' });
    ask('e').catch(() => undefined);
  });

  it('are refused after waiting too long', async () => {
    const { ask, end, keys } = openQueue({ ...patient, running: 1 });
    const first = ask('a');
    const late = await Promise.allSettled([ask('b', 0, 20), ask('b', 0, 20)]);
    expect(late.map((one) => 'reason' in one && one.reason)).toEqual([
      expect.objectContaining({ kind: 'busy' }),
      expect.objectContaining({ kind: 'busy' }),
    ]);
    await end(0);
    expect(await first).toBe('run 0');
    expect(keys()).toEqual(['a']);
  });

  it.each([
    { reason: 'the impatient request came first', waits: [20, 60_000] },
    { reason: 'the impatient request joined another', waits: [60_000, 20] },
  ])(
    'are refused at the timeout of each request, and the run serves the remaining one: $reason',
    async ({ waits }) => {
      const { ask, end, begun } = openQueue({ ...patient, running: 1 });
      const first = ask('a');
      const both = waits.map((wait, at) => ask('b', at, wait));
      const impatient = waits.indexOf(20);
      await expect(both[impatient]).rejects.toMatchObject({ kind: 'busy' });
      await end(0);
      await first;
      expect(begun[1]).toMatchObject({ key: 'b', inputs: [1 - impatient] });
      await end(1);
      expect(await both[1 - impatient]).toBe('run 1');
    },
  );
});

it('a run has the async context of its first request, so that its log lines have that trace', async () => {
  const request = new AsyncLocalStorage<string>();
  const queue = new RunQueue({ ...patient, running: 1 });
  const seen: (string | undefined)[] = [];
  const ask = (key: string) =>
    request.run(key, () =>
      queue.enqueue({
        key,
        lane: '',
        input: 0,
        until: later(),
        act: async () => {
          await settled();
          seen.push(request.getStore());
        },
      }),
    );
  await Promise.all(['a', 'b', 'c'].map(ask));
  expect(seen).toEqual(['a', 'b', 'c']);
});

/** Requests and ends of runs in any order. */
const steps = fc.array(
  fc.oneof(
    fc.record({ ask: fc.constantFrom('a', 'b', 'c', 'd') }),
    fc.record({ end: fc.nat(10), fails: fc.boolean() }),
  ),
  { maxLength: 60 },
);

it('the run queue serves every request by a run that started after it, one run of a key at a time', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const queue = new RunQueue({ running: 2, waiting: 10 });
      const open: { key: string; end: (fails: boolean) => void }[] = [];
      const requests: Promise<void>[] = [];
      let clock = 0;
      let most = 0;
      const ask = async (key: string): Promise<void> => {
        const asked = ++clock;
        const act = () => {
          const { promise, resolve, reject } = Promise.withResolvers<number>();
          const began = ++clock;
          open.push({ key, end: (fails) => (fails ? reject(new Error('no')) : resolve(began)) });
          most = Math.max(most, open.length);
          expect(new Set(open.map((one) => one.key)).size).toBe(open.length);
          return promise;
        };
        const began = await queue
          .enqueue({ key, lane: key, input: 0, until: later(), act })
          .catch(() => undefined);
        if (began !== undefined) expect(began).toBeGreaterThan(asked);
      };
      for (const step of script) {
        if ('ask' in step) requests.push(ask(step.ask));
        else open.splice(step.end % Math.max(1, open.length), 1)[0]?.end(step.fails);
        await settled();
      }
      while (open.length > 0) {
        open.splice(0, 1)[0]?.end(false);
        await settled();
      }
      await Promise.all(requests);
      expect(most).toBeLessThanOrEqual(2);
    }),
    effort(600),
  );
});
