import { type Command, Option } from 'commander';
import { type Cli, example, withCluster } from './cli.ts';
import { assumptions, describeAssumptions } from './doctor/assumed.ts';
import type { Check } from './doctor/check.ts';
import { examine } from './doctor/examination.ts';
import { intervalFor } from './doctor/interval.ts';
import { probeFor } from './doctor/probe.ts';
import { remediesFor } from './doctor/remedies.ts';
import { exitCodes, UsageError } from './errors.ts';
import type { KubeOptions } from './kubeconfig.ts';
import type { Operator } from './operator.ts';
import { columns, printJson, printLines, type Text } from './print.ts';
import { paintFor, type Terminal } from './terminal.ts';

interface DoctorOptions extends KubeOptions {
  readonly as?: string;
  readonly interval?: string;
  readonly output: 'text' | 'json';
}

export function addDoctor(program: Command, { operate, terminal }: Cli): void {
  withCluster(program.command('doctor'))
    .summary('check all that an installation needs')
    .description(
      'Checks all that an installation needs: the API server and its version, who we are there, every right of the functions, the definitions, namespaces, settings, resources, and traces of ticks and audit events. Each is ok, warn (to look at, or not to be told from here) or fail, with what to do about it. What the functions are configured with no cluster tells: it is taken from the environment, else from the context of the kubeconfig, and said first. Nothing is written. Exits with 1 if something fails.',
    )
    .option(
      '--as <user>',
      "ask for the rights of this user, the functions', by SubjectAccessReview or else by impersonation; default: OWN_IDENTITY",
    )
    .option(
      '--interval <time>',
      'time between two ticks, as 90s, 5m or 2h: an edit may wait two of them (default: what the context says, as npm start writes it, else 10m)',
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
        const patient = await patientOf(operator, terminal, options);
        const checks = await examine(patient);
        const assumed = assumptions(terminal.env, operator.context);
        const { interval } = patient;
        const isFailed = checks.some(({ state }) => state === 'fail');
        if (options.output === 'json')
          printJson(terminal.out, { ok: !isFailed, assumed, interval: interval.text, checks });
        else
          printLines(terminal.out, [
            describeAssumptions(assumed, interval),
            '',
            ...checkTable(checks, terminal),
          ]);
        return isFailed ? exitCodes.failed : exitCodes.done;
      });
    });
}

async function patientOf(operator: Operator, terminal: Terminal, options: DoctorOptions) {
  const { context, credentials } = operator;
  const { kinds, namespaces, ownIdentity, project } = operator.config;
  const target = { context, server: credentials.server };
  const remedies = remediesFor(target, options, terminal);
  return {
    probe: probeFor(credentials),
    run: await operator.begin(),
    kinds,
    namespaces,
    as: options.as,
    ownIdentity,
    project,
    interval: intervalFor({ given: options.interval, context, isLocal: remedies.isLocal }),
    remedies,
  };
}

const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

function checkTable(checks: readonly Check[], { out, env }: Terminal): readonly Text[] {
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
