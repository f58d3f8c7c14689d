import type { Command } from 'commander';
import { messageOf } from '../../../shared/cluster/cluster-errors.ts';
import { type Replayed, replay } from '../../recordings/changes.ts';
import { RecordingError, UnreadableRecordingError } from '../../recordings/errors.ts';
import { places, recordingsAt } from '../../recordings/place.ts';
import { type Cli, example } from '../base/cli.ts';
import { exitCodes } from '../base/command-errors.ts';
import { outputOption, printLines, printOutput } from '../output/print.ts';
import {
  type ReplayOptions,
  replayData,
  replayDiff,
  replayedDecisions,
  replayMarkdown,
  replayTable,
} from '../replay/replay-text.ts';

export function addReplay(program: Command, { terminal, config, exit }: Cli): void {
  program
    .command('replay')
    .argument('<recording...>', `recordings (*.jsonl, *.jsonl.gz): ${places}`)
    .summary('repeat the decisions of a recorded run, without a cluster')
    .description(
      'Uses this code to repeat the decisions of a recorded run, without a cluster. Shows the decisions of one recording, or a table of several recordings. Uses the settings in the recording; environment variables override them. Exits with 3 if a decision differs.',
    )
    .addOption(outputOption(['table', 'diff', 'markdown']))
    .addHelpText(
      'after',
      example('replay run.jsonl', 'replay recordings/', 'replay run.jsonl -o markdown'),
    )
    .action(async (paths: readonly string[], options: ReplayOptions) => {
      const found = [];
      for (const path of paths) found.push(...(await recordingsAt(path, terminal.env)));
      const context = { reconciler: await config(), env: terminal.env };
      const replayed: Replayed[] = [];
      const failures: string[] = [];
      for (const recording of found) {
        try {
          replayed.push(await replay(recording, context));
        } catch (error) {
          if (!(error instanceof RecordingError) || error instanceof UnreadableRecordingError)
            throw error;
          failures.push(messageOf(error));
        }
      }
      const isTable = paths.length > 1 || found[0]?.name !== paths[0];
      printOutput(terminal, options.output, {
        data: { recordings: replayed.map(replayData) },
        table: () => (isTable ? replayTable(replayed) : replayed.flatMap(replayedDecisions)),
        diff: () => replayDiff(replayed),
        markdown: () => replayMarkdown(replayed),
      });
      printLines(terminal.err, failures);
      const code = replayed.every(({ isSame }) => isSame) ? exitCodes.done : exitCodes.changes;
      exit(failures.length > 0 ? exitCodes.failed : code);
    });
}
