/** A number and its source. */
interface Cost {
  readonly value: number;
  readonly source: string;
}

const fitted =
  'fitted to npm run bench -- --growth 100,1000,10000, 2026-11-22, 2 shared processors, local cluster';
const google = (page: string): string => `${page}, read 2026-11`;
const assumed = (why: string): string => `assumed: ${why}`;

/**
 * All inputs of the model. Measured numbers are updated by hand after a new measurement;
 * `measured.test.ts` then shows how far the model is off.
 */
export const costs = {
  // Processor time of the functions, in seconds.
  processStart: { value: 0.33, source: 'npm run bench, start to first response, 2026-11-22' },
  firstRun: { value: 0.06, source: `${fitted}: once in a process, connections and compilation` },
  run: { value: 0.007, source: `${fitted}: each run, whatever it finds` },
  resource: { value: 0.000_27, source: `${fitted}: reading and planning one, with two children` },
  warmUp: { value: 0.09, source: `${fitted}: more in a new process, over its first resources` },
  warmUpResources: { value: 500, source: `${fitted}: how many these are` },
  readShare: {
    value: 0.5,
    source: assumed('half of it while lists arrive, as a bare client needs about as much'),
  },
  listed: { value: 0.000_037, source: `${fitted}: one listed by a resync that only publishes` },
  repair: { value: 0.0065, source: `${fitted}: one child, three requests` },

  // Memory of a function, in MiB.
  process: { value: 108, source: `${fitted}: peak with few resources` },
  resourceMemory: { value: 0.0058, source: `${fitted}: more for each that a run holds` },

  // The API server.
  pageSeconds: {
    value: 0.05,
    source: assumed('500 objects with a selector, from 10,000 Deployments in 1 to 1.5 s'),
  },
  writeSeconds: { value: 0.01, source: assumed('an apply or a read of one object, with etcd') },
  roundTrip: { value: 0.005, source: assumed('function and cluster in one region') },
  seats: {
    value: 49,
    source: 'k8s.io/apiserver bootstrap: global-default has 20 of 245 shares of 600 seats',
  },
  pageSeats: {
    value: 8,
    source: 'a page has 0.65 to 1.6 MB; a seat for each 100 kB, at most seats / handSize (6)',
  },
  longestQueue: { value: 300, source: 'global-default: handSize 6, queueLengthLimit 50' },
  retryAfter: { value: 1, source: 'the least Retry-After of a 429' },

  // Google Cloud.
  platformStart: { value: 0.7, source: assumed('a container, before Node: 0.3 to 1 s') },
  functionQueue: {
    value: 10,
    source: google('cloud.google.com/run/docs/about-instance-autoscaling'),
  },
  functionIdle: {
    value: 900,
    source: assumed('Cloud Run keeps an idle instance up to 15 minutes'),
  },
  auditMedian: {
    value: 12,
    source: assumed('timestamp to receiveTimestamp of public samples: 0.8 to 29 s'),
  },
  auditP99: { value: 120, source: assumed('minutes were reported, no objective is published') },
  auditLost: { value: 0.001, source: assumed('loss is possible, no figure is published') },
  duplicates: { value: 0.001, source: assumed('at least once, no figure is published') },
} as const satisfies Readonly<Record<string, Cost>>;

/** Prices in US dollars in a tier 1 region. */
export const prices = {
  processorSecond: { value: 0.000_024, source: google('cloud.google.com/run/pricing') },
  gibSecond: { value: 0.000_002_5, source: google('cloud.google.com/run/pricing') },
  millionRequests: { value: 0.4, source: google('cloud.google.com/run/pricing') },
  schedulerJob: { value: 0.1, source: google('cloud.google.com/scheduler/pricing') },
  pubSubTib: { value: 40, source: google('cloud.google.com/pubsub/pricing') },
  podProcessorHour: { value: 0.0445, source: 'GKE Autopilot, secondary sources, 2026-11' },
  podGibHour: { value: 0.0049, source: 'GKE Autopilot, secondary sources, 2026-11' },
} as const satisfies Readonly<Record<string, Cost>>;
