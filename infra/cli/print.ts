import Table from 'cli-table3';
import type { Stream } from './terminal.ts';

export const printJson = (stream: Stream, value: unknown): void => {
  stream.write(`${JSON.stringify(value, null, 2)}\n`);
};

export const printLines = (stream: Stream, lines: readonly string[]): void => {
  for (const line of lines) stream.write(`${line}\n`);
};

const noLines = Object.fromEntries(
  ['top', 'bottom', 'left', 'mid', 'right'].flatMap((side) =>
    ['', '-mid', '-left', '-right'].map((part) => [`${side}${part}`, '']),
  ),
);

/** Values are others': what would steer a terminal is shown, not obeyed. Colours of ours stay. */
const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  text.replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f](?!\[\d+m)/g, (one) =>
    JSON.stringify(one).slice(1, -1),
  );

/** Columns without lines, as kubectl prints them. */
export function columns(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const table = new Table({
    head: [...head],
    chars: { ...noLines, middle: '   ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  });
  table.push(...rows.map((row) => row.map(printable)));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}
