import { styleText } from 'node:util';
import type { ReconcilerConfig } from '../../../shared/config/define-config.ts';
import type { Environment } from '../../../shared/environment.ts';
import { printable } from '../../../shared/printable.ts';

/** Where a command writes; a terminal if it says so. */
export type Stream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  /** The width of a terminal. */
  readonly columns?: number | undefined;
};

/** Everything a command uses of its process. */
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

type Format = Parameters<typeof styleText>[0];
export type Paint = (format: Format, text: string) => Painted;

/** Text that is written unchanged: printable except for our own colours. */
export class Painted {
  readonly ansi: string;

  constructor(ansi: string) {
    this.ansi = ansi;
  }
}

/** Colours on a terminal, unless NO_COLOR is set; plain text everywhere else. */
export const paintFor = ({ isTTY }: Stream, { NO_COLOR = '' }: Environment): Paint =>
  isTTY === true && NO_COLOR === ''
    ? (format, text) => new Painted(styleText(format, printable(text), { validateStream: false }))
    : (_, text) => new Painted(printable(text));
