import type { Process } from './clock.ts';
import { costs, prices } from './costs.ts';
import { deployed, Fleet } from './fleet.ts';

export interface Scenario {
  readonly name: string;
  readonly deployments: number;
  /** Number per deployment. */
  readonly clusters: number;
  /** Number per cluster. */
  readonly resources: number;
  readonly namespaces: number;
  readonly fanOut: boolean;
  readonly auditInstances: number;
  readonly auditEvents: boolean;
  readonly intervalSeconds: number;
  /** Hand edits per resource and day. */
  readonly editsADay: number;
}

export interface Outcome {
  readonly edits: number;
  /** Edits left at the end of the simulation, two intervals after the last edit. */
  readonly unrepaired: number;
  /** Median time from an edit to its repair, in seconds. */
  readonly p50: number;
  readonly p99: number;
  readonly resyncs: number;
  /** Resyncs that read nothing even after all retries. */
  readonly failedResyncs: number;
  /** Number of lists that were not read in time, and of runs that did not reach every resource. */
  readonly incomplete: number;
  readonly deadLetters: number;
  readonly refusedDeliveries: number;
  /** Rate per API server. */
  readonly requestsPerSecond: number;
  readonly meanSeats: number;
  readonly mostSeats: number;
  /** Responses 429 per API server and second. */
  readonly refusedPerSecond: number;
  /** The larger peak memory of the two functions. */
  readonly peakMiB: number;
  readonly dollarsAMonth: number;
}

const hour = 3_600;
const month = 30 * 24 * hour;
const retries = 3;
/** Limit of simulated deployments; they are independent, so a few represent all. */
const mostSimulated = 20;

/** Simulates about `count` edits over at least an hour, then two intervals in which the last ones are repaired. */
export function simulate(scenario: Scenario, { edits: count = 5_000, seed = 1 } = {}): Outcome {
  const simulated = Math.min(scenario.deployments, mostSimulated);
  const perDay = scenario.editsADay * scenario.resources * scenario.clusters * simulated;
  const hours = Math.max(1, (24 * count) / perDay);
  const fleets = Array.from({ length: simulated }, (_, at) => {
    const fleet = new Fleet({
      ...deployed,
      ...scenario,
      seed: seed + at,
    });
    const end = hours * hour + 2 * scenario.intervalSeconds;
    fleet.clock.start(editing(fleet, scenario, hours * hour));
    fleet.clock.start(schedule(fleet, scenario.intervalSeconds, end));
    fleet.clock.runUntil(end);
    return fleet;
  });
  return outcomeOf(scenario, fleets);
}

/** Models Cloud Scheduler: one attempt at a time, retried until the next resync is due. */
function* schedule(fleet: Fleet, interval: number, end: number): Process {
  const { clock } = fleet;
  for (let at = 0; at < end; at += interval) {
    yield* clock.wait(Math.max(0, at - clock.now));
    if (clock.now > at + interval) continue;
    let isDone = yield* fleet.resyncOnce();
    for (let retry = 0; !isDone && retry < retries; retry++) {
      const pause = 5 * 2 ** retry;
      if (clock.now + pause >= at + interval) break;
      yield* clock.wait(pause);
      isDone = yield* fleet.resyncOnce();
    }
    if (!isDone) fleet.failedResyncs++;
  }
}

/** Edits resources at random; the audit entries arrive late or never. */
function* editing(fleet: Fleet, scenario: Scenario, end: number): Process {
  const { clock, clusters, random } = fleet;
  const perSecond = (scenario.editsADay * scenario.resources * clusters.length) / (24 * hour);
  for (;;) {
    yield* clock.wait(random.exponential(1 / perSecond));
    if (clock.now > end) return;
    const cluster = clusters[Math.floor(random.next() * clusters.length)];
    if (cluster === undefined) return;
    const edit = fleet.edit(cluster, Math.floor(random.next() * scenario.namespaces));
    if (!scenario.auditEvents || random.next() < costs.auditLost.value) continue;
    const latency = random.logNormal(costs.auditMedian.value, costs.auditP99.value);
    clock.after(latency, () => fleet.entries.publish(edit));
  }
}

function outcomeOf(scenario: Scenario, fleets: readonly Fleet[]): Outcome {
  const sum = (of: (fleet: Fleet) => number): number =>
    fleets.reduce((total, fleet) => total + of(fleet), 0);
  const seconds = sum(({ clock }) => clock.now);
  const servers = fleets.flatMap((fleet) => fleet.clusters.map(({ api }) => api));
  const made = fleets.flatMap(({ edits }) => edits);
  const times = made.flatMap(({ at, repairedAt }) =>
    repairedAt === undefined ? [] : [repairedAt - at],
  );
  return {
    edits: made.length,
    unrepaired: made.length - times.length,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    resyncs: Math.ceil((fleets[0]?.clock.now ?? 0) / scenario.intervalSeconds) * fleets.length,
    failedResyncs: sum(({ failedResyncs }) => failedResyncs),
    incomplete: sum(({ incomplete }) => incomplete),
    deadLetters: sum(({ parts, entries }) => parts.deadLetters + entries.deadLetters),
    refusedDeliveries: sum(({ audit }) => audit.refused),
    requestsPerSecond: sum(({ apiRequests }) => apiRequests) / seconds / scenario.clusters,
    meanSeats:
      servers.reduce((all, { seatSeconds }) => all + seatSeconds, 0) / seconds / scenario.clusters,
    mostSeats: Math.max(...servers.map(({ mostTaken }) => mostTaken)),
    refusedPerSecond: sum(({ refusedByApi }) => refusedByApi) / seconds / scenario.clusters,
    peakMiB: peakOf(scenario),
    dollarsAMonth:
      (sum(dollarsOf) / seconds) * month * scenario.deployments +
      scenario.deployments * prices.schedulerJob.value,
  };
}

/** Extrapolates the peak memory: a resync holds all its clusters, an audit instance only its concurrent parts. */
function peakOf({ fanOut, clusters, resources, namespaces }: Scenario): number {
  const held = fanOut ? (deployed.auditConcurrency * resources) / namespaces : clusters * resources;
  return costs.process.value + costs.resourceMemory.value * held;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}

/** Memory of an instance, in GiB. */
const memory = 0.5;
/** Billed size of an audit entry with its object, which is counted when published and when delivered. */
const entryBytes = 10_000;
/** The minimum that Pub/Sub bills. */
const partBytes = 1_000;

/** Returns the cost of the functions and messages of a deployment, without the free tier. */
function dollarsOf({ resync, audit, parts, entries }: Fleet): number {
  const seconds = resync.billedSeconds + audit.billedSeconds;
  const bytes =
    entryBytes * (entries.published + entries.deliveries) +
    partBytes * (parts.published + parts.deliveries);
  return (
    seconds * (prices.processorSecond.value + memory * prices.gibSecond.value) +
    ((resync.requests + audit.requests) / 1e6) * prices.millionRequests.value +
    (bytes / 2 ** 40) * prices.pubSubTib.value
  );
}

/** Returns the cost of pods that run all the time, by their requests, in dollars a month. */
export function dollarsOfPods(pods: number, processors: number, gib: number): number {
  const hours = 30 * 24;
  return (
    pods * hours * (processors * prices.podProcessorHour.value + gib * prices.podGibHour.value)
  );
}
