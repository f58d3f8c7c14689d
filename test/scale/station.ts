import type { Clock, Process } from './clock.ts';

interface Waiting {
  readonly width: number;
  readonly resume: () => void;
}

/**
 * Seats, taken in order of arrival: those of an API server's priority level, or with one seat a processor.
 * A request that needs several waits until so many are free, and those behind it wait, too.
 */
export class Station {
  readonly #clock: Clock;
  readonly #seats: number;
  readonly #longest: number;
  readonly #queue: Waiting[] = [];
  #taken = 0;
  mostTaken = 0;
  served = 0;
  refused = 0;
  /** Time multiplied with the seats that were taken. */
  seatSeconds = 0;
  waitedSeconds = 0;

  /** At most `longest` requests wait. */
  constructor(clock: Clock, seats: number, longest = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#seats = seats;
    this.#longest = longest;
  }

  /** Whether it was served; false at once if too many wait. */
  *use(seconds: number, width = 1): Process<boolean> {
    const arrived = this.#clock.now;
    if (this.#queue.length > 0 || this.#taken + width > this.#seats) {
      if (this.#queue.length >= this.#longest) {
        this.refused++;
        return false;
      }
      yield (resume) => this.#queue.push({ width, resume });
    } else this.#take(width);
    this.waitedSeconds += this.#clock.now - arrived;
    yield* this.#clock.wait(seconds);
    this.#taken -= width;
    this.seatSeconds += seconds * width;
    this.served++;
    this.#admit();
    return true;
  }

  #take(width: number): void {
    this.#taken += width;
    this.mostTaken = Math.max(this.mostTaken, this.#taken);
  }

  #admit(): void {
    for (
      let [next] = this.#queue;
      next !== undefined && this.#taken + next.width <= this.#seats;
      [next] = this.#queue
    ) {
      this.#queue.shift();
      this.#take(next.width);
      this.#clock.after(0, next.resume);
    }
  }
}
