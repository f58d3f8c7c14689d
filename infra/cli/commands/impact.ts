import type { Command } from 'commander';
import { newestRecordings } from '../../recordings/fleet.ts';
import { effectsIn } from '../../recordings/fleet-impact.ts';
import { judgeAll } from '../../recordings/judges.ts';
import { requirePolicies, verdictsOn } from '../../recordings/policies.ts';
import { type Cli, example } from '../base/cli.ts';
import { exitCodes, UsageError } from '../base/command-errors.ts';
import { parseInterval } from '../base/interval.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { type OutputFormat, outputOption, printOutput } from '../output/print.ts';
import { showSteps } from '../output/progress.ts';
import { fleetMarkdown, fleetText } from '../replay/fleet-text.ts';

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
      'Uses this code to replay the newest recording of every cluster, without access to the clusters, and shows what this code does that the recorded code did not. Exits with 1 if a policy is broken or a recording cannot be replayed.',
    )
    .option(
      '--policy <policy...>',
      'maximum number or percentage of resources with an impact, such as recreate=0 or restart=5%; replaces the configured policy for that impact',
      [],
    )
    .option('--interval <time>', 'time between two resyncs, such as 90s, 5m or 2h', '10m')
    .option(
      '--threads <number>',
      'how many recordings to replay at a time; each takes a CPU core and about 300 MB of memory',
      wholeNumber(1),
      terminal.threads ?? 1,
    )
    .addOption(outputOption(['text', 'markdown']))
    .addHelpText('after', example('impact recordings/', 'impact gs://bucket/resync -o markdown'))
    .action(async (place: string, options: ImpactOptions) => {
      const reconciler = await config();
      const interval = parseInterval(options.interval);
      const policies = requirePolicies({ ...reconciler.policies, ...policiesIn(options.policy) });
      const found = await newestRecordings(place, terminal.env);
      const steps = showSteps(terminal);
      const { clusters, failures } = await judgeAll(found, {
        reconciler,
        env: terminal.env,
        configFile: configFile(),
        threads: options.threads,
        onStep: (done) => steps.onStep('impact', `${done} of ${found.length} clusters`),
      }).finally(steps.stop);
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

const policiesIn = (strings: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    strings.map((text) => {
      const at = text.indexOf('=');
      if (at < 0)
        throw new UsageError(
          `--policy ${text}: expected an impact and its maximum, such as restart=5%`,
        );
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
