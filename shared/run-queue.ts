import { AsyncResource } from 'node:async_hooks';

export interface QueueLimits {
  /** Runs at once, each of another key. */
  readonly running: number;
  /** Keys that wait. */
  readonly waiting: number;
  /** How long a run may wait before it begins. */
  readonly patienceMs: number;
}

/** Too much is to be done just now: the same request may succeed later. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

/** The failure of a run that another request began; it is reported there. */
export class SharedError extends Error {
  override readonly name = 'SharedError';
}

/** A request for a run; `input` is what this request adds to what the run works with. */
export interface RunRequest<Input, Result> {
  /** Of the same key, the runs are interchangeable but for their inputs. */
  readonly key: string;
  readonly input: Input;
  /** `release` gives the place to the next run, for one that from now on only looks on. */
  readonly act: (inputs: readonly Input[], release: () => void) => Promise<Result>;
}

export type Enqueue = <Input, Result>(request: RunRequest<Input, Result>) => Promise<Result>;

interface Entry {
  readonly inputs: unknown[];
  readonly begin: (release: () => void) => Promise<unknown>;
  readonly result: PromiseWithResolvers<unknown>;
  readonly patience: NodeJS.Timeout;
}

/**
 * Keeps runs of one process from piling up.
 *
 * Flow: a run begins at once where none of its key runs and there is room; else it waits, the longest
 * waiting first. A request whose key already waits joins: one run serves all of them.
 * Guarantees: at most one run of a key holds a place at a time, and one waits; nobody joins a run that has begun,
 * which may have read the cluster before what the request is about happened; a run that fails is
 * reported to the first request as it is, to the others as a SharedError.
 * Caveats: throws a BusyError where too many wait, or one waits too long.
 */
export function createRunQueue({
  running: most,
  waiting: longest,
  patienceMs,
}: QueueLimits): Enqueue {
  const running = new Set<string>();
  const waiting = new Map<string, Entry>();

  const beginNext = (): void => {
    for (const [key, entry] of waiting) {
      if (running.size >= most) return;
      if (!running.has(key)) begin(key, entry);
    }
  };
  const begin = (key: string, { begin: act, result, patience }: Entry): void => {
    clearTimeout(patience);
    waiting.delete(key);
    running.add(key);
    let holds = true;
    const release = (): void => {
      if (!holds) return;
      holds = false;
      running.delete(key);
      beginNext();
    };
    act(release).finally(release).then(result.resolve, result.reject);
  };
  const giveUp = (key: string): void => {
    waiting.get(key)?.result.reject(new BusyError('other runs took all the time'));
    waiting.delete(key);
  };
  return async <Input, Result>({ key, input, act }: RunRequest<Input, Result>) => {
    const joined = waiting.get(key);
    if (joined !== undefined) {
      joined.inputs.push(input);
      return joined.result.promise.catch(asShared) as Promise<Result>;
    }
    if (waiting.size >= longest) throw new BusyError(`${longest} other runs are waiting`);
    const inputs = [input];
    const result = Promise.withResolvers<unknown>();
    waiting.set(key, {
      inputs,
      // What it logs belongs to the request that asked first, not to the one that made room.
      begin: AsyncResource.bind(async (release: () => void) => act(inputs, release)),
      result,
      patience: setTimeout(giveUp, patienceMs, key),
    });
    beginNext();
    return result.promise as Promise<Result>;
  };
}

function asShared(error: unknown): never {
  if (error instanceof BusyError) throw error;
  throw new SharedError(error instanceof Error ? error.message : String(error), { cause: error });
}
