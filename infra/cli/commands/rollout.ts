import type { Command } from 'commander';
import pMap from 'p-map';
import type { Kind } from '../../../shared/kinds/kind.ts';
import { titleOf } from '../../../shared/kubernetes.ts';
import { areaOf } from '../../../shared/run/area.ts';
import { listErrorOf } from '../../../shared/run/explain.ts';
import type { Run } from '../../../shared/run/run.ts';
import {
  goingFirst,
  pausing,
  type RolloutChange,
  resuming,
  writeChange,
} from '../../actions/rollout-actions.ts';
import { type KindRollout, readRollout, rolloutsAreOff } from '../../actions/rollout-state.ts';
import { problemLines } from '../../actions/wording.ts';
import { didYouMean } from '../../similar.ts';
import type { KubeOptions } from '../base/choose-context.ts';
import { type Cli, example, withCluster } from '../base/cli.ts';
import { CommandError, exitCodes, UsageError } from '../base/command-errors.ts';
import { type Interval, intervalFor } from '../base/interval.ts';
import {
  type ResourceOptions,
  requestFrom,
  requireFound,
  withRequestOptions,
} from '../base/request-options.ts';
import type { Session } from '../base/session.ts';
import { type OutputFormat, outputOption, printLines, printOutput } from '../output/print.ts';
import { rolloutTable } from '../rollout/rollout-table.ts';

interface RolloutOptions extends ResourceOptions<'table'> {
  readonly interval?: string;
}

export function addRollout(program: Command, cli: Cli): void {
  const rollout = program
    .command('rollout')
    .summary("show, pause or resume rollouts of new versions of a kind's code")
    .description(
      "Shows how far a new version of a kind's code has spread, and pauses or resumes its rollout.",
    )
    .addHelpText('after', example('rollout', 'rollout pause KIND'));
  withRequestOptions(rollout.command('status', { isDefault: true }))
    .summary('show the progress of each rollout')
    .description(
      "Shows the progress of each kind's rollout, as the last runs recorded it in the resources and the CRD. Counts cover the whole kind; --namespace limits only the list of resources below them. If ROLLOUT_BUDGET is off, only says so; -o json then prints an empty list. Writes nothing.",
    )
    .option(
      '--interval <time>',
      'time between two resyncs, such as 90s, 5m or 2h, for the estimate in the column LEFT; default: INTERVAL of the context (npm start sets it), or 10m',
    )
    .addOption(outputOption(['table']))
    .addHelpText('after', example('rollout', 'rollout --kind KIND -o json'))
    // Accepts a misspelt subcommand as an argument, so that the message is better than "too many arguments".
    .allowExcessArguments()
    .action((options: RolloutOptions, { args: [word] }: Command) => {
      if (word !== undefined) throw unknownCommand(rollout, word);
      return cli.onCluster(options, (session) => showRollouts(session, options));
    });
  addRolloutControl(rollout, cli);
}

function unknownCommand({ commands }: Command, word: string): UsageError {
  const names = commands.map((one) => one.name());
  const meant = didYouMean(word, names);
  return new UsageError(
    `rollout has no command '${word}'${meant}; use ${names.join(', ')}, or rollout --kind KIND to show one kind`,
  );
}

async function showRollouts(session: Session, options: RolloutOptions): Promise<number> {
  const { config, terminal } = session;
  const { kinds } = areaOf(requestFrom(session, options, []), config);
  if (config.rollout === undefined) {
    printOutput(terminal, options.output, { data: [], table: () => [rolloutsAreOff] });
    if (options.output === 'json') printLines(terminal.err, [rolloutsAreOff]);
    return exitCodes.done;
  }
  const interval = intervalFor(session, options.interval);
  const run = await session.begin();
  const failures: { about: string; text: string }[] = [];
  const found = await pMap(
    kinds,
    (kind) =>
      readRollout(run, kind, config).then(
        ({ rollout }) => withTime(rollout, interval),
        (error: unknown) => {
          failures.push({ about: kind.kind, text: listErrorOf(kind, [kind], error) });
          return undefined;
        },
      ),
    { concurrency: config.concurrency },
  );
  const isShown = ({ namespace }: { readonly namespace: string }): boolean =>
    options.namespace === undefined || namespace === options.namespace;
  const rollouts = found
    .filter((one) => one !== undefined)
    .map(({ members, ...rest }) => ({ ...rest, members: members.filter(isShown) }));
  printOutput(terminal, options.output, {
    data: rollouts,
    table: () => rolloutTable(rollouts, interval, terminal.now()),
  });
  printLines(terminal.err, problemLines(failures, ' could not be read'));
  return failures.length === 0 ? exitCodes.done : exitCodes.failed;
}

