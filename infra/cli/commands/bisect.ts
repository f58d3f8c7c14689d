import type { Command } from 'commander';
import { counted } from '../../actions/wording.ts';
import { firstDifferent } from '../../recordings/bisect.ts';
import { timelineOf } from '../../recordings/history/timeline.ts';
import { places } from '../../recordings/place.ts';
import { type Cli, example } from '../base/cli.ts';
import { exitCodes } from '../base/command-errors.ts';
import { outputOption, printLines, printOutput } from '../output/print.ts';
import { showSteps } from '../output/progress.ts';
import {
  type ReplayOptions,
  replayData,
  replayDiff,
  replayedDifferences,
  replayMarkdown,
} from '../replay/replay-text.ts';

export function addBisect(program: Command, { terminal, config, exit }: Cli): void {
  program
    .command('bisect')
    .argument('<recording...>', `recordings (*.jsonl, *.jsonl.gz): ${places}`)
    .summary('find the first recording whose decisions differ from those of this code')
    .description(
      'Uses this code to replay recordings, the oldest first, without a cluster. Stops at the first recording whose decisions differ from those of this code, and shows the differences. Exits with 3 if there is such a recording, and with 1 if a recording cannot be replayed.',
    )
    .addOption(outputOption(['table', 'diff', 'markdown']))
    .addHelpText('after', example('bisect recordings/', 'bisect gs://my-recordings/resync/eu'))
    .action(async (given: readonly string[], { output }: ReplayOptions) => {
      const context = { reconciler: await config(), env: terminal.env };
      const timeline = await timelineOf(given, terminal.env);
      const { recordings } = timeline;
      const of = counted(recordings.length, 'recording');
      const steps = showSteps(terminal);
      const found = await firstDifferent(recordings, context, (count) =>
        steps.onStep('bisect', `${count} of ${of}`),
      ).finally(steps.stop);
      const failures = [...timeline.failures, ...found.failures];
      const { first, replayed } = found;
      const all = first === undefined ? [] : [first];
      const except = failures.length > 0 ? ', except those that could not be replayed' : '';
      const same = `This code makes the same decisions as the recorded code in ${of}${except}.`;
      printOutput(terminal, output, {
        data: { recordings: recordings.length, first: first ? replayData(first) : null },
        table: () =>
          first === undefined
            ? [same]
            : [
                `First recording with different decisions: ${first.file}, made at ${first.header.at} by version ${first.header.product} (replayed ${replayed} of ${of}).`,
                ...replayedDifferences(first),
              ],
        diff: () => replayDiff(all),
        markdown: () => replayMarkdown(all),
      });
      printLines(terminal.err, failures);
      const code = first === undefined ? exitCodes.done : exitCodes.changes;
      exit(failures.length > 0 ? exitCodes.failed : code);
    });
}
