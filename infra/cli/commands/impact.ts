import type { Command } from 'commander';
import pMap from 'p-map';
import { messageOf } from '../../../shared/cluster/cluster-errors.ts';
import { type Policies, requirePolicies } from '../../../shared/config/policies.ts';
import { RecordingError } from '../../recordings/errors.ts';
import { type ClusterRecording, newestRecordings } from '../../recordings/fleet.ts';
import { effectsIn } from '../../recordings/fleet-impact.ts';
import { verdictsOn } from '../../recordings/policies.ts';
import type { ReplayContext } from '../../recordings/replay.ts';
import { type Cli, example } from '../base/cli.ts';
import { exitCodes, UsageError } from '../base/command-errors.ts';
import { parseInterval } from '../base/interval.ts';
import type { Terminal } from '../base/terminal.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { type OutputFormat, outputOption, printOutput } from '../output/print.ts';
import { showSteps } from '../output/progress.ts';
import { fleetMarkdown, fleetText, type ReplayedFleet } from '../replay/fleet-text.ts';
import { openJudge } from '../replay/judges.ts';

interface ImpactOptions {
  readonly policy: readonly string[];
  readonly interval: string;
  readonly threads: number;
  readonly output: OutputFormat<'text' | 'markdown'>;
}

export function addImpact(program: Command, { terminal, config, configFile, exit }: Cli): void {
  program
    .command('impact')
    .argument('<place>', 'recordings of clusters: a directory, or gs://BUCKET/resync')
    .summary('show what this code changes in all recorded clusters')
    .description(
      'Replays the newest recording of every cluster with this code, without access to the clusters, and shows what this code does that the recorded code did not. Exits with 1 if a policy is broken or a recording cannot be replayed.',
    )
    .option(
      '--policy <policy...>',
      'limit on the resources affected in one way, such as recreate=0 or restart=5%; adds to the policies of the configuration, or overrides them',
      [],
    )
    .option('--interval <time>', 'time between two resyncs, such as 90s, 5m or 2h', '10m')
    .option(
      '--threads <number>',
      'how many clusters to judge at a time; each takes a processor and some 300 MB of memory',
      wholeNumber(1),
      terminal.threads ?? 1,
    )
    .addOption(outputOption(['text', 'markdown']))
    .addHelpText(
      'after',
      example('impact recordings/', 'impact gs://my-recordings/resync -o markdown'),
    )
    .action(async (place: string, options: ImpactOptions) => {
      const reconciler = await config();
      const interval = parseInterval(options.interval);
      const policies = { ...reconciler.policies, ...policiesIn(options.policy) };
      const found = await newestRecordings(place, terminal.env);
      const context = { reconciler, env: terminal.env, configFile: configFile() };
      const { clusters, failures } = await judged(found, { ...context, ...options, terminal });
      const fleet = { clusters, failures, policies: verdictsOn(clusters, policies) };
      printOutput(terminal, options.output, {
        data: { effects: effectsIn(clusters), ...fleet },
        text: () => fleetText(fleet, interval),
        markdown: () => fleetMarkdown(fleet, interval),
      });
      const isFailed = failures.length > 0 || fleet.policies.some(({ isBroken }) => isBroken);
      exit(isFailed ? exitCodes.failed : exitCodes.done);
    });
}

interface Judging extends ReplayContext {
  readonly configFile: string;
  readonly threads: number;
  readonly terminal: Terminal;
}

/** Judges all clusters, and shows the progress. */
async function judged(
  found: readonly ClusterRecording[],
  { threads, terminal, ...context }: Judging,
): Promise<Pick<ReplayedFleet, 'clusters' | 'failures'>> {
  const count = Math.min(threads, found.length);
  const { judge, stop } = openJudge(count, context);
  const steps = showSteps(terminal);
  let done = 0;
  const judgeOne = async (one: ClusterRecording) => {
    const { cluster } = one;
    steps.onStep('impact', `${done} of ${found.length} clusters`);
    const result = await judge(one).catch((error: unknown) => {
      if (!(error instanceof RecordingError)) throw error;
      return { cluster, error: messageOf(error) };
    });
    done += 1;
    return result;
  };
  try {
    const all = await pMap(found, judgeOne, { concurrency: count });
    return {
      clusters: all.flatMap((one) => ('error' in one ? [] : [one])),
      failures: all.flatMap((one) => ('error' in one ? [one] : [])),
    };
  } finally {
    steps.stop();
    await stop();
  }
}

const policiesIn = (strings: readonly string[]): Policies =>
  requirePolicies(
    Object.fromEntries(
      strings.map((text) => {
        const at = text.indexOf('=');
        if (at < 0) throw new UsageError(`--policy ${text}: write it as restart=5%`);
        return [text.slice(0, at), text.slice(at + 1)];
      }),
    ),
  );
