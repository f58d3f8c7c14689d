import { stripVTControlCharacters, styleText } from 'node:util';
import { Option } from 'commander';
import type { Environment } from '../../../shared/environment.ts';
import { printable } from '../../../shared/printable.ts';
import { columns } from './columns.ts';

export type Stream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
};

/** Text whose control characters are already escaped, except for our own colours. It is printed unchanged. */
interface Painted {
  readonly ansi: string;
}

/** A line to print. Control characters of a string are escaped, because the string may come from the cluster. */
export type Line = string | Painted;

/** The cells of a row, each of one or more lines. */
export type Row = readonly Line[];

export type Text = Line | { readonly rows: readonly Row[] };

export const table = (head: readonly string[], rows: readonly Row[]): readonly Text[] =>
  rows.length === 0 ? [] : [{ rows: [head, ...rows] }];

export const section = (heading: readonly string[], lines: readonly Text[]): readonly Text[] =>
  lines.length === 0 ? [] : [...heading, ...lines];

/** Colours text; `printOutput` removes the colours where they are not supported. */
export const paint = (format: Parameters<typeof styleText>[0], text: string): Painted => ({
  ansi: styleText(format, printable(text), { validateStream: false }),
});

const ansiOf = (line: Line): string => (typeof line === 'string' ? printable(line) : line.ansi);

export const plainOf = (line: Line): string => stripVTControlCharacters(ansiOf(line));

export const printLines = (stream: Stream, lines: readonly string[]): void => {
  for (const line of lines) stream.write(`${printable(line)}\n`);
};

/** Escapes control characters in a form that JSON parsers decode. */
const printJson = (stream: Stream, value: unknown): void => {
  stream.write(`${printable(JSON.stringify(value, null, 2))}\n`);
};

export type OutputFormat<Own extends string = 'text'> = Own | 'json';

/** The first format is the default; JSON is always possible. */
export const outputOption = (
  [first = 'text', ...more]: readonly string[] = ['text'],
  description = 'output format',
): Option =>
  new Option('-o, --output <format>', description).choices([first, 'json', ...more]).default(first);

/** A result as data for JSON, and as text for each of the command's own formats. */
type Forms<Own extends string> = { readonly data: unknown } & Readonly<
  Record<Own, () => readonly Text[]>
>;

/** Prints a result in the requested format, in colour on a terminal unless NO_COLOR is set or TERM is `dumb`. */
export function printOutput<Own extends string>(
  { out, env }: { readonly out: Stream; readonly env: Environment },
  format: OutputFormat<Own>,
  forms: Forms<NoInfer<Own>>,
): void {
  if (format === 'json') {
    printJson(out, forms.data);
    return;
  }
  const isPlain = (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb';
  const isColoured = out.isTTY === true && !isPlain;
  for (const line of forms[format as Own]().flatMap((text) => linesOf(text, out)))
    out.write(`${isColoured ? line : stripVTControlCharacters(line)}\n`);
}

const linesOf = (text: Text, { columns: width }: Stream): readonly string[] =>
  typeof text === 'object' && 'rows' in text
    ? columns(
        text.rows.map((row) => row.map(ansiOf)),
        width,
      )
    : [ansiOf(text)];

/** Prints an error as JSON if the arguments request JSON. The arguments must have been parsed without an error. */
export function printErrorAsJson(stream: Stream, args: readonly string[], error: string): void {
  const asked = args.join(' ').matchAll(/(?<=^| )(?:-o ?|--output[ =])(\S+)/g);
  if ([...asked].at(-1)?.[1] === 'json') printJson(stream, { error });
}
