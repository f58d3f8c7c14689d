import { styleText } from 'node:util';
import type { Environment } from '../../../shared/environment.ts';
import { printable } from '../../../shared/printable.ts';

/** An output stream, which may be a terminal. */
export type Stream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  /** The width of a terminal. */
  readonly columns?: number | undefined;
};

/** Text to print. A string may be untrusted, so it is made printable; Painted is printed unchanged. */
export type Text = string | Painted;

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

/** Makes a string printable; returns the text of a Painted unchanged. */
export const ready = (text: Text): string =>
  typeof text === 'string' ? printable(text) : text.ansi;

/** Prints JSON; escapes what a terminal would interpret, so that a parser reads the same value. */
export const printJson = (stream: Stream, value: unknown): void => {
  stream.write(`${printable(JSON.stringify(value, null, 2))}\n`);
};

export const printLines = (stream: Stream, lines: readonly Text[]): void => {
  for (const line of lines) stream.write(`${ready(line)}\n`);
};
