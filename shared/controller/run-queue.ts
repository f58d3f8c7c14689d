import { AsyncResource } from 'node:async_hooks';
import { BusyError, LoggedError } from './request-errors.ts';

interface QueueLimits {
  /** Limit of concurrent runs, whose keys all differ. */
  readonly running: number;
  /** Limit of keys that wait. */
  readonly waiting: number;
  /** Receives how long each request has waited, in milliseconds. */
  readonly onBegin?: (waitedMs: number) => unknown;
}

/** A request for a run. Requests that share a run each add their `input`. */
export interface RunRequest<Input, Result> {
  /** Identifies what the run selects: runs with equal keys differ only in their inputs. */
  readonly key: string;
  /** The namespace that the run's slot is charged to; empty for several. */
  readonly lane: string;
  readonly input: Input;
  /** When the request stops waiting, in milliseconds since the epoch. */
  readonly until: number;
  /** Does the work. Calls `release` once it only waits for resources to be Ready, so that the next run can begin. */
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
  /** The lane; empty once requests of different lanes share the run. */
  lane: string;
  /** The requests that the run will serve, in order of arrival. */
  readonly requests: Waiting[];
}

/**
 * Limits the runs of a process, and keeps lanes from starving each other.
 *
 * Flow: a run begins at once if no run of its key is active and a slot is free; otherwise it waits. The next
 * run is the oldest one of the lane with the fewest active runs. A request whose key is already waiting joins
 * that run. If their lanes differ, the run gets the lane ''.
 *
 * Guarantees: of each key, at most one run has a slot and at most one waits. No request joins a run that has
 * begun, because that run may have read the cluster before the change behind the request. If a run fails, its
 * first request gets the error and the others a LoggedError. A lane takes a slot only while more slots are
 * free than it has, so one lane leaves half of them free and m lanes leave 1/2^m. A lane without a waiting
 * run is refused only if every waiting place belongs to other lanes.
 *
 * Caveats: rejects a request with a BusyError if too many are waiting or if it has waited too long. The
 * newest waiting run of the lane with the most may be rejected in favour of a lane with fewer.
 */
export function createRunQueue(limits: QueueLimits): Enqueue {
  const queue = new RunQueue(limits);
  return (request) => queue.enqueue(request);
}

class RunQueue {
  readonly #limits: QueueLimits;
  /** The lane of each running key. */
  readonly #running = new Map<string, string>();
  readonly #waiting = new Map<string, Entry>();

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  enqueue<Input, Result>(run: RunRequest<Input, Result>): Promise<Result> {
    const { key, lane, input, until, act } = run;
    const result = Promise.withResolvers<Result>();
    const queued = Date.now();
    const tooLong = (): void => this.#giveUp(key, [request], 'it waited too long for other runs');
    const request: Waiting = {
      input,
      // Keeps the log context of the first request. Otherwise the run would log with that of the run that
      // freed its slot.
      begin: AsyncResource.bind(async (inputs, release) => {
        this.#limits.onBegin?.(Date.now() - queued);
        return act(inputs as Input[], release);
      }),
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

/** Serves all these requests with one run. Calls `release` at its end, if the run has not. */
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
        const { message } = error instanceof Error ? error : { message: String(error) };
        for (const one of joined) one.result.reject(new LoggedError(message, { cause: error }));
      },
    );
}

/** Returns the key of the newest run in the lane with the most waiting runs, or in the lanes that tie. */
function newestOfLongest(waiting: ReadonlyMap<string, Entry>): string {
  const entries = [...waiting].toReversed();
  const lanes = entries.map(([, { lane }]) => lane);
  const longest = Math.max(...lanes.map((lane) => count(lanes, lane)));
  const [key] = entries.find(([, { lane }]) => count(lanes, lane) === longest) ?? [''];
  return key;
}

const count = (lanes: Iterable<string>, lane: string): number =>
  [...lanes].filter((one) => one === lane).length;
