import { AsyncResource } from 'node:async_hooks';
import { BusyError, SharedError } from './request-errors.ts';

interface QueueLimits {
  /** The most concurrent runs, each with a different key. */
  readonly running: number;
  /** The most waiting keys. */
  readonly waiting: number;
}

/** A request for a run; requests that share a run each add their `input`. */
export interface RunRequest<Input, Result> {
  /** Runs of the same key differ only in their inputs. */
  readonly key: string;
  /** The namespace that the run concerns or is charged to; empty for several. */
  readonly lane: string;
  readonly input: Input;
  /** Time at which it stops waiting, in milliseconds since the epoch. */
  readonly until: number;
  /** Does the work. Calls `release` once it only waits for Ready, so that the next run can begin. */
  readonly act: (inputs: readonly Input[], release: () => void) => Promise<Result>;
}

type Enqueue = <Input, Result>(request: RunRequest<Input, Result>) => Promise<Result>;

interface Waiting {
  readonly input: unknown;
  readonly begin: (inputs: readonly unknown[], release: () => void) => Promise<unknown>;
  readonly result: PromiseWithResolvers<unknown>;
  readonly timer: NodeJS.Timeout;
}

interface Entry {
  /** Empty once requests of several lanes have joined. */
  lane: string;
  /** The requests that one run will serve, in order of arrival. */
  readonly requests: Waiting[];
}

/**
 * Limits the runs of a process, and keeps lanes from starving each other.
 *
 * Flow: a run begins at once if no run of its key is active and there is a free slot; otherwise it
 * waits. The next run is the oldest one of the lane with the fewest active runs. A request whose key is
 * already waiting joins that run, which then belongs to the lane '' if theirs differ.
 * Guarantees: at most one run of a key holds a slot, and at most one waits. No request joins a run that
 * has begun, because it may have read the cluster before the change behind the request. If a run
 * fails, the first request gets the error and the others a SharedError. A lane takes a slot only while
 * more are free than it holds, so one lane leaves half of them free and m lanes 1/2^m. A lane without a
 * waiting run is refused only if every waiting slot belongs to other lanes.
 * Caveats: rejects a request with a BusyError if too many are waiting or if it has waited too long. If a
 * lane has many waiting runs, the newest one may be rejected in favour of a lane with fewer.
 */
export function createRunQueue(limits: QueueLimits): Enqueue {
  const queue = new RunQueue(limits);
  return (request) => queue.enqueue(request);
}

class RunQueue {
  readonly #limits: QueueLimits;
  /** Lanes of the runs, by key. */
  readonly #running = new Map<string, string>();
  readonly #waiting = new Map<string, Entry>();

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  enqueue<Input, Result>(run: RunRequest<Input, Result>): Promise<Result> {
    const { key, lane, input, until, act } = run;
    const result = Promise.withResolvers<Result>();
    const tooLong = (): void => this.#giveUp(key, [request], 'it waited too long for other runs');
    const request: Waiting = {
      input,
      // Binds the log context of the first request, not that of the run that freed the slot.
      begin: AsyncResource.bind(async (inputs, release) => act(inputs as Input[], release)),
      result: result as PromiseWithResolvers<unknown>,
      timer: setTimeout(tooLong, Math.max(0, until - Date.now())),
    };
    const joined = this.#waiting.get(key);
    if (joined === undefined) this.#waiting.set(key, { lane, requests: [request] });
    else {
      joined.requests.push(request);
      if (joined.lane !== lane) joined.lane = '';
    }
    this.#beginNext();
    this.#refuseExcess();
    return result.promise;
  }

  #beginNext(): void {
    for (let found = this.#next(); found !== undefined; found = this.#next()) this.#begin(...found);
  }

  #next(): [string, Entry] | undefined {
    const free = this.#limits.running - this.#running.size;
    return [...this.#waiting]
      .filter(([key, { lane }]) => !this.#running.has(key) && this.#held(lane) < free)
      .toSorted(([, a], [, b]) => this.#held(a.lane) - this.#held(b.lane))[0];
  }

  #held(lane: string): number {
    return count(this.#running.values(), lane);
  }

  #begin(key: string, { lane, requests }: Entry): void {
    this.#waiting.delete(key);
    for (const { timer } of requests) clearTimeout(timer);
    this.#running.set(key, lane);
    let holds = true;
    const release = (): void => {
      if (!holds) return;
      holds = false;
      this.#running.delete(key);
      this.#beginNext();
    };
    serve(requests, release);
  }

  #refuseExcess(): void {
    const { waiting: most } = this.#limits;
    if (this.#waiting.size <= most) return;
    const key = newestOfLongest(this.#waiting);
    const { requests = [] } = this.#waiting.get(key) ?? {};
    this.#giveUp(key, [...requests], `${most} other runs are waiting`);
  }

  #giveUp(key: string, gone: readonly Waiting[], why: string): void {
    const { requests = [] } = this.#waiting.get(key) ?? {};
    for (const one of gone) {
      clearTimeout(one.timer);
      requests.splice(requests.indexOf(one), 1);
      one.result.reject(new BusyError(why));
    }
    if (requests.length === 0) this.#waiting.delete(key);
  }
}

/** Serves all requests with one run; `release` is called at its end at the latest. */
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

/** Returns the newest run of the lane with the most waiting runs; if lanes tie, the newest run among them. */
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
