import type { Command } from 'commander';
import type { ReconcilerConfig } from '../../../shared/config/define-config.ts';
import { commandName, quietCommand } from '../../package-root.ts';
import { printLines } from '../output/print.ts';
import { exitCodes } from './errors.ts';
import type { KubeOptions } from './kubeconfig.ts';
import { requireServer } from './require-server.ts';
import { type Operator, openOperator, placeOf } from './session.ts';
import type { Terminal } from './terminal.ts';

/** What every command receives. */
export interface Cli {
  readonly terminal: Terminal;
  /** The path that `--config` names, or that of the nearest configuration. */
  readonly configFile: () => string;
  readonly config: () => Promise<ReconcilerConfig>;
  /**
   * Runs a command on the chosen cluster, and takes its exit code. By default the API server has to
   * answer before the first run, so that one that does not is one error.
   */
  readonly operate: (
    options: KubeOptions,
    act: (operator: Operator) => Promise<number>,
    beforeRuns?: readonly BeforeRuns[],
  ) => Promise<void>;
  /** Sets the exit code of a command that works on no cluster. */
  readonly exit: (code: number) => void;
  readonly exitCode: () => number;
}

/** What is done once, before the first run of a command. */
export type BeforeRuns = (operator: Operator, terminal: Terminal) => Promise<void> | void;

/** The first line of whatever writes, and of what people read. */
export const printPlace: BeforeRuns = (operator, { err }) =>
  printLines(err, [`Cluster ${placeOf(operator)}`]);

const formatsForPeople: readonly string[] = ['text', 'table', 'diff'];

/** Before the first run of a command that only reads: names the cluster, unless a program reads the output. */
export const beforeReading = ({ output }: { readonly output: string }): readonly BeforeRuns[] =>
  formatsForPeople.includes(output) ? [requireServer, printPlace] : [requireServer];

/** `given` returns the value of `--config`. */
export function createCli(terminal: Terminal, given: () => string | undefined): Cli {
  const configFile = (): string => terminal.configFile(given());
  const config = async (): Promise<ReconcilerConfig> => terminal.loadConfig(configFile());
  let code: number = exitCodes.done;
  return {
    terminal,
    configFile,
    config,
    async operate(options, act, before = [requireServer]) {
      const beforeRuns = async (operator: Operator): Promise<void> => {
        for (const one of before) await one(operator, terminal);
      };
      const operator = await openOperator(terminal, await config(), { ...options, beforeRuns });
      try {
        code = await act(operator);
      } finally {
        await operator.close();
      }
    },
    exit(given) {
      code = given;
    },
    exitCode: () => code,
  };
}

/** `[--context NAME] [--kubeconfig FILE]` */
export const withCluster = (command: Command): Command =>
  command
    .option(
      '--context <name>',
      'context of the kubeconfig; default: CLUSTER_CONTEXT, then its current one',
    )
    .option(
      '--kubeconfig <file>',
      'default, unless CLUSTER_ENDPOINT is set: KUBECONFIG, then .local/kubeconfig of npm start, then ~/.kube/config',
    );

/** npm run prints a heading of its own before the output, but not with -s. */
const commandFor = (words: string): string =>
  `${words.includes('-o json') ? quietCommand : commandName} ${words}`;

export const example = (...lines: readonly string[]): string =>
  `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((words) => `  ${commandFor(words)}\n`).join('')}`;
