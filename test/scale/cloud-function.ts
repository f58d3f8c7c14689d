import type { Clock, Process } from './clock.ts';
import { Station } from './station.ts';

export interface FunctionLimits {
  readonly instances: number;
  /** Concurrent requests of one instance. */
  readonly concurrency: number;
  /** Time from the request that needs an instance until the instance is ready. */
  readonly startSeconds: number;
  /** Longest time that a request waits for a slot before it is refused. */
  readonly queueSeconds: number;
  /** Time without requests after which an instance ends. */
  readonly idleSeconds: number;
}

/** An instance of a function with one virtual processor, which its requests share. */
export class Instance {
  readonly cpu: Station;
  readonly readyAt: number;
  active = 0;
  idleSince: number;
  activeSince: number;
  /** Resources handled so far; the next one costs less the more there were. */
  handled = 0;
  runs = 0;

  constructor(clock: Clock, startSeconds: number) {
    this.cpu = new Station(clock, 1);
    this.readyAt = clock.now + startSeconds;
    this.idleSince = clock.now;
    this.activeSince = clock.now;
  }
}

interface Waiting {
  isOver: boolean;
  readonly resume: () => void;
}

/** A Cloud Run function: starts an instance if all slots are taken, and is billed for instances with requests. */
export class CloudFunction {
  readonly #clock: Clock;
  readonly #limits: FunctionLimits;
  #instances: Instance[] = [];
  readonly started: Instance[] = [];
  readonly #waiting: Waiting[] = [];
  requests = 0;
  refused = 0;
  /** Time in which instances had requests. */
  billedSeconds = 0;
  mostInstances = 0;
  mostActive = 0;

  constructor(clock: Clock, limits: FunctionLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Runs the handler in a slot; ends with false if it fails or no slot is free in time. */
  *call(handler: (instance: Instance) => Process<boolean>): Process<boolean> {
    this.requests++;
    const deadline = this.#clock.now + this.#limits.queueSeconds;
    let instance = this.#place();
    while (instance === undefined) {
      if (this.#clock.now >= deadline) {
        this.refused++;
        return false;
      }
      yield* this.#waitForPlace(deadline);
      instance = this.#place();
    }
    if (instance.active === 0) instance.activeSince = this.#clock.now;
    instance.active++;
    this.mostActive = Math.max(this.mostActive, instance.active);
    yield* this.#clock.wait(Math.max(0, instance.readyAt - this.#clock.now));
    const isDone = yield* handler(instance);
    this.#release(instance);
    return isDone;
  }

  /** Processor time of all instances, without starting them. */
  get cpuSeconds(): number {
    return this.started.reduce((sum, { cpu }) => sum + cpu.seatSeconds, 0);
  }

  #place(): Instance | undefined {
    const { instances, concurrency, startSeconds, idleSeconds } = this.#limits;
    const isAlive = ({ active, idleSince }: Instance): boolean =>
      active > 0 || this.#clock.now - idleSince <= idleSeconds;
    this.#instances = this.#instances.filter(isAlive);
    const free = this.#instances
      .filter(({ active }) => active < concurrency)
      .sort((a, b) => a.active - b.active)[0];
    if (free !== undefined || this.#instances.length >= instances) return free;
    const started = new Instance(this.#clock, startSeconds);
    this.#instances.push(started);
    this.started.push(started);
    this.mostInstances = Math.max(this.mostInstances, this.#instances.length);
    return started;
  }

  *#waitForPlace(deadline: number): Process {
    yield (resume) => {
      const one: Waiting = { isOver: false, resume };
      this.#waiting.push(one);
      this.#clock.after(deadline - this.#clock.now, () => this.#wake(one));
    };
  }

  #wake(one: Waiting): void {
    if (one.isOver) return;
    one.isOver = true;
    one.resume();
  }

  #release(instance: Instance): void {
    instance.active--;
    if (instance.active === 0) {
      instance.idleSince = this.#clock.now;
      const seconds = this.#clock.now - instance.activeSince;
      // Billing rounds up to 100 ms.
      this.billedSeconds += Math.ceil(Number((seconds * 10).toFixed(6))) / 10;
    }
    let next = this.#waiting.shift();
    while (next?.isOver) next = this.#waiting.shift();
    if (next !== undefined) {
      const woken = next;
      this.#clock.after(0, () => this.#wake(woken));
    }
  }
}
