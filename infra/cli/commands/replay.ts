import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { messageOf } from '../../../shared/cluster/cluster-errors.ts';
import { type Config, parseConfig } from '../../../shared/config/config.ts';
import type { ReconcilerConfig } from '../../../shared/config/define-config.ts';
import type { Environment } from '../../../shared/environment.ts';
import { groupResource } from '../../../shared/kubernetes.ts';
import { definitionDigest, recordedVariables } from '../../../shared/recording/header.ts';
import type { Header } from '../../../shared/recording/recording.ts';
import { replayDecisions } from '../../../shared/recording/replay-decisions.ts';
import { snapshotOf } from '../../../shared/recording/replayed-cluster.ts';
import type { Cli } from '../base/cli.ts';
import { CommandError, exitCodes, UsageError } from '../base/command-errors.ts';
import { example } from '../base/command-text.ts';
import type { Terminal } from '../base/terminal.ts';
import { type OutputFormat, outputOption, printOutput } from '../output/format.ts';
import { paintFor, printLines } from '../output/text.ts';
import { readRecording } from '../replay/recording-file.ts';
import { changesIn, type Replayed } from '../replay/replay-changes.ts';
import {
  replayData,
  replayDiff,
  replayedDecisions,
  replayMarkdown,
  replayTable,
} from '../replay/replay-text.ts';

interface ReplayOptions {
  readonly output: OutputFormat<'table' | 'diff' | 'markdown'>;
}

export function addReplay(program: Command, { terminal, config, exit }: Cli): void {
  program
    .command('replay')
    .argument(
      '<recording...>',
      'files from resync --record or RECORD_BUCKET, or folders with such files (*.jsonl, *.jsonl.gz)',
    )
    .summary('repeat the decisions of a recorded run, without a cluster')
    .description(
      'Repeats the decisions of a recorded run with this code, without a cluster. One recording is shown with its decisions, several as a table. The settings are those of the recording, unless the environment has its own. Exits with 3 if a decision differs.',
    )
    .addOption(outputOption(['table', 'diff', 'markdown']))
    .addHelpText(
      'after',
      example('replay run.jsonl', 'replay recordings/', 'replay run.jsonl -o markdown'),
    )
    .action(async (paths: readonly string[], options: ReplayOptions) => {
      const files = paths.flatMap(filesAt);
      const reconciler = await config();
      const replayed: Replayed[] = [];
      const failures: string[] = [];
      for (const file of files) {
        try {
          replayed.push(await replay(file, reconciler, terminal.env));
        } catch (error) {
          if (!(error instanceof CommandError)) throw error;
          failures.push(messageOf(error));
        }
      }
      const isTable = paths.length > 1 || files[0] !== paths[0];
      print(terminal, { all: replayed, isTable }, options.output);
      printLines(terminal.err, failures);
      exit(exitCodeFor(replayed, failures));
    });
}

function filesAt(path: string): readonly string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  const names = readdirSync(path).filter((name) => /\.jsonl(\.gz)?$/.test(name));
  if (names.length === 0)
    throw new UsageError(
      `${path} has no recordings: write one with resync --record ${join(path, 'run.jsonl')}`,
    );
  return names.toSorted().map((name) => join(path, name));
}

async function replay(
  file: string,
  reconciler: ReconcilerConfig,
  env: Environment,
): Promise<Replayed> {
  const { header, requests, decisions } = readRecording(file);
  const config = configFor(file, header, { reconciler, env });
  const missing = Object.keys(header.kinds).filter(
    (one) => !config.kinds.some((kind) => groupResource(kind) === one),
  );
  if (missing.length > 0)
    throw new CommandError(
      `${file}, line 1: it was recorded with ${missing.join(', ')}, which this configuration${env.KINDS ? ' with KINDS of the environment' : ''} does not have: ${env.KINDS ? 'unset KINDS, ' : ''}add the kind, or name another --config`,
    );
  const kinds = config.kinds.filter((kind) => Object.hasOwn(header.kinds, groupResource(kind)));
  const recorded = { ...header, snapshot: snapshotOf(requests) };
  const { concurrency, pruneLimit, rollout, namespaces } = config;
  const { openOfflineServer } = await import('../../check/offline-server.ts');
  const server = openOfflineServer(header.identity.name);
  const options = { area: { kinds, namespaces }, concurrency, pruneLimit, rollout };
  const now = await replayDecisions(recorded, { ...options, applyOffline: server.apply }).finally(
    server.stop,
  );
  return {
    file,
    header,
    writes: requests.filter((one) => one.line === 'write'),
    ...changesIn(decisions, now),
    redefined: kinds
      .filter((kind) => header.kinds[groupResource(kind)] !== definitionDigest(kind))
      .map(({ kind }) => kind),
    unanswered: now.unanswered,
  };
}

/** Restores the configuration of the recorded run; settings in the environment take precedence. */
function configFor(
  file: string,
  { settings }: Header,
  { reconciler, env }: { readonly reconciler: ReconcilerConfig; readonly env: Environment },
): Config {
  const values = recordedVariables(reconciler).map((name) => {
    const own = env[name]?.trim() ?? '';
    return [name, own === '' ? (settings[name] ?? '') : own];
  });
  try {
    return parseConfig(reconciler, { ...Object.fromEntries(values), CLUSTER_CONTEXT: 'none' });
  } catch (error) {
    throw new CommandError(`${file}: ${messageOf(error)} (as recorded, or in the environment)`);
  }
}

const exitCodeFor = (replayed: readonly Replayed[], failures: readonly string[]): number => {
  if (failures.length > 0) return exitCodes.failed;
  return replayed.every(({ isSame }) => isSame) ? exitCodes.done : exitCodes.changes;
};

function print(
  { out, env }: Terminal,
  { all, isTable }: { readonly all: readonly Replayed[]; readonly isTable: boolean },
  format: ReplayOptions['output'],
): void {
  const paint = paintFor(out, env);
  printOutput(out, format, {
    data: { recordings: all.map(replayData) },
    table: () =>
      isTable ? replayTable(all, out) : all.flatMap((one) => replayedDecisions(one, paint, out)),
    diff: () => replayDiff(all, paint),
    markdown: () => replayMarkdown(all),
  });
}
