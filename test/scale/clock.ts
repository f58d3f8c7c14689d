/** An event that a process waits for; it is called once with the function that continues the process. */
export type Wait = (resume: () => void) => void;
export type Process<Result = void> = Generator<Wait, Result, void>;

interface Due {
  readonly time: number;
  readonly order: number;
  readonly act: () => void;
}

const isBefore = (a: Due, b: Due): boolean =>
  a.time < b.time || (a.time === b.time && a.order < b.order);

/** Simulated time in seconds. Events due at the same time happen in the order in which they were scheduled. */
export class Clock {
  #now = 0;
  #planned = 0;
  /** A binary heap. */
  readonly #due: Due[] = [];

  get now(): number {
    return this.#now;
  }

  after(seconds: number, act: () => void): void {
    if (!(seconds >= 0)) throw new RangeError(`${seconds} s is no time to wait`);
    const due = this.#due;
    const added = { time: this.#now + seconds, order: this.#planned++, act };
    let at = due.push(added) - 1;
    for (let above = (at - 1) >> 1; at > 0; above = (at - 1) >> 1) {
      const parent = due[above];
      if (parent === undefined || !isBefore(added, parent)) break;
      due[at] = parent;
      at = above;
    }
    due[at] = added;
  }

  /** Runs every event that is due by `end`. */
  runUntil(end: number): void {
    for (let next = this.#due[0]; next !== undefined && next.time <= end; next = this.#due[0]) {
      this.#removeFirst();
      this.#now = next.time;
      next.act();
    }
    if (end !== Number.POSITIVE_INFINITY) this.#now = end;
  }

  start<Result>(process: Process<Result>, onEnd: (result: Result) => void = () => {}): void {
    const step = (): void => {
      const { done, value } = process.next();
      if (done === true) onEnd(value);
      else value(step);
    };
    step();
  }

  *wait(seconds: number): Process {
    yield (resume) => this.after(seconds, resume);
  }

  /** Runs the processes in order, at most `atOnce` at a time, and ends with the last one. */
  *all(processes: readonly Process[], atOnce = processes.length): Process {
    const waiting = processes.values();
    const worker = function* (): Process {
      for (const process of waiting) yield* process;
    };
    let left = Math.min(atOnce, processes.length);
    if (left === 0) return;
    const workers = Array.from({ length: left }, worker);
    yield (resume) => {
      const onEnd = (): void => {
        left--;
        if (left === 0) this.after(0, resume);
      };
      for (const one of workers) this.start(one, onEnd);
    };
  }

  #removeFirst(): void {
    const due = this.#due;
    const moved = due.pop();
    if (moved === undefined || due.length === 0) return;
    let at = 0;
    for (;;) {
      const [left, right] = [due[2 * at + 1], due[2 * at + 2]];
      if (left === undefined) break;
      const isRight = right !== undefined && isBefore(right, left);
      const least = isRight ? right : left;
      if (!isBefore(least, moved)) break;
      due[at] = least;
      at = 2 * at + (isRight ? 2 : 1);
    }
    due[at] = moved;
  }
}
