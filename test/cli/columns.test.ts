import { describe, expect, it } from 'vitest';
import { problemLines } from '../../infra/actions/wording.ts';
import { columns } from '../../infra/cli/output/columns.ts';

const head = ['ACTION', 'OBJECT', 'CHANGE'];
const change = 'spec.replicas 5 → 2, changed by kubectl, no later than noon';
const rows = [
  ['update', 'Deployment a', `${change}\nspec.paused`],
  ['\u001b[31mdelete\u001b[39m', 'Service b', '没有 needed'],
];

const lines = (width: number | undefined) => columns([head, ...rows], width);

describe('a table', () => {
  it('on a stream without a width prints one line for each line of a cell', () => {
    expect(lines(undefined)).toEqual([
      'ACTION   OBJECT         CHANGE',
      `update   Deployment a   ${change}`,
      '                        spec.paused',
      '\u001b[31mdelete\u001b[39m   Service b      没有 needed',
    ]);
  });

  it('on a terminal that reports a width of 0 is not wrapped', () => {
    expect(lines(0)).toEqual(lines(undefined));
  });

  it('that is too wide wraps its last column between words', () => {
    expect(lines(66)).toEqual([
      'ACTION   OBJECT         CHANGE',
      'update   Deployment a   spec.replicas 5 → 2, changed by kubectl,',
      '                        no later than noon',
      '                        spec.paused',
      '\u001b[31mdelete\u001b[39m   Service b      没有 needed',
    ]);
  });

  it('that leaves too little width for the last column prints that below', () => {
    expect(lines(40)).toEqual([
      'ACTION   OBJECT',
      '    CHANGE',
      'update   Deployment a',
      '    spec.replicas 5 → 2, changed by',
      '    kubectl, no later than noon',
      '    spec.paused',
      '\u001b[31mdelete\u001b[39m   Service b',
      '    没有 needed',
    ]);
  });

  it('prints any other column that does not fit below, too', () => {
    expect(lines(20)).toEqual([
      'ACTION',
      '    OBJECT   CHANGE',
      'update',
      '    Deployment a',
      '    spec.replicas 5',
      '    → 2, changed by',
      '    kubectl, no',
      '    later than noon',
      '    spec.paused',
      '\u001b[31mdelete\u001b[39m',
      '    Service b   没有',
      '    needed',
    ]);
  });

  it('does not break long words', () => {
    const long = 'x'.repeat(80);
    expect(
      columns([['A'], [long]], 20)
        .at(-1)
        ?.trim(),
    ).toBe(long);
  });
});

describe('lines with the same text about several names', () => {
  const about = (...names: readonly string[]) => names.map((name) => ({ about: name, text: 'no' }));
  const tables: Record<string, { names: readonly string[]; want: string }> = {
    'is one': { names: ['a', 'b'], want: 'a, b' },
    'lists each name once': { names: ['a', 'a'], want: 'a' },
    'names four': { names: ['a', 'b', 'c', 'd'], want: 'a, b, c, d' },
    'counts the names after the third': {
      names: ['a', 'b', 'c', 'd', 'e'],
      want: 'a, b, c and 2 more',
    },
  };

  it.each(Object.entries(tables))('%s', (_, { names, want }) => {
    const lines = problemLines([...about(...names), { about: 'z', text: 'other' }], ' failed');
    expect(lines).toEqual([`${want} failed: no`, 'z failed: other']);
  });
});
