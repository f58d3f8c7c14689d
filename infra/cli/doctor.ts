import { type Command, Option } from 'commander';
import { type Cli, example, withCluster } from './cli.ts';
import type { Check } from './doctor/check.ts';
import { examine } from './doctor/examination.ts';
import { probeFor } from './doctor/probe.ts';
import { remediesFor } from './doctor/remedies.ts';
import { exitCodes, UsageError } from './errors.ts';
import type { KubeOptions } from './kubeconfig.ts';
import type { Operator } from './operator.ts';
import { columns, printJson, printLines } from './print.ts';
import { paintFor, type Terminal } from './terminal.ts';

interface DoctorOptions extends KubeOptions {
  readonly as?: string;
  readonly output: 'text' | 'json';
}

export function addDoctor(program: Command, { operate, terminal }: Cli): void {
  withCluster(program.command('doctor'))
    .summary('check all that an installation needs')
    .description(
      'Checks all that an installation needs: the API server and its version, who we are there, every right, the definitions, namespaces, settings, resources, and traces of ticks and audit events. Each is ok, warn or fail, with a command that remedies it where there is one. Nothing is written. Exits with 1 if something fails.',
    )
    .option(
      '--as <user>',
      "ask for the rights of this user, the functions', which takes the right to impersonate it",
    )
    .addOption(
      new Option('-o, --output <format>', 'how to print it')
        .choices(['text', 'json'])
        .default('text'),
    )
    .addHelpText(
      'after',
      example(
        'doctor',
        'doctor --context prod --as serverless-reconciler@my-project.iam.gserviceaccount.com',
        'doctor -o json',
      ),
    )
    .action((options: DoctorOptions) => {
      if (options.as === '') throw new UsageError('--as: the name of a user is empty');
      return operate(options, async (operator) => {
        const checks = await examine(await patientOf(operator, terminal, options));
        const isFailed = checks.some(({ state }) => state === 'fail');
        if (options.output === 'json') printJson(terminal.out, { ok: !isFailed, checks });
        else printLines(terminal.out, checkTable(checks, terminal));
        return isFailed ? exitCodes.failed : exitCodes.done;
      });
    });
}

async function patientOf(operator: Operator, terminal: Terminal, options: DoctorOptions) {
  const { kinds, namespaces, ownIdentity } = operator.config;
  return {
    probe: probeFor(operator.credentials),
    run: await operator.begin(),
    kinds,
    namespaces,
    as: options.as,
    ownIdentity,
    remedies: remediesFor(operator.context, options, terminal.localKubeconfig),
  };
}

const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

function checkTable(checks: readonly Check[], { out, env }: Terminal): readonly string[] {
  const paint = paintFor(out, env);
  const rows = checks.map(({ state, name, message, remedy }) => [
    paint(colours[state], state),
    name,
    [message, ...(remedy === undefined ? [] : [`→ ${remedy}`])].join('\n'),
  ]);
  const count = (state: Check['state']): number =>
    checks.filter((check) => check.state === state).length;
  return [
    ...columns(['STATE', 'CHECK', 'FOUND'], rows),
    '',
    `${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} failed.`,
  ];
}
