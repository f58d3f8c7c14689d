import type { Command } from 'commander';
import { UnreachableError } from '../../../shared/cluster/cluster-errors.ts';
import type { ReconcilerConfig } from '../../../shared/config/define-config.ts';
import { printLines } from '../output/text.ts';
import { askWhetherStarted, isOfNpmStart, type KubeOptions } from './choose-context.ts';
import { CommandError, exitCodes } from './command-errors.ts';
import { CertificateError, probeFor, whyUnanswered } from './probe.ts';
import { type BeforeRuns, describeCluster, openSession, type Session } from './session.ts';
import type { Terminal } from './terminal.ts';

/** The input of every command; one that works on a cluster receives a Session as well. */
export interface Cli {
  readonly terminal: Terminal;
  /** The path that `--config` names, or that of the nearest configuration. */
  readonly configFile: () => string;
  readonly config: () => Promise<ReconcilerConfig>;
  /**
   * Runs a command on the chosen cluster and keeps its exit code. By default it first checks that the API server
   * answers, so that an unreachable server is reported once, not once for each list.
   */
  readonly onCluster: (
    options: KubeOptions,
    act: (session: Session) => Promise<number>,
    beforeRuns?: readonly BeforeRuns[],
  ) => Promise<void>;
  /** Sets the exit code of a command that needs no cluster. */
  readonly exit: (code: number) => void;
  readonly exitCode: () => number;
}

/** Adds a command to its parent. */
export type AddCommand = (parent: Command, cli: Cli) => void;

/** Prints the cluster as the first line, on stderr: `Cluster https://10.0.0.1, context prod`. */
export const printCluster: BeforeRuns = (session) =>
  printLines(session.terminal.err, [`Cluster ${describeCluster(session)}`]);

/** Asks the API server for its version, so that an unreachable server is reported once, not once for each list. */
async function requireServer(session: Session): Promise<void> {
  const { context, credentials, terminal } = session;
  const { code, message } = await probeFor(credentials)({ path: '/version' }).catch((error) => {
    if (error instanceof CertificateError)
      throw new CommandError(`${error.message}; ${error.remedy}`);
    if (!(error instanceof UnreachableError)) throw error;
    const why = whyUnanswered(error.cause);
    throw new CommandError(
      `no answer from the API server ${credentials.server} (${why}); ${
        context !== undefined && isOfNpmStart(context, terminal)
          ? askWhetherStarted
          : 'is it running and reachable from here?'
      }`,
    );
  });
  if (code === 401)
    throw new CommandError(
      `the API server (${describeCluster(session)}) does not know the user: ${message}\nLog in to the cluster again, or choose another --context.`,
    );
}

/** Preparations of a command that writes. */
export const beforeWriting: readonly BeforeRuns[] = [requireServer, printCluster];

const formatsForPeople: readonly string[] = ['text', 'table', 'diff'];

/** Preparations of a command that only reads: prints the cluster unless the output is for programs. */
export const beforeReading = ({ output }: { readonly output: string }): readonly BeforeRuns[] =>
  formatsForPeople.includes(output) ? [requireServer, printCluster] : [requireServer];

/** `given` returns the value of `--config`. */
export function createCli(terminal: Terminal, given: () => string | undefined): Cli {
  const configFile = (): string => terminal.configFile(given());
  const config = async (): Promise<ReconcilerConfig> => terminal.loadConfig(configFile());
  let code: number = exitCodes.done;
  return {
    terminal,
    configFile,
    config,
    async onCluster(options, act, beforeRuns = [requireServer]) {
      const session = await openSession(terminal, await config(), { ...options, beforeRuns });
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

/** `[--context NAME] [--kubeconfig FILE]` */
export const withCluster = (command: Command): Command =>
  command
    .option(
      '--context <name>',
      'context of the kubeconfig; default: CLUSTER_CONTEXT, then the current context',
    )
    .option(
      '--kubeconfig <file>',
      'default, unless CLUSTER_ENDPOINT is set: KUBECONFIG, then .local/kubeconfig of npm start, then ~/.kube/config',
    );
