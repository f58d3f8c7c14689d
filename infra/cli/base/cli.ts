import type { Command } from 'commander';
import type { ReconcilerConfig } from '../../../shared/config/define-config.ts';
import { textAt } from '../../../shared/json.ts';
import { commandName, quietCommand } from '../../package-root.ts';
import { printLines } from '../output/print.ts';
import { askWhetherStarted, isOfNpmStart, type KubeOptions } from './choose-context.ts';
import { CommandError, exitCodes } from './command-errors.ts';
import { NoResponseError, probeFor } from './probe.ts';
import { describeCluster, openSession, type Session } from './session.ts';
import type { Terminal } from './terminal.ts';

export interface Cli {
  readonly terminal: Terminal;
  /** The path in `--config`, or the path of the nearest configuration. */
  readonly configFile: () => string;
  readonly config: () => Promise<ReconcilerConfig>;
  /**
   * Calls `act` with a session on the chosen cluster, and stores the exit code that `act` returns. Before the first
   * run, checks that the API server responds, and prints the cluster if the output format is for people.
   */
  readonly onCluster: (
    options: KubeOptions & { readonly output?: string },
    act: (session: Session) => Promise<number>,
  ) => Promise<void>;
  /** Sets the exit code of a command that needs no cluster. */
  readonly exit: (code: number) => void;
  readonly exitCode: () => number;
}

export type AddCommand = (parent: Command, cli: Cli) => void;

/** Prints to stderr: `Cluster https://10.0.0.1, context prod` */
export const printCluster = (session: Session): void =>
  printLines(session.terminal.err, [`Cluster ${describeCluster(session)}`]);

/** Throws if no API server responds, or if it refuses the credentials: every later request would fail, too. */
async function requireServer(session: Session): Promise<void> {
  const { context, credentials, terminal } = session;
  const { code, message, value } = await probeFor(credentials)({ path: '/version' }).catch(
    (error) => {
      if (!(error instanceof NoResponseError)) throw error;
      const isLocal = context !== undefined && isOfNpmStart(context, terminal);
      const ask = isLocal ? askWhetherStarted : 'is it running and reachable from here?';
      throw new CommandError(`${error.message}; ${error.remedy ?? ask}`);
    },
  );
  if (code === 401)
    throw new CommandError(
      `the API server (${describeCluster(session)}) does not accept the credentials: ${message}\nLog in to the cluster again, or choose another --context.`,
    );
  if ((code < 400 || code === 404) && textAt(value, 'gitVersion') === undefined)
    throw new CommandError(
      `${describeCluster(session)} returns ${code} for /version: ${message}; is this the address of an API server?`,
    );
}

const formatsForPeople: readonly string[] = ['text', 'table', 'diff'];

export function createCli(terminal: Terminal, configOption: () => string | undefined): Cli {
  const configFile = (): string => terminal.configFile(configOption());
  const config = async (): Promise<ReconcilerConfig> => terminal.loadConfig(configFile());
  let code: number = exitCodes.done;
  return {
    terminal,
    configFile,
    config,
    async onCluster({ output = '', ...options }, act) {
      const prepare = async (session: Session): Promise<void> => {
        await requireServer(session);
        if (formatsForPeople.includes(output)) printCluster(session);
      };
      const session = await openSession(terminal, await config(), { ...options, prepare });
      try {
        code = await act(session);
      } finally {
        await session.close();
      }
    },
    exit(given) {
      code = given;
    },
    exitCode: () => code,
  };
}

export const withCluster = (command: Command): Command =>
  command
    .option(
      '--context <name>',
      'context of the kubeconfig; default: CLUSTER_CONTEXT, then the current context',
    )
    .option(
      '--kubeconfig <file>',
      'kubeconfig file; default, if CLUSTER_ENDPOINT is not set: KUBECONFIG, .local/kubeconfig (npm start) or ~/.kube/config',
    );

export const example = (...lines: readonly string[]): string =>
  `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((words) => `  ${commandFor(words)}\n`).join('')}`;

/** Adds -s to an example with JSON, because without -s npm run prints a heading before the JSON. */
const commandFor = (words: string): string =>
  `${words.includes('-o json') ? quietCommand : commandName} ${words}`;
