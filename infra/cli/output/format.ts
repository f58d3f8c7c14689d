import { Option } from 'commander';
import { printJson, printLines, type Stream, type Text } from './text.ts';

/** Formats that show any result, and any error, as data. */
const dataFormats = { json: printJson };
type DataFormat = keyof typeof dataFormats;

/** The formats of one command: its own, and those that any result has. */
export type OutputFormat<Own extends string = 'text'> = Own | DataFormat;

/** A result as data, and as lines for each format of its own. */
type Forms<Own extends string> = { readonly data: unknown } & Readonly<
  Record<Own, () => readonly Text[]>
>;

/** `--output`: the formats of its own, the first by default, and those that any result has. */
export const outputOption = (
  [first = 'text', ...more]: readonly string[] = ['text'],
  description = 'output format',
): Option =>
  new Option('-o, --output <format>', description)
    .choices([first, ...Object.keys(dataFormats), ...more])
    .default(first);

/** Prints a result in the format that was asked for. */
export function printOutput<Own extends string>(
  stream: Stream,
  format: OutputFormat<Own>,
  forms: Forms<NoInfer<Own>>,
): void {
  if (isData(format)) dataFormats[format](stream, forms.data);
  else printLines(stream, forms[format]());
}

/** Prints an error as data if the arguments, none of them invalid, ask for a data format. */
export function printErrorAsData(stream: Stream, args: readonly string[], error: string): void {
  const asked = args.join(' ').matchAll(/(?<=^| )(?:-o ?|--output[ =])(\S+)/g);
  const format = [...asked].at(-1)?.[1] ?? '';
  if (isData(format)) dataFormats[format](stream, { error });
}

const isData = (format: string): format is DataFormat => Object.hasOwn(dataFormats, format);
