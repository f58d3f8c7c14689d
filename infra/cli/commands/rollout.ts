import type { Command } from 'commander';
import pMap from 'p-map';
import { messageOf } from '../../../shared/cluster/cluster-errors.ts';
import { areaOf } from '../../../shared/run/area.ts';
import { type KindRollout, readRollout, rolloutsAreOff } from '../../actions/rollout-state.ts';
import { grouped } from '../../actions/wording.ts';
import { isOfNpmStart, type KubeOptions } from '../base/choose-context.ts';
import { beforeReading, type Cli, withCluster } from '../base/cli.ts';
import { exitCodes, UsageError } from '../base/command-errors.ts';
import { example } from '../base/command-text.ts';
import { type Interval, intervalFor } from '../base/interval.ts';
import {
  type ReconcileRequestOptions,
  requestFrom,
  withRequestOptions,
} from '../base/request-options.ts';
import type { Session } from '../base/session.ts';
import { didYouMean } from '../base/similar.ts';
import { type OutputFormat, outputOption, printOutput } from '../output/format.ts';
import { printLines } from '../output/text.ts';
import { addRolloutControl } from '../rollout/rollout-control.ts';
import { rolloutTable } from '../rollout/rollout-table.ts';

interface RolloutOptions extends KubeOptions, ReconcileRequestOptions {
  readonly interval?: string;
  readonly output: OutputFormat<'table'>;
}

export function addRollout(program: Command, cli: Cli): void {
  const rollout = program
    .command('rollout')
    .summary("show, pause or resume rollouts of new versions of a kind's code")
    .description(
      "Shows how far a new version of a kind's code has spread, and pauses or resumes it.",
    )
    .addHelpText('after', example('rollout', 'rollout pause KIND'));
  withCluster(withRequestOptions(rollout.command('status', { isDefault: true })))
    .summary('show the progress of each rollout')
    .description(
      "Shows the progress of each kind's rollout, as the last runs recorded it in the resources and the CRD. Counts are those of the whole kind; --namespace only limits which resources are listed below. With ROLLOUT_BUDGET=off it says so, and -o json prints an empty list. Writes nothing.",
    )
    .option(
      '--interval <time>',
      'time between two resyncs, such as 90s, 5m or 2h, to estimate how long it takes (default: the interval in the context, which npm start writes, else 10m)',
    )
    .addOption(outputOption(['table']))
    .addHelpText('after', example('rollout', 'rollout --kind KIND -o json'))
    // A misspelt command ends up here, and would otherwise be reported as an excess argument.
    .allowExcessArguments()
    .action((options: RolloutOptions, { args: [word] }: Command) => {
      if (word !== undefined) throw unknownCommand(rollout, word);
      const act = (session: Session) => showRollouts(session, options);
      return cli.onCluster(options, act, beforeReading(options));
    });
  addRolloutControl(rollout, cli);
}

function unknownCommand({ commands }: Command, word: string): UsageError {
  const names = commands.map((one) => one.name());
  const meant = didYouMean(word, names);
  return new UsageError(
    `rollout has no command '${word}'${meant}; known commands: ${names.join(', ')}; a kind is named with --kind`,
  );
}

async function showRollouts(session: Session, options: RolloutOptions): Promise<number> {
  const { config, terminal } = session;
  const { kinds } = areaOf(requestFrom(session, options, []), config);
  if (config.rollout === undefined) {
    printOutput(terminal.out, options.output, { data: [], table: () => [rolloutsAreOff] });
    if (options.output === 'json') printLines(terminal.err, [rolloutsAreOff]);
    return exitCodes.done;
  }
  const interval = intervalOf(session, options);
  const run = await session.begin();
  const failures: { about: string; text: string }[] = [];
  const found = await pMap(
    kinds,
    (kind) =>
      readRollout(run, kind, config).then(
        ({ rollout }) => withTime(rollout, interval),
        (error: unknown) => {
          failures.push({ about: kind.kind, text: messageOf(error) });
          return undefined;
        },
      ),
    { concurrency: config.concurrency },
  );
  const rollouts = found
    .filter((one) => one !== undefined)
    .map(({ members, ...rest }) => ({ ...rest, members: members.filter(isIn(options.namespace)) }));
  printOutput(terminal.out, options.output, {
    data: rollouts,
    table: () => rolloutTable(rollouts, interval, terminal),
  });
  printLines(
    terminal.err,
    grouped(failures).map(({ about, text }) => `${about} could not be read: ${text}`),
  );
  return failures.length === 0 ? exitCodes.done : exitCodes.failed;
}

const isIn =
  (wanted: string | undefined) =>
  ({ namespace }: { readonly namespace: string }): boolean =>
    wanted === undefined || namespace === wanted;

function intervalOf({ context, terminal }: Session, { interval: given }: RolloutOptions): Interval {
  const isLocal = context !== undefined && isOfNpmStart(context, terminal);
  return intervalFor({ given, context, isLocal });
}

const withTime = (rollout: KindRollout, { ms }: Interval) => {
  const { resyncsLeft } = rollout;
  return resyncsLeft === undefined
    ? rollout
    : { ...rollout, secondsLeft: (resyncsLeft * ms) / 1000 };
};
