import type { ReconcilerConfig } from '../../../shared/config/define-config.ts';
import type { Environment } from '../../../shared/environment.ts';
import type { Stream } from '../output/print.ts';
import { UsageError } from './command-errors.ts';

/** The parts of the process that a command uses. Tests pass their own streams and clock. */
export interface Terminal {
  readonly env: Environment;
  /** The stream for the result; with `-o json` it receives nothing but JSON. */
  readonly out: Stream;
  /** The stream for everything else: errors, remedies, progress. */
  readonly err: Stream;
  /** Returns the absolute path of the configuration: `given`, or the nearest configuration. */
  readonly configFile: (given: string | undefined) => string;
  readonly loadConfig: (file: string) => Promise<ReconcilerConfig>;
  /** The kubeconfig that `npm start` writes. */
  readonly localKubeconfig: string;
  readonly now: () => Date;
  readonly wait: (ms: number) => Promise<unknown>;
  /** The default of `--threads`; 1 if undefined. */
  readonly threads?: number;
  /** Asks the user for y or n; undefined without a terminal. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined;
}

/** Asks the user. Throws without a terminal: a script must allow writes with `--yes`. */
export function confirmed(
  { confirm }: Pick<Terminal, 'confirm'>,
  command: string,
  question: string,
): Promise<boolean> {
  if (confirm === undefined)
    throw new UsageError(
      `nothing was written, because ${command} cannot ask without a terminal: add --yes`,
    );
  return confirm(question);
}
