import { AsyncResource } from 'node:async_hooks';
import { messageOf } from '../cluster/cluster-errors.ts';
import { once } from '../once.ts';
import { RequestFailure } from './request-errors.ts';

interface QueueLimits {
  readonly running: number;
  readonly waiting: number;
  readonly onBegin?: (waitedMs: number) => void;
}

/** A request for a run, or for the reads that find out which resources a delivery affects. */
export interface RunRequest<Input, Result> {
  /** Runs with equal keys select the same resources. */
  readonly key: string;
  /** The namespace to which the run is charged, if it has only one. */
  readonly lane: string;
  readonly input: Input;
  /** When the request stops waiting, in milliseconds since the epoch. */
  readonly until: number;
  /** Receives the inputs of all joined requests. `release` gives up the slot early. */
  readonly act: (inputs: readonly Input[], release: () => void) => Promise<Result>;
}

interface Waiting {
  readonly input: unknown;
  readonly begin: (inputs: readonly unknown[], release: () => void) => Promise<unknown>;
  readonly result: PromiseWithResolvers<unknown>;
  readonly timer: NodeJS.Timeout;
}

interface Entry {
  lane: string;
  readonly requests: Set<Waiting>;
}

/**
 * Limits the runs of a process on one cluster, and divides their slots fairly among lanes (namespaces). A free slot
 * goes to the lane with the fewest slots, and there to the oldest run. A request joins a waiting run with the same key.
 *
 * Guarantees:
 * - Of the runs with one key, at most one has a slot and at most one waits.
 * - No request joins a begun run, because that run may have read the cluster before the change behind the request.
 * - If a run fails, its first request gets the error, and the others a failure that is already logged.
 * - A lane that has as many slots as are free takes no more, so one busy lane leaves half of all slots free.
 *
 * Caveats: a request that waits too long is refused as `busy`, and so is the newest run of the longest lane if too many
 * runs wait.
 */
export class RunQueue {
  readonly #limits: QueueLimits;
  readonly #running = new Map<string, string>();
  readonly #waiting = new Map<string, Entry>();

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  enqueue<Input, Result>(run: RunRequest<Input, Result>): Promise<Result> {
    const { key, lane, input, until, act } = run;
    const result = Promise.withResolvers<Result>();
    const queued = Date.now();
    const tooLong = (): void =>
      this.#reject(key, [request], 'the request waited too long for other runs');
    const request: Waiting = {
      input,
      // Keeps the request's log context: the run that frees the slot calls this function.
      begin: AsyncResource.bind(async (inputs, release) => {
        this.#limits.onBegin?.(Date.now() - queued);
        return act(inputs as Input[], release);
      }),
      result: result as PromiseWithResolvers<unknown>,
      timer: setTimeout(tooLong, Math.max(0, until - Date.now())),
    };
    const entry = this.#waiting.get(key) ?? { lane, requests: new Set() };
    if (entry.lane !== lane) entry.lane = '';
    entry.requests.add(request);
    this.#waiting.set(key, entry);
    this.#beginNext();
    this.#refuseExcess();
    return result.promise;
  }

  #beginNext(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.#begin(...next);
  }

  #next(): [string, Entry] | undefined {
    const free = this.#limits.running - this.#running.size;
    const slotsOf = ({ lane }: Entry): number => count(this.#running.values(), lane);
    return [...this.#waiting]
      .filter(([key, entry]) => !this.#running.has(key) && slotsOf(entry) < free)
      .toSorted(([, a], [, b]) => slotsOf(a) - slotsOf(b))[0];
  }

  #begin(key: string, { lane, requests }: Entry): void {
    this.#waiting.delete(key);
    for (const { timer } of requests) clearTimeout(timer);
    this.#running.set(key, lane);
    const release = once(() => {
      this.#running.delete(key);
      this.#beginNext();
    });
    serve([...requests], release);
  }

  #refuseExcess(): void {
    const { waiting: most } = this.#limits;
    if (this.#waiting.size <= most) return;
    const entries = [...this.#waiting].toReversed();
    const lanes = entries.map(([, { lane }]) => lane);
    const longest = Math.max(...lanes.map((lane) => count(lanes, lane)));
    const newest = entries.find(([, { lane }]) => count(lanes, lane) === longest);
    if (newest !== undefined)
      this.#reject(newest[0], newest[1].requests, `${most} other runs are waiting`);
  }

  #reject(key: string, rejected: Iterable<Waiting>, why: string): void {
    const requests = this.#waiting.get(key)?.requests;
    for (const request of rejected) {
      clearTimeout(request.timer);
      requests?.delete(request);
      request.result.reject(new RequestFailure('busy', why));
    }
    if (requests?.size === 0) this.#waiting.delete(key);
  }
}

function serve(requests: readonly Waiting[], release: () => void): void {
  const [first, ...joined] = requests;
  const inputs = requests.map(({ input }) => input);
  const ended = first?.begin(inputs, release).finally(release);
  first?.result.resolve(ended);
  const asLogged = (error: unknown): never => {
    throw new RequestFailure('transient', messageOf(error), { cause: error, isLogged: true });
  };
  for (const { result } of joined) result.resolve(ended?.catch(asLogged));
}

const count = (lanes: Iterable<string>, lane: string): number =>
  [...lanes].filter((one) => one === lane).length;
