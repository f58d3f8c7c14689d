import { AsyncResource } from 'node:async_hooks';
import { BusyError, SharedError } from './errors.ts';

export interface QueueLimits {
  /** Concurrent runs, each of another key. */
  readonly running: number;
  /** Keys that wait. */
  readonly waiting: number;
}

/** A request for a run; `input` is what this request adds to what the run works with. */
export interface RunRequest<Input, Result> {
  /** Runs of the same key are interchangeable but for their inputs. */
  readonly key: string;
  /** The namespace the run is about; runs about several have a lane of their own. */
  readonly lane: string;
  readonly input: Input;
  /** When it no longer waits, in milliseconds since the epoch. */
  readonly until: number;
  /** `release` gives the place to the next run, once this one only settles. */
  readonly act: (inputs: readonly Input[], release: () => void) => Promise<Result>;
}

export type Enqueue = <Input, Result>(request: RunRequest<Input, Result>) => Promise<Result>;

interface Waiting {
  readonly input: unknown;
  readonly begin: (inputs: readonly unknown[], release: () => void) => Promise<unknown>;
  readonly result: PromiseWithResolvers<unknown>;
  readonly timer: NodeJS.Timeout;
}

interface Entry {
  readonly lane: string;
  /** Those that one run will serve, in their order. */
  readonly requests: Waiting[];
}

/**
 * Keeps runs of one process from piling up, and lanes from starving each other.
 *
 * Flow: a run begins at once if none of its key is running and there is room; otherwise it waits. Among
 * those that wait, the lane with the fewest running is next, and in it the oldest run. A request whose
 * key already waits joins: one run serves all of them.
 * Guarantees: at most one run of a key holds a place at a time, and one waits; no request joins a run that
 * has begun, which may have read the cluster before what the request is about happened; a run that
 * fails is reported to the first request as it is, to the others as a SharedError. A lane takes a place
 * only while more are free than it holds, so one lane leaves half of them to others, m lanes 1/2^m. A
 * lane that has none waiting is refused only while every waiting place is another lane's.
 * Caveats: throws a BusyError where too many wait, or for a request that has waited until its time;
 * where many of one lane wait, its newest run may be given up for a request of a lane that has fewer.
 */
export function createRunQueue({ running: most, waiting: longest }: QueueLimits): Enqueue {
  /** Lanes of the runs, by key. */
  const running = new Map<string, string>();
  const waiting = new Map<string, Entry>();

  const held = (lane: string): number => count(running.values(), lane);
  const next = (): [string, Entry] | undefined =>
    [...waiting]
      .filter(([key, { lane }]) => !running.has(key) && held(lane) < most - running.size)
      .toSorted(([, a], [, b]) => held(a.lane) - held(b.lane))[0];
  const beginNext = (): void => {
    for (let found = next(); found !== undefined; found = next()) begin(...found);
  };
  const begin = (key: string, { lane, requests }: Entry): void => {
    waiting.delete(key);
    for (const { timer } of requests) clearTimeout(timer);
    running.set(key, lane);
    let holds = true;
    const release = (): void => {
      if (!holds) return;
      holds = false;
      running.delete(key);
      beginNext();
    };
    serve(requests, release);
  };
  const giveUp = (key: string, gone: readonly Waiting[], why: string): void => {
    const { requests = [] } = waiting.get(key) ?? {};
    for (const one of gone) {
      clearTimeout(one.timer);
      requests.splice(requests.indexOf(one), 1);
      one.result.reject(new BusyError(why));
    }
    if (requests.length === 0) waiting.delete(key);
  };
  return <Input, Result>({ key, lane, input, until, act }: RunRequest<Input, Result>) => {
    const result = Promise.withResolvers<Result>();
    const tooLong = (): void => giveUp(key, [request], 'other runs took all the time');
    const request: Waiting = {
      input,
      // What it logs belongs to the request that asked first, not to the one that made room.
      begin: AsyncResource.bind(async (inputs, release) => act(inputs as Input[], release)),
      result: result as PromiseWithResolvers<unknown>,
      timer: setTimeout(tooLong, Math.max(0, until - Date.now())),
    };
    const joined = waiting.get(key);
    if (joined === undefined) waiting.set(key, { lane, requests: [request] });
    else joined.requests.push(request);
    beginNext();
    if (waiting.size > longest) {
      const newest = newestOfLongest(waiting);
      giveUp(
        newest,
        [...(waiting.get(newest)?.requests ?? [])],
        `${longest} other runs are waiting`,
      );
    }
    return result.promise;
  };
}

/** One run for all of them; `release` is called at its end at the latest. */
function serve(requests: readonly Waiting[], release: () => void): void {
  const [first, ...joined] = requests;
  const inputs = requests.map(({ input }) => input);
  first
    ?.begin(inputs, release)
    .finally(release)
    .then(
      (result) => {
        for (const one of requests) one.result.resolve(result);
      },
      (error: unknown) => {
        first.result.reject(error);
        for (const one of joined) one.result.reject(asShared(error));
      },
    );
}

/** The newest run of the lane with the most waiting: the newest of all, unless another lane has more. */
function newestOfLongest(waiting: ReadonlyMap<string, Entry>): string {
  const entries = [...waiting].toReversed();
  const lanes = entries.map(([, { lane }]) => lane);
  const longest = Math.max(...lanes.map((lane) => count(lanes, lane)));
  const [key] = entries.find(([, { lane }]) => count(lanes, lane) === longest) ?? [''];
  return key;
}

const count = (lanes: Iterable<string>, lane: string): number =>
  [...lanes].filter((one) => one === lane).length;

const asShared = (error: unknown): SharedError =>
  new SharedError(error instanceof Error ? error.message : String(error), { cause: error });
