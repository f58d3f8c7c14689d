import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { compare } from './measured.ts';
import { dollarsOfPods, type Outcome, type Scenario, simulate } from './simulate.ts';

const usage = `npm run scale -- [--clusters N] [--resources N] [--edits N] [--seed N] [--json FILE]

Simulates what docs/scale.md states: time to repair, load on the API servers, money. Without --clusters
and --resources all its rows.
  --clusters N   so many clusters, by functions of their own, in groups of 25, and by one deployment
  --resources N  in each cluster (1000)
  --edits N      how many to simulate, about; at least an hour of them (5000)
  --check        instead, the model beside measured runs
  --seed N       of the random numbers (1)
  --json FILE    every number
`;

const { values } = parseArgs({
  options: {
    clusters: { type: 'string' },
    resources: { type: 'string' },
    edits: { type: 'string', default: '5000' },
    check: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const usual = {
  deployments: 1,
  clusters: 1,
  resources: 1_000,
  namespaces: 10,
  fanOut: false,
  auditInstances: 5,
  auditEvents: true,
  intervalSeconds: 300,
  editsADay: 0.1,
};

const group = 25;

const scenariosOf = (clusters: number, resources: number): readonly Scenario[] => [
  { ...usual, resources, deployments: clusters, name: 'functions for each cluster' },
  {
    ...usual,
    resources,
    deployments: clusters,
    auditEvents: false,
    name: '— without audit events',
  },
  {
    ...usual,
    resources,
    deployments: Math.ceil(clusters / group),
    clusters: Math.min(clusters, group),
    name: `${group} clusters in each deployment`,
  },
  { ...usual, resources, clusters, name: 'one deployment' },
  { ...usual, resources, clusters, fanOut: true, name: 'one deployment, fan-out' },
  {
    ...usual,
    resources,
    clusters,
    fanOut: true,
    auditInstances: 50,
    name: 'one deployment, fan-out, 50 instances',
  },
];

const large = (resources: number): readonly Scenario[] => {
  const one = { ...usual, resources, namespaces: resources / 1_000 };
  const name = `one cluster of ${resources.toLocaleString('en')}`;
  return [
    { ...one, name },
    { ...one, fanOut: true, name: `${name}, fan-out` },
    { ...one, fanOut: true, auditEvents: false, name: '— without audit events' },
    { ...one, fanOut: true, auditInstances: 50, name: `${name}, fan-out, 50 instances` },
  ];
};

function cells(name: string, outcome: Outcome): readonly string[] {
  const { p50, p99, edits, unrepaired, resyncs, failedResyncs, incomplete, deadLetters } = outcome;
  const seconds = (value: number): string => `${value.toFixed(0)} s`;
  return [
    name,
    seconds(p50),
    seconds(p99),
    `${((100 * unrepaired) / edits).toFixed(1)} %`,
    `${failedResyncs} of ${resyncs}`,
    `${incomplete}`,
    `${deadLetters}`,
    `${outcome.requestsPerSecond.toFixed(2)}`,
    `${outcome.refusedPerSecond.toFixed(2)}`,
    `${outcome.meanSeats.toFixed(3)}, ${outcome.mostSeats}`,
    `${outcome.peakMiB.toFixed(0)}`,
    `${outcome.dollarsAMonth.toFixed(outcome.dollarsAMonth < 10 ? 2 : 0)}`,
  ];
}

const heading = [
  '',
  'p50',
  'p99',
  'not repaired',
  'failed resyncs',
  'cut off',
  'dead letters',
  'requests/s',
  '429/s',
  'seats: mean, most',
  'peak MiB',
  '$ a month',
];
const row = (columns: readonly string[]): string => `| ${columns.join(' | ')} |\n`;

if (values.help) {
  process.stdout.write(usage);
  process.exit();
}
if (values.check) {
  process.stdout.write(
    row(['', 'measured', 'model', 'off by']) + row(['---', '---', '---', '---']),
  );
  for (const { name, measured, modelled, deviation } of compare())
    process.stdout.write(
      row([name, measured, modelled, `${deviation > 0 ? '+' : ''}${deviation.toFixed(0)} %`]),
    );
  process.exit();
}
const options = { edits: Number(values.edits), seed: Number(values.seed) };
const isAll = values.clusters === undefined && values.resources === undefined;
const [clusters, resources] = [Number(values.clusters ?? 1_000), Number(values.resources ?? 1_000)];
if (![clusters, resources, options.edits].every((value) => value > 0)) {
  process.stderr.write(`--clusters, --resources and --edits are positive numbers\n\n${usage}`);
  process.exit(2);
}
const scenarios = [
  ...scenariosOf(clusters, resources),
  ...(isAll ? [10_000, 100_000, 1_000_000].flatMap(large) : []),
];
process.stdout.write(row(heading) + row(heading.map(() => '---')));
const outcomes = scenarios.map((scenario) => {
  const outcome = simulate(scenario, options);
  process.stdout.write(row(cells(scenario.name, outcome)));
  return { ...scenario, ...outcome };
});
const pods = [
  [0.05, 0.125],
  [0.25, 0.5],
] as const;
for (const [processors, gib] of pods)
  process.stdout.write(
    `${clusters} pods of ${processors} vCPU and ${gib} GiB: ${dollarsOfPods(clusters, processors, gib).toFixed(0)} dollars a month\n`,
  );
if (values.json !== undefined)
  await writeFile(values.json, `${JSON.stringify({ options, outcomes }, null, 1)}\n`);
