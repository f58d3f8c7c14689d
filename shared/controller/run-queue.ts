import { AsyncResource } from 'node:async_hooks';
import { BusyError, SharedError } from './errors.ts';

export interface QueueLimits {
  /** Concurrent runs, each of another key. */
  readonly running: number;
  /** Keys that wait. */
  readonly waiting: number;
  /** How long a run may wait before it begins. */
  readonly patienceMs: number;
}

/** A request for a run; `input` is what this request adds to what the run works with. */
export interface RunRequest<Input, Result> {
  /** Runs of the same key are interchangeable but for their inputs. */
  readonly key: string;
  /** The namespace the run is about; runs about several have a lane of their own. */
  readonly lane: string;
  readonly input: Input;
  /** `release` gives the place to the next run, once this one only settles. */
  readonly act: (inputs: readonly Input[], release: () => void) => Promise<Result>;
}

export type Enqueue = <Input, Result>(request: RunRequest<Input, Result>) => Promise<Result>;

interface Entry {
  readonly lane: string;
  readonly inputs: unknown[];
  readonly begin: (release: () => void) => Promise<unknown>;
  readonly result: PromiseWithResolvers<unknown>;
  readonly patience: NodeJS.Timeout;
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
 * Caveats: throws a BusyError where too many wait, or one waits too long; where many of one lane wait,
 * its newest may be given up for a request of a lane that has fewer.
 */
export function createRunQueue({
  running: most,
  waiting: longest,
  patienceMs,
}: QueueLimits): Enqueue {
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
  const begin = (key: string, { begin: act, lane, result, patience }: Entry): void => {
    clearTimeout(patience);
    waiting.delete(key);
    running.set(key, lane);
    let holds = true;
    const release = (): void => {
      if (!holds) return;
      holds = false;
      running.delete(key);
      beginNext();
    };
    act(release).finally(release).then(result.resolve, result.reject);
  };
  const giveUp = (key: string, why: string): void => {
    const entry = waiting.get(key);
    clearTimeout(entry?.patience);
    waiting.delete(key);
    entry?.result.reject(new BusyError(why));
  };
  return async <Input, Result>({ key, lane, input, act }: RunRequest<Input, Result>) => {
    const joined = waiting.get(key);
    if (joined !== undefined) {
      joined.inputs.push(input);
      return joined.result.promise.catch(asShared) as Promise<Result>;
    }
    const inputs = [input];
    const result = Promise.withResolvers<unknown>();
    waiting.set(key, {
      lane,
      inputs,
      // What it logs belongs to the request that asked first, not to the one that made room.
      begin: AsyncResource.bind(async (release: () => void) => act(inputs, release)),
      result,
      patience: setTimeout(giveUp, patienceMs, key, 'other runs took all the time'),
    });
    beginNext();
    if (waiting.size > longest)
      giveUp(newestOfLongest(waiting), `${longest} other runs are waiting`);
    return result.promise as Promise<Result>;
  };
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

function asShared(error: unknown): never {
  if (error instanceof BusyError) throw error;
  throw new SharedError(error instanceof Error ? error.message : String(error), { cause: error });
}
