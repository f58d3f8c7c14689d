import stringWidth from 'string-width';
import { printable } from '../../shared/printable.ts';
import { Painted, type Stream } from './terminal.ts';

/** A string may be untrusted and is made printable; Painted is printed as it is. */
export type Text = string | Painted;

const ready = (text: Text): string => (typeof text === 'string' ? printable(text) : text.ansi);

/** The same value to a parser, with what a terminal would interpret escaped. */
export const printJson = (stream: Stream, value: unknown): void => {
  stream.write(`${printable(JSON.stringify(value, null, 2))}\n`);
};

export const printLines = (stream: Stream, lines: readonly Text[]): void => {
  for (const line of lines) stream.write(`${ready(line)}\n`);
};

/** `1 resource`, `2 resources` */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

const gap = '   ';

/** Columns without lines, as kubectl prints them; a cell may have several lines. */
export function columns(
  head: readonly string[],
  rows: readonly (readonly Text[])[],
): readonly Painted[] {
  const table = [head, ...rows].map((row) => row.map((cell) => ready(cell).split('\n')));
  const widths = head.map((_, column) =>
    Math.max(...table.flatMap((row) => (row[column] ?? []).map((line) => stringWidth(line)))),
  );
  return table.flatMap((row) =>
    Array.from({ length: Math.max(...row.map((cell) => cell.length)) }, (_, at) => {
      const cells = widths.map((width, column) => {
        const line = row[column]?.[at] ?? '';
        return line + ' '.repeat(width - stringWidth(line));
      });
      return new Painted(cells.join(gap).trimEnd());
    }),
  );
}
