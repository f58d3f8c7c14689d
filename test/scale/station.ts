import type { Clock, Process } from './clock.ts';

interface Waiting {
  readonly width: number;
  readonly resume: () => void;
}

/**
 * Seats that are taken in order of arrival: the priority level of an API server, or a processor if there is
 * one seat. A request for several seats waits until enough are free, and blocks the requests behind it.
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
  /** Seats taken, integrated over time. */
  seatSeconds = 0;
  waitedSeconds = 0;

  /** Creates a station at which at most `longest` requests wait. */
  constructor(clock: Clock, seats: number, longest = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#seats = seats;
    this.#longest = longest;
  }

  /** Occupies seats for some time; ends with false at once if too many requests wait. */
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
