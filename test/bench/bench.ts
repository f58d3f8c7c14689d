import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { showSteps } from '../../infra/cli/output/progress.ts';
import { packageRoot } from '../../infra/package-root.ts';
import { type Built, buildFunctions } from './built-function.ts';
import { measureStart } from './candidates.ts';
import { startProxy } from './counting-proxy.ts';
import { alternate, type Measurement } from './figures.ts';
import { countGrowth, measureGrowth } from './growth.ts';
import { countLive, measureLiveScenarios } from './live.ts';
import { countPeers, measurePeers } from './peers.ts';
import { countMeasurements } from './progress.ts';
import { measureReactions } from './reaction.ts';
import { countReplayed, type Extent, measureReplayedScenarios, type Setting } from './replayed.ts';
import { tableOf } from './table.ts';

const usage = `npm run bench -- [--real] [--resources N] [--rounds N] [--against REF] [--peers] [--growth LIST] [--memory MIB] [--json FILE]

What a run costs its client: the built functions under the functions framework with the flags that are
deployed, beside a bare client that sends the same requests and parses the responses. Resources have two
children each, in ten namespaces. Medians of alternating rounds, each sample in a new process.
  --real         the responses of the real control plane instead of the local cluster
  --resources N  how many (1000)
  --rounds N     how many samples of each candidate (5)
  --against REF  the functions as of this commit, too; with the packages that are installed now
  --peers        the same job by controller-runtime and by a TypeScript framework (needs Go)
  --growth LIST  instead, with nothing to do and 1 % drifted: 100,1000,10000 resources
  --memory MIB   of each function, which decides its flags (512)
  --json FILE    every sample, written as it is taken
`;

const { values } = parseArgs({
  options: {
    real: { type: 'boolean', default: false },
    resources: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
    against: { type: 'string' },
    peers: { type: 'boolean', default: false },
    growth: { type: 'string' },
    memory: { type: 'string', default: '512' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit();
}

const count = (option: string, text: string): number => {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  process.stderr.write(`--${option} '${text}' is not a positive integer\n`);
  process.exit(2);
};
const resources = count('resources', values.resources);
const rounds = count('rounds', values.rounds);
const memoryMiB = count('memory', values.memory);
const growth = values.growth?.split(',').map((text) => count('growth', text));

const machine = { processors: cpus().length, model: cpus()[0]?.model, node: process.version };
const measurements: Measurement[] = [];
const report = (one: Measurement): void => {
  measurements.push(one);
  if (values.json === undefined) return;
  const content = { machine, real: values.real, resources, measurements };
  writeFileSync(values.json, `${JSON.stringify(content, null, 1)}\n`);
};
const steps = showSteps({ err: process.stderr, now: () => new Date() });
steps.onStep('building the functions');
const proxy = await startProxy();
const ours = await buildFunctions('ours', packageRoot, memoryMiB);
const versions: [Built, ...Built[]] = [ours];
if (values.against !== undefined) versions.push(await versionBefore(values.against));
const extent: Extent = { versions, rounds };
const of = growth === undefined ? countAll() : countGrowth(growth);
const progress = countMeasurements(steps, { of, now: Date.now });
const setting: Setting = {
  ...extent,
  proxy,
  progress,
  real: values.real,
  resources,
};
const notes: string[] = [];
try {
  if (growth !== undefined) await measureGrowth(setting, growth, report);
  else notes.push(await measureAll());
} finally {
  steps.stop();
  proxy.stop();
  for (const built of versions) await built.remove();
}
for (const note of notes) process.stdout.write(`${note}\n`);
process.stdout.write(`\n${tableOf(measurements)}\n`);

/** Counts the planned measurements; all repairs of hand edits together are one. */
function countAll(): number {
  const starts = (1 + versions.length) * extent.rounds;
  const peers = values.peers ? countPeers(extent) : 0;
  return countReplayed(extent) + starts + countLive(extent) + peers + 1;
}

/** Makes all measurements, and returns the line about reaction times, which the table omits. */
async function measureAll(): Promise<string> {
  await measureReplayedScenarios(setting, report);
  const candidates = {
    'empty function': () => measureStart(ours, 'empty'),
    ...Object.fromEntries(
      versions.map((built) => [built.name, () => measureStart(built, 'resync')]),
    ),
  };
  const scenario = 'start to first response';
  await alternate(setting, { scenario, candidates }, report);
  await measureLiveScenarios(setting, report);
  if (values.peers) await measurePeers(setting, report);
  progress.begin('repair of a hand edit', '20 edits');
  const times = await measureReactions(values.real ? 'real' : 'local', 20);
  const [middle = 0, slowest = 0] = [times[times.length >> 1], times.at(-1)];
  return `a hand edit is repaired by its audit event after ${middle.toFixed(0)} ms (median of ${times.length}), ${slowest.toFixed(0)} ms at most`;
}

/** Builds the functions of an earlier commit with today's bench configuration, which that commit may lack. */
async function versionBefore(ref: string): Promise<Built> {
  const root = await mkdtemp(join(tmpdir(), 'bench-version-'));
  const git = (...args: readonly string[]): Buffer =>
    execFileSync('git', ['-C', packageRoot, ...args], { maxBuffer: 2 ** 28 });
  try {
    execFileSync('tar', ['-x', '-C', root], { input: git('archive', ref) });
    await symlink(join(packageRoot, 'node_modules'), join(root, 'node_modules'));
    for (const file of ['site.ts', 'reconciler.config.ts'])
      execFileSync('cp', [join(import.meta.dirname, file), join(root, 'test/bench', file)]);
    return await buildFunctions(String(git('rev-parse', '--short', ref)).trim(), root, memoryMiB);
  } finally {
    await rm(root, { recursive: true });
  }
}
