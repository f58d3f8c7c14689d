import stringWidth from 'string-width';
import { printable } from '../../shared/printable.ts';
import { Painted, type Stream } from './terminal.ts';

/** A string may hold words of others, and is made printable; what was painted is ready. */
export type Text = string | Painted;

const ready = (text: Text): string => (typeof text === 'string' ? printable(text) : text.ansi);

/** The same value to a parser, escaped where a terminal would obey. */
export const printJson = (stream: Stream, value: unknown): void => {
  stream.write(`${printable(JSON.stringify(value, null, 2))}\n`);
};

export const printLines = (stream: Stream, lines: readonly Text[]): void => {
  for (const line of lines) stream.write(`${ready(line)}\n`);
};

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
