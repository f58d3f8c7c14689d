import type { ReconcilerConfig } from '../../../shared/config/define-config.ts';
import type { Environment } from '../../../shared/environment.ts';
import type { Stream } from '../output/text.ts';

/** Everything a command uses of its process: a test passes streams and a clock of its own. */
export interface Terminal {
  readonly env: Environment;
  /** The answer: clean JSON with `-o json`. */
  readonly out: Stream;
  /** Everything else: errors, remedies, progress. */
  readonly err: Stream;
  /** The absolute path of the configuration: this file, or the nearest `reconciler.config.ts`. */
  readonly configFile: (given: string | undefined) => string;
  readonly loadConfig: (file: string) => Promise<ReconcilerConfig>;
  /** The kubeconfig that `npm start` writes. */
  readonly localKubeconfig: string;
  readonly now: () => Date;
  readonly wait: (ms: number) => Promise<unknown>;
  /** Asks the user at the terminal, y or n; undefined where there is none. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined;
}
