import stringWidth from 'string-width';

const gap = '   ';
const indent = '    ';
/** The minimum width of the last column. With less space, the column goes below the others. */
const readable = 40;

/**
 * Formats columns as kubectl prints them; a cell may have several lines. If a row is too wide for the terminal, wraps
 * the last column between words. If the last column would be too narrow, continues the row on the lines below.
 */
export function columns(
  rows: readonly (readonly string[])[],
  terminalWidth: number | undefined,
): readonly string[] {
  // A terminal of unknown width reports 0.
  const width = terminalWidth || Number.POSITIVE_INFINITY;
  const table = rows.map((row) => row.map((cell) => cell.split('\n')));
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...table.flatMap((row) => (row[column] ?? []).map((line) => stringWidth(line)))),
  );
  const total = widths.reduce((sum, one) => sum + one + gap.length, -gap.length);
  if (total <= width) return printed(table, widths);
  const others = widths.slice(0, -1);
  const left = width - others.reduce((sum, one) => sum + one + gap.length, 0);
  if (left < readable) {
    const beside = others.slice(0, fitting(others, width));
    return table.flatMap((row) => [
      ...printed([row.slice(0, beside.length)], beside),
      ...oneBelow(row.slice(beside.length), width),
    ]);
  }
  const narrow = table.map((row) => [
    ...row.slice(0, -1),
    (row.at(-1) ?? []).flatMap((line) => wrapped(line, left)),
  ]);
  return printed(narrow, [...others, left]);
}

/** Counts the columns that fit side by side, at least one. */
function fitting(widths: readonly number[], width: number): number {
  let total = -gap.length;
  const beyond = widths.findIndex((one) => {
    total += one + gap.length;
    return total > width;
  });
  return beyond === -1 ? widths.length : Math.max(1, beyond);
}

/** Puts cells below their row, on one line if they fit. */
function oneBelow(cells: readonly (readonly string[])[], width: number): readonly string[] {
  const [first = '', ...more] = cells.at(-1) ?? [];
  const beside = cells.slice(0, -1).flat();
  const lines = [[...beside, first].filter((text) => text !== '').join(gap), ...more];
  return lines
    .flatMap((line) => wrapped(line, width - indent.length))
    .flatMap((line) => (line === '' ? [] : [indent + line.trimEnd()]));
}

/** Breaks a line at spaces into lines of at most this width; a longer word stays whole. */
function wrapped(line: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of line.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && stringWidth(longer) > width) lines.push(word);
    else lines.splice(-1, 1, longer);
  }
  return lines;
}

const printed = (
  table: readonly (readonly (readonly string[])[])[],
  widths: readonly number[],
): readonly string[] =>
  table.flatMap((row) =>
    Array.from({ length: Math.max(...row.map((cell) => cell.length)) }, (_, at) => {
      const cells = widths.map((width, column) => {
        const line = row[column]?.[at] ?? '';
        return line + ' '.repeat(Math.max(0, width - stringWidth(line)));
      });
      return cells.join(gap).trimEnd();
    }),
  );
