import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { buildFunctions } from '../../infra/build/build.ts';
import { showSteps } from '../../infra/cli/output/progress.ts';
import { configFile } from '../support/config.ts';
import { type ConditionSummary, runSoak } from './run-soak.ts';

const usage = `usage: npm run soak -- [--real] [--minutes N] [--seed S] [--faults RATE] [--without ACTOR]… [--json FILE]

Functions, actors and faults at random for N minutes (default 1), then a verdict; exits 1 where something
does not hold. On the embedded cluster, or with --real on a control plane of its own.`;

const { values } = parseArgs({
  options: {
    real: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    faults: { type: 'string', default: '0.04' },
    without: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

function number(name: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  console.error(`--${name}: "${text}" is no number\n\n${usage}`);
  return process.exit(2);
}

const mostShown = 20;

function show({ checks, failures, counts }: ConditionSummary): void {
  console.log(`\n${JSON.stringify(counts)}`);
  for (const { name, measured, faults } of checks) {
    console.log(`${faults.length === 0 ? 'ok    ' : 'FAILED'}  ${name}: ${measured}`);
    for (const fault of faults.slice(0, mostShown)) console.log(`          ${fault}`);
    if (faults.length > mostShown) console.log(`          and ${faults.length - mostShown} more`);
  }
  if (failures.length > 0) console.log(`the soak itself failed ${failures.length} times:`);
  for (const failure of failures.slice(0, mostShown)) console.log(`          ${failure}`);
}

if (values.help) {
  console.log(usage);
  process.exit(0);
}
const options = {
  ground: values.real ? ('real' as const) : ('local' as const),
  minutes: number('minutes', values.minutes),
  seed: number('seed', values.seed),
  faultRate: number('faults', values.faults),
  without: values.without,
};
console.error(`seed ${options.seed}`);
const { onStep, stop } = showSteps({ err: process.stderr, now: () => new Date() });
const verdict = await soak().finally(stop);
show(verdict);
const isWell =
  verdict.checks.every(({ faults }) => faults.length === 0) && verdict.failures.length === 0;
if (values.json !== undefined)
  await writeFile(values.json, `${JSON.stringify({ ...options, isWell, ...verdict }, null, 2)}\n`);
console.log(`\n${isWell ? 'all holds' : 'something does not hold'}; seed ${options.seed}`);
process.exit(isWell ? 0 : 1);

async function soak(): Promise<ConditionSummary> {
  onStep('building the functions');
  await buildFunctions(configFile, () => undefined);
  return runSoak({ ...options, onStep });
}
