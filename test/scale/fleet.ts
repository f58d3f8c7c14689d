import { Clock, type Process } from './clock.ts';
import { CloudFunction, type Instance } from './cloud-function.ts';
import { costs } from './costs.ts';
import { Random } from './random.ts';
import { Station } from './station.ts';
import { type DeliveryLimits, Subscription } from './subscription.ts';

export interface Cluster {
  readonly api: Station;
  readonly resources: number;
  /** Edits that are not repaired yet, by namespace. */
  readonly edits: readonly Set<Edit>[];
}

export interface Edit {
  readonly cluster: Cluster;
  readonly namespace: number;
  readonly at: number;
  repairedAt?: number;
}

/** The part of a resync that one fan-out message asks for. */
export interface Part {
  readonly cluster: Cluster;
  readonly namespace: number;
}

export interface FleetOptions {
  readonly seed: number;
  readonly clusters: number;
  /** Number in each cluster. */
  readonly resources: number;
  readonly namespaces: number;
  readonly fanOut: boolean;
  readonly auditInstances: number;
  readonly auditConcurrency: number;
  readonly startSeconds: number;
  readonly delivery: DeliveryLimits;
}

/** Defaults of the Terraform module. */
export const deployed = {
  fanOut: false,
  auditInstances: 5,
  auditConcurrency: 8,
  startSeconds: costs.platformStart.value + costs.processStart.value,
  delivery: {
    backoffSeconds: { first: 10, longest: 600 },
    maxAttempts: 15,
    duplicates: costs.duplicates.value,
    firstWindow: 1,
  },
};

const pageSize = 500;
/** Number of lists: the resources and two types of children. */
const types = 3;
/** Concurrent writes of a run, as CONCURRENCY. */
const writesAtOnce = 8;
const resyncDeadline = 300;
const auditDeadline = 120;

