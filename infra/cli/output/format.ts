import { Option } from 'commander';
import { printJson, printLines, type Stream, type Text } from './text.ts';

/** Data formats, in which any result or error can be printed. */
const dataFormats = { json: printJson };
type DataFormat = keyof typeof dataFormats;

/** The formats of a command: its own, and the data formats. */
export type OutputFormat<Own extends string = 'text'> = Own | DataFormat;

/** A result as data, and as lines for each of the command's own formats. */
type Forms<Own extends string> = { readonly data: unknown } & Readonly<
  Record<Own, () => readonly Text[]>
>;

/** `--output`: the command's own formats, the first by default, and the data formats. */
export const outputOption = (
  [first = 'text', ...more]: readonly string[] = ['text'],
  description = 'output format',
): Option =>
  new Option('-o, --output <format>', description)
    .choices([first, ...Object.keys(dataFormats), ...more])
    .default(first);

/** Prints a result in the requested format. */
export function printOutput<Own extends string>(
  stream: Stream,
  format: OutputFormat<Own>,
  forms: Forms<NoInfer<Own>>,
): void {
  if (isData(format)) dataFormats[format](stream, forms.data);
  else printLines(stream, forms[format]());
}

/** Prints an error as data if the arguments, which are valid, ask for a data format. */
export function printErrorAsData(stream: Stream, args: readonly string[], error: string): void {
  const asked = args.join(' ').matchAll(/(?<=^| )(?:-o ?|--output[ =])(\S+)/g);
  const format = [...asked].at(-1)?.[1] ?? '';
  if (isData(format)) dataFormats[format](stream, { error });
}

const isData = (format: string): format is DataFormat => Object.hasOwn(dataFormats, format);
