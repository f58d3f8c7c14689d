import { stripVTControlCharacters, styleText } from 'node:util';
import { Option } from 'commander';
import type { Environment } from '../../../shared/environment.ts';
import { printable } from '../../../shared/printable.ts';
import { columns } from './columns.ts';

/** An output stream, which may be a terminal. */
export type Stream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
};

/** Text that is printed unchanged, because everything but our own colours has been made printable. */
export class Painted {
  readonly ansi: string;

  constructor(ansi: string) {
    this.ansi = ansi;
  }
}

/** A line to print. A string may be untrusted, so it is made printable. */
export type Line = string | Painted;

/** The cells of a line of a table; a cell may have several lines. */
export type Row = readonly Line[];

class Table {
  readonly rows: readonly Row[];

  constructor(rows: readonly Row[]) {
    this.rows = rows;
  }
}

export type Text = Line | Table;

/** Rows below a head; nothing without rows. */
export const table = (head: readonly string[], rows: readonly Row[]): readonly Text[] =>
  rows.length === 0 ? [] : [new Table([head, ...rows])];

/** Lines below a heading; nothing without lines. */
export const section = (heading: readonly string[], lines: readonly Text[]): readonly Text[] =>
  lines.length === 0 ? [] : [...heading, ...lines];

/** Colours a text; `printOutput` removes the colours where they are not supported. */
export const paint = (format: Parameters<typeof styleText>[0], text: string): Painted =>
  new Painted(styleText(format, printable(text), { validateStream: false }));

const ansiOf = (line: Line): string => (typeof line === 'string' ? printable(line) : line.ansi);

export const plainOf = (line: Line): string => stripVTControlCharacters(ansiOf(line));

export const printLines = (stream: Stream, lines: readonly string[]): void => {
  for (const line of lines) stream.write(`${printable(line)}\n`);
};

/** Escapes control characters, which a JSON parser reads back unchanged. */
const printJson = (stream: Stream, value: unknown): void => {
  stream.write(`${printable(JSON.stringify(value, null, 2))}\n`);
};

/** The formats of a command: its own, and JSON. */
export type OutputFormat<Own extends string = 'text'> = Own | 'json';

/** `--output`: the command's own formats, the first by default, and JSON. */
export const outputOption = (
  [first = 'text', ...more]: readonly string[] = ['text'],
  description = 'output format',
): Option =>
  new Option('-o, --output <format>', description).choices([first, 'json', ...more]).default(first);

/** A result as data, and as text for each of the command's own formats. */
type Forms<Own extends string> = { readonly data: unknown } & Readonly<
  Record<Own, () => readonly Text[]>
>;

/** Prints a result in the requested format; in colours on a terminal, unless NO_COLOR is set. */
export function printOutput<Own extends string>(
  { out, env }: { readonly out: Stream; readonly env: Environment },
  format: OutputFormat<Own>,
  forms: Forms<NoInfer<Own>>,
): void {
  if (format === 'json') {
    printJson(out, forms.data);
    return;
  }
  const isColoured = out.isTTY === true && (env.NO_COLOR ?? '') === '';
  for (const line of forms[format as Own]().flatMap((text) => linesOf(text, out)))
    out.write(`${isColoured ? line : stripVTControlCharacters(line)}\n`);
}

const linesOf = (text: Text, { columns: width }: Stream): readonly string[] =>
  text instanceof Table
    ? columns(
        text.rows.map((row) => row.map(ansiOf)),
        width,
      )
    : [ansiOf(text)];

/** Prints an error as JSON if the arguments, which are valid, ask for JSON. */
export function printErrorAsJson(stream: Stream, args: readonly string[], error: string): void {
  const asked = args.join(' ').matchAll(/(?<=^| )(?:-o ?|--output[ =])(\S+)/g);
  if ([...asked].at(-1)?.[1] === 'json') printJson(stream, { error });
}
