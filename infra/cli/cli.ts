import type { Command } from 'commander';
import { exitCodes } from './errors.ts';
import type { KubeOptions } from './kubeconfig.ts';
import { type Operator, openOperator } from './operator.ts';
import type { Terminal } from './terminal.ts';

/** What every command receives. */
export interface Cli {
  readonly terminal: Terminal;
  /** Runs a command on the chosen cluster; returns the exit code. */
  readonly operate: (
    options: KubeOptions,
    act: (operator: Operator) => Promise<number>,
  ) => Promise<void>;
  readonly exitCode: () => number;
}

export function createCli(terminal: Terminal): Cli {
  let code: number = exitCodes.done;
  return {
    terminal,
    async operate(options, act) {
      const operator = await openOperator(terminal, options);
      try {
        code = await act(operator);
      } finally {
        await operator.close();
      }
    },
    exitCode: () => code,
  };
}

/** `[--context NAME] [--kubeconfig FILE]` */
export const withCluster = (command: Command): Command =>
  command
    .option('--context <name>', 'context of the kubeconfig; default: its current one')
    .option(
      '--kubeconfig <file>',
      'default: KUBECONFIG, then .local/kubeconfig of npm start, then ~/.kube/config',
    );

/** npm prints a heading of its own before the output, but not with -s. */
const commandFor = (words: string): string =>
  `npm run ${words.includes('-o json') ? '-s ' : ''}reconciler -- ${words}`;

export const example = (...lines: readonly string[]): string =>
  `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((words) => `  ${commandFor(words)}\n`).join('')}`;
