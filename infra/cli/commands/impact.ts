import type { Command } from 'commander';
import { messageOf } from '../../../shared/cluster/cluster-errors.ts';
import { type Policies, requirePolicies } from '../../../shared/config/policies.ts';
import { RecordingError } from '../../recordings/errors.ts';
import { newestRecordings } from '../../recordings/fleet.ts';
import { type ClusterImpact, effectsIn, impactOn } from '../../recordings/fleet-impact.ts';
import { verdictsOn } from '../../recordings/policies.ts';
import { decideAgain } from '../../recordings/replay.ts';
import { type Cli, example } from '../base/cli.ts';
import { exitCodes, UsageError } from '../base/command-errors.ts';
import { parseInterval } from '../base/interval.ts';
import { type OutputFormat, outputOption, printOutput } from '../output/print.ts';
import { showSteps } from '../output/progress.ts';
import { fleetMarkdown, fleetText, type ReplayedFleet } from '../replay/fleet-text.ts';

interface ImpactOptions {
  readonly policy: readonly string[];
  readonly interval: string;
  readonly output: OutputFormat<'text' | 'markdown'>;
}

export function addImpact(program: Command, { terminal, config, exit }: Cli): void {
  program
    .command('impact')
    .argument('<place>', 'recordings of clusters: a folder, or gs://BUCKET/resync')
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
      const context = { reconciler, env: terminal.env, isAtOnce: true };
      const steps = showSteps(terminal);
      const clusters: ClusterImpact[] = [];
      const failures: ReplayedFleet['failures'][number][] = [];
      for (const { cluster, recording } of found) {
        steps.onStep('impact', `${clusters.length} of ${found.length} clusters`);
        try {
          const about = { cluster, file: recording.name };
          clusters.push(impactOn(about, await decideAgain(recording, context)));
        } catch (error) {
          if (!(error instanceof RecordingError)) throw error;
          failures.push({ cluster, error: messageOf(error) });
        }
      }
      steps.stop();
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

const policiesIn = (texts: readonly string[]): Policies =>
  requirePolicies(
    Object.fromEntries(
      texts.map((text) => {
        const at = text.indexOf('=');
        if (at < 0) throw new UsageError(`--policy ${text}: write it as restart=5%`);
        return [text.slice(0, at), text.slice(at + 1)];
      }),
    ),
  );
