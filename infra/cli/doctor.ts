import type { Command } from 'commander';
import { type Cli, example, printPlace, withCluster } from './cli.ts';
import { assumptions, describeAssumptions } from './doctor/assumptions.ts';
import type { Check } from './doctor/check.ts';
import { probeFor } from './doctor/probe.ts';
import { remediesFor } from './doctor/remedies.ts';
import { runChecks } from './doctor/run-checks.ts';
import { exitCodes, UsageError } from './errors.ts';
import { intervalFor } from './interval.ts';
import type { KubeOptions } from './kubeconfig.ts';
import type { Operator } from './operator.ts';
import { type OutputFormat, outputOption, printOutput } from './output.ts';
import { columns, counted, type Text } from './print.ts';
import { showSteps } from './progress.ts';
import { paintFor, type Terminal } from './terminal.ts';

interface DoctorOptions extends KubeOptions {
  readonly as?: string;
  readonly interval?: string;
  readonly output: OutputFormat;
}

export function addDoctor(program: Command, { operate, terminal }: Cli): void {
  withCluster(program.command('doctor'))
    .summary('check everything an installation needs')
    .description(
      'Checks everything an installation needs: the API server and its version, the authenticated user, the rights of the functions, definitions, namespaces, settings, resources, and evidence of ticks and audit events. Each check is ok, warn (needs attention, or cannot be determined from here) or fail, with a remedy. The cluster does not show how the functions are configured: that is taken from the environment, else from the context of the kubeconfig, and printed first. Writes nothing. Exits with 1 if a check fails.',
    )
    .option(
      '--as <user>',
      'check the rights of this user, whom the functions run as, by SubjectAccessReview or else by impersonation; default: OWN_IDENTITY',
    )
    .option(
      '--interval <time>',
      'time between two ticks, such as 90s, 5m or 2h; an edit may wait for two of them (default: the interval in the context, which npm start writes, else 10m)',
    )
    .addOption(outputOption())
    .addHelpText(
      'after',
      example(
        'doctor',
        'doctor --context prod --as serverless-reconciler@my-project.iam.gserviceaccount.com',
        'doctor -o json',
      ),
    )
    .action((options: DoctorOptions) => {
      if (options.as === '') throw new UsageError('--as: the user name is empty');
      const act = async (operator: Operator): Promise<number> => {
        const input = await inputFor(operator, terminal, options);
        const { onStep, stop } = showSteps(terminal);
        const checks = await runChecks({
          ...input,
          onStep: (name) => onStep(`checking the ${name}`),
        }).finally(stop);
        const assumed = assumptions(terminal.env, {
          context: operator.context,
          settings: operator.reconciler.settings,
        });
        const { interval } = input;
        const isFailed = checks.some(({ state }) => state === 'fail');
        printOutput(terminal.out, options.output, {
          data: { ok: !isFailed, assumed, interval: interval.text, checks },
          text: () => [describeAssumptions(assumed, interval), '', ...checkTable(checks, terminal)],
        });
        return isFailed ? exitCodes.failed : exitCodes.done;
      };
      // Whether the server answers is the first check.
      return operate(options, act, options.output === 'text' ? [printPlace] : []);
    });
}

async function inputFor(operator: Operator, terminal: Terminal, options: DoctorOptions) {
  const { context, credentials, reconciler, environment } = operator;
  const { kinds, namespaces, ownIdentity } = operator.config;
  const { settings } = reconciler;
  const target = { context, server: credentials.server, settings };
  const remedies = remediesFor(target, options, terminal);
  return {
    probe: probeFor(credentials),
    run: await operator.begin(),
    kinds,
    settings,
    namespaces,
    as: options.as,
    ownIdentity,
    project: environment.GOOGLE_CLOUD_PROJECT?.trim() || undefined,
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
    ...columns(['STATE', 'CHECK', 'FOUND'], rows, out),
    '',
    `${count('ok')} ok, ${counted(count('warn'), 'warning')}, ${count('fail')} failed.`,
  ];
}