const withTime = (rollout: KindRollout, { ms }: Interval) => ({
  ...rollout,
  ...(rollout.resyncsLeft !== undefined && { secondsLeft: (rollout.resyncsLeft * ms) / 1000 }),
});

interface ControlOptions extends KubeOptions {
  readonly output: OutputFormat;
}

function addRolloutControl(rollout: Command, cli: Cli): void {
  withCluster(rollout.command('pause').argument('<kind>'))
    .summary('pause the rollout of a kind')
    .description(
      'Annotates the CRD, so that this rollout and later ones change no further resources until rollouts are resumed. Resources already in progress continue; edits, repairs and non-disruptive changes are not delayed.',
    )
    .addOption(outputOption())
    .addHelpText('after', example('rollout pause KIND'))
    .action(command(cli, pausing));
  withCluster(rollout.command('resume').argument('<kind>'))
    .summary('resume the rollout of a kind after a pause or a halt')
    .description(
      'Resumes the rollout of a kind after a pause or a halt. Resources that failed earlier no longer count as failures and take no slot; they stay unchanged until a new version repairs them.',
    )
    .addOption(outputOption())
    .addHelpText('after', example('rollout resume KIND'))
    .action(command(cli, resuming));
  addFirst(rollout, cli);
}

const command =
  ({ onCluster }: Cli, plan: typeof pausing) =>
  (word: string, options: ControlOptions): Promise<void> =>
    onCluster(options, async (session) => {
      const kind = kindOf(session, word);
      const run = await session.begin();
      const change = await plan(run, kind, session);
      return write(run, change, { ...session, ...options });
    });

function kindOf(session: Session, word: string): Kind {
  const [kind] = areaOf(requestFrom(session, { kind: word }, []), session.config).kinds;
  if (kind === undefined) throw new CommandError(`the kind ${word} is not in the configuration`);
  return kind;
}

function addFirst(rollout: Command, { onCluster }: Cli): void {
  withCluster(rollout.command('first').argument('<kind>').argument('<name>'))
    .summary('roll out to one resource first')
    .description(
      'Annotates a resource, so that rollouts, including the present one, change it before all other resources of its namespace. At the start of a rollout, before any resource is done, it also comes before the resources of other namespaces. Like every resource, it is changed only when it is Ready and a slot is free.',
    )
    .option('-n, --namespace <namespace>', "default: the context's")
    .addOption(outputOption())
    .addHelpText('after', example('rollout first KIND NAME -n team-a'))
    .action((word: string, name: string, options: ControlOptions & { namespace?: string }) =>
      onCluster(options, async (session) => {
        const request = requestFrom(session, { ...options, kind: word }, [name]);
        const kind = kindOf(session, word);
        const run = await session.begin();
        const change = await goingFirst(run, kind, { namespace: request.namespace, name });
        await requireFound(session, request, change === undefined ? 0 : 1);
        if (change === undefined) return exitCodes.failed;
        return write(run, change, { ...session, ...options });
      }),
    );
}

async function write(
  run: Run,
  change: RolloutChange,
  { terminal, output }: Pick<Session, 'terminal'> & Pick<ControlOptions, 'output'>,
): Promise<number> {
  const { text, object, annotation, value } = change;
  printLines(terminal.err, [text]);
  await writeChange(run, change, 'reconciler-rollout');
  const before = object.live.annotations?.[annotation];
  const title = titleOf({ ...object, kind: object.type.kind });
  const done = value === undefined ? `without ${annotation}` : `${annotation}=${value}`;
  printOutput(terminal, output, {
    data: { object: title, annotation, value: value ?? null, changed: before !== value },
    text: () => [before === value ? 'nothing to write' : `${title}: ${done}`],
  });
  return exitCodes.done;
}