/** One deployment: its two functions and the clusters that it reconciles. */
export class Fleet {
  readonly clock = new Clock();
  readonly random: Random;
  readonly clusters: readonly Cluster[];
  readonly resync: CloudFunction;
  readonly audit: CloudFunction;
  readonly parts: Subscription<Part>;
  readonly entries: Subscription<Edit>;
  readonly #options: FleetOptions;
  readonly edits: Edit[] = [];
  /** Resyncs that read nothing even after all retries. */
  failedResyncs = 0;
  /** Number of lists that were not read in time, and of runs that did not reach every resource. */
  incomplete = 0;
  refusedByApi = 0;
  apiRequests = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.random = new Random(options.seed);
    const { resources, namespaces, startSeconds, delivery } = options;
    this.clusters = Array.from({ length: options.clusters }, () => ({
      api: new Station(this.clock, costs.seats.value, costs.longestQueue.value),
      resources,
      edits: Array.from({ length: namespaces }, () => new Set<Edit>()),
    }));
    const limits = {
      startSeconds,
      queueSeconds: costs.functionQueue.value,
      idleSeconds: costs.functionIdle.value,
    };
    this.resync = new CloudFunction(this.clock, { ...limits, instances: 1, concurrency: 1 });
    this.audit = new CloudFunction(this.clock, {
      ...limits,
      instances: options.auditInstances,
      concurrency: options.auditConcurrency,
    });
    this.parts = new Subscription(this.clock, delivery, this.random, (part) =>
      this.audit.call((instance) => this.#reconcile(instance, part, auditDeadline)),
    );
    this.entries = new Subscription(this.clock, delivery, this.random, (edit) =>
      this.audit.call((instance) => this.#reconcileOne(instance, edit)),
    );
  }

  /** Attempts a resync; ends with false if it was refused or no cluster could be read. */
  *resyncOnce(): Process<boolean> {
    return yield* this.resync.call((instance) => this.#resyncIn(instance));
  }

  edit(cluster: Cluster, namespace: number): Edit {
    const edit: Edit = { cluster, namespace, at: this.clock.now };
    cluster.edits[namespace]?.add(edit);
    this.edits.push(edit);
    return edit;
  }

  *#resyncIn(instance: Instance): Process<boolean> {
    let done = 0;
    const { fanOut } = this.#options;
    const one = function* (this: Fleet, cluster: Cluster): Process {
      const isDone = yield* fanOut
        ? this.#publish(instance, cluster)
        : this.#reconcile(instance, { cluster }, resyncDeadline);
      if (isDone) done++;
    };
    yield* this.clock.all(this.clusters.map((cluster) => one.call(this, cluster)));
    return done > 0;
  }

  *#publish(instance: Instance, cluster: Cluster): Process<boolean> {
    yield* this.#beginRun(instance);
    const until = this.clock.now + resyncDeadline / 2;
    if (!(yield* this.#list({ instance, cluster, until }, cluster.resources, costs.listed.value)))
      return false;
    for (const namespace of cluster.edits.keys()) this.parts.publish({ cluster, namespace });
    return true;
  }

  *#reconcile(
    instance: Instance,
    { cluster, namespace }: Partial<Part> & Pick<Part, 'cluster'>,
    deadline: number,
  ): Process<boolean> {
    const began = this.clock.now;
    yield* this.#beginRun(instance);
    const count = cluster.resources / (namespace === undefined ? 1 : cluster.edits.length);
    const reading = { instance, cluster, until: began + deadline / 2 };
    const read = this.clock.now;
    let complete = 0;
    const list = function* (this: Fleet): Process {
      const seconds = (costs.resource.value * costs.readShare.value) / types;
      if (yield* this.#list(reading, count, seconds)) complete++;
    };
    yield* this.clock.all(Array.from({ length: types }, () => list.call(this)));
    if (complete < types) return false;
    yield* this.#plan(instance, count, costs.resource.value * (1 - costs.readShare.value));
    if (this.clock.now > began + deadline) this.incomplete++;
    const chosen =
      namespace === undefined ? cluster.edits : cluster.edits.slice(namespace, namespace + 1);
    const drifted = chosen.flatMap((edits) => [...edits]).filter(({ at }) => at <= read);
    const repairs = drifted.map((edit) => this.#repair(instance, edit, began + deadline));
    yield* this.clock.all(repairs, writesAtOnce);
    return true;
  }

  /** Runs for one audit entry, reading the resource and its children by name. */
  *#reconcileOne(instance: Instance, edit: Edit): Process<boolean> {
    yield* this.#beginRun(instance);
    const reads = Array.from({ length: types }, () =>
      this.#request(edit.cluster.api, costs.writeSeconds.value, 1),
    );
    yield* this.clock.all(reads);
    yield* this.#plan(instance, 1, costs.resource.value);
    yield* this.#repair(instance, edit, Number.POSITIVE_INFINITY);
    return true;
  }

  *#beginRun(instance: Instance): Process {
    const first = instance.runs++ === 0 ? costs.firstRun.value : 0;
    yield* instance.cpu.use(costs.run.value + first);
  }

  /** Reads all pages; ends with false if that takes too long. */
  *#list(
    {
      instance,
      cluster,
      until,
    }: { readonly instance: Instance; readonly cluster: Cluster; readonly until: number },
    count: number,
    seconds: number,
  ): Process<boolean> {
    for (let left = count; left > 0; left -= pageSize) {
      const objects = Math.min(left, pageSize);
      const share = objects / pageSize;
      const seats = Math.max(1, Math.ceil(costs.pageSeats.value * share));
      yield* this.#request(cluster.api, costs.pageSeconds.value * share, seats);
      yield* this.#plan(instance, objects, seconds);
      if (this.clock.now > until) {
        this.incomplete++;
        return false;
      }
    }
    return true;
  }

  /** Plans objects; the first ones of a process cost more, because its code is not compiled yet. */
  *#plan(instance: Instance, objects: number, seconds: number): Process {
    const share = seconds / costs.resource.value;
    const before = instance.handled;
    instance.handled += objects * share;
    const coldness = (handled: number): number => Math.exp(-handled / costs.warmUpResources.value);
    const extra = costs.warmUp.value * (coldness(before) - coldness(instance.handled));
    yield* instance.cpu.use(objects * seconds + extra);
  }

  *#repair(instance: Instance, edit: Edit, deadline: number): Process {
    if (edit.repairedAt !== undefined || this.clock.now > deadline) return;
    yield* instance.cpu.use(costs.repair.value);
    for (let requests = 0; requests < 3; requests++)
      yield* this.#request(edit.cluster.api, costs.writeSeconds.value, 1);
    if (edit.repairedAt !== undefined) return;
    edit.repairedAt = this.clock.now;
    edit.cluster.edits[edit.namespace]?.delete(edit);
  }

  *#request(api: Station, seconds: number, seats: number): Process {
    yield* this.clock.wait(costs.roundTrip.value);
    this.apiRequests++;
    while (!(yield* api.use(seconds, seats))) {
      this.refusedByApi++;
      this.apiRequests++;
      yield* this.clock.wait(costs.retryAfter.value);
    }
  }
}
