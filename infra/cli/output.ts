import { Option } from 'commander';
import { printJson, printLines, type Text } from './print.ts';
import type { Stream } from './terminal.ts';

/** Formats that show any result as data. */
type DataFormat = 'json';

/** A result as data, and as lines for each format of its own. */
export type Forms<Format extends string> = { readonly data: unknown } & Readonly<
  Record<Exclude<Format, DataFormat>, () => readonly Text[]>
>;

/** `--output`: the formats of its own, the first by default, and those that any result has. */
export const outputOption = (
  [first = 'text', ...more]: readonly string[] = ['text'],
  description = 'output format',
): Option =>
  new Option('-o, --output <format>', description).choices([first, 'json', ...more]).default(first);

/** Prints a result in the format that was asked for. */
export function printOutput<Format extends string>(
  stream: Stream,
  format: Format,
  forms: Forms<Format>,
): void {
  const lines: Readonly<Record<string, unknown>> = forms;
  if (format === 'json') printJson(stream, forms.data);
  else printLines(stream, (lines[format] as () => readonly Text[])());
}
