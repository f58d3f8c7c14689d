import { expect, it } from 'vitest';
import { code } from '../../infra/cli/plan/plan-markdown.ts';

/** Splits a row as GitHub does, where a backslash also escapes a backslash. */
const cellsOf = (row: string): readonly string[] => row.match(/(?:\\[\\|]|[^|])+/g) ?? [];

it.each(['@org/team|b', 'data[@org/team \\|b]', '![](https://example.org)\\\\|b', 'x\\\\\\|'])(
  'text in a cell of a table ends neither the cell nor the code: %s',
  (text) => {
    expect(cellsOf(code(text))).toEqual([code(text)]);
  },
);
