import type { Clock, Process } from './clock.ts';

export interface DeliveryLimits {
  /** The backoff doubles from the first to the longest value. */
  readonly backoffSeconds: { readonly first: number; readonly longest: number };
  readonly maxAttempts: number;
  /** Share of the messages that are delivered twice. */
  readonly duplicates: number;
  /** Initial limit of outstanding deliveries. */
  readonly firstWindow: number;
}

/**
 * A Pub/Sub push subscription. Its window limits outstanding deliveries; it grows by one with each
 * acknowledgement and is halved by a refusal.
 */
export class Subscription<Message> {
  readonly #clock: Clock;
  readonly #limits: DeliveryLimits;
  readonly #random: { next(): number };
  readonly #deliver: (message: Message) => Process<boolean>;
  readonly #ready: { readonly message: Message; readonly attempt: number }[] = [];
  #window: number;
  #outstanding = 0;
  #backingOff = 0;
  published = 0;
  acknowledged = 0;
  deadLetters = 0;
  deliveries = 0;

  constructor(
    clock: Clock,
    limits: DeliveryLimits,
    random: { next(): number },
    deliver: (message: Message) => Process<boolean>,
  ) {
    this.#clock = clock;
    this.#limits = limits;
    this.#window = limits.firstWindow;
    this.#random = random;
    this.#deliver = deliver;
  }

  /** Messages that are neither acknowledged nor given up. */
  get backlog(): number {
    return this.#ready.length + this.#outstanding + this.#backingOff;
  }

  publish(message: Message): void {
    const copies = this.#random.next() < this.#limits.duplicates ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      this.published++;
      this.#ready.push({ message, attempt: 1 });
    }
    this.#push();
  }

  #push(): void {
    while (this.#outstanding < this.#window) {
      const next = this.#ready.shift();
      if (next === undefined) return;
      this.#outstanding++;
      this.deliveries++;
      const { message, attempt } = next;
      this.#clock.start(this.#deliver(message), (isAcknowledged) => {
        this.#outstanding--;
        if (isAcknowledged) {
          this.acknowledged++;
          this.#window++;
        } else this.#refused(message, attempt);
        this.#clock.after(0, () => this.#push());
      });
    }
  }

  #refused(message: Message, attempt: number): void {
    const { backoffSeconds, maxAttempts } = this.#limits;
    this.#window = Math.max(1, Math.floor(this.#window / 2));
    if (attempt >= maxAttempts) {
      this.deadLetters++;
      return;
    }
    this.#backingOff++;
    const { first, longest } = backoffSeconds;
    this.#clock.after(Math.min(longest, first * 2 ** (attempt - 1)), () => {
      this.#backingOff--;
      this.#ready.push({ message, attempt: attempt + 1 });
      this.#push();
    });
  }
}
