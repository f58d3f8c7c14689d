import { describe, expect, it } from 'vitest';
import { grouped } from '../../infra/actions/wording.ts';
import { columns } from '../../infra/cli/output/columns.ts';
import { Painted } from '../../infra/cli/output/text.ts';

const head = ['ACTION', 'OBJECT', 'CHANGE'];
const change = 'spec.replicas 5 → 2, changed by kubectl, no later than noon';
const rows = [
  ['update', 'Deployment a', `${change}\nspec.paused`],
  [new Painted('\u001b[31mdelete\u001b[39m'), 'Service b', '没有 wanted'],
];

const lines = (width: number | undefined) =>
  columns(head, rows, { columns: width }).map(({ ansi }) => ansi);

describe('a table', () => {
  it('of a stream without a width has one line for each line of a cell', () => {
    expect(lines(undefined)).toEqual([
      'ACTION   OBJECT         CHANGE',
      `update   Deployment a   ${change}`,
      '                        spec.paused',
      '\u001b[31mdelete\u001b[39m   Service b      没有 wanted',
    ]);
  });

  it('of a terminal that reports a width of 0 is not wrapped', () => {
    expect(lines(0)).toEqual(lines(undefined));
  });

  it('that is too wide wraps its last column between words', () => {
    expect(lines(66)).toEqual([
      'ACTION   OBJECT         CHANGE',
      'update   Deployment a   spec.replicas 5 → 2, changed by kubectl,',
      '                        no later than noon',
      '                        spec.paused',
      '\u001b[31mdelete\u001b[39m   Service b      没有 wanted',
    ]);
  });

  it('that leaves too little for it puts it below', () => {
    expect(lines(40)).toEqual([
      'ACTION   OBJECT',
      '    CHANGE',
      'update   Deployment a',
      '    spec.replicas 5 → 2, changed by',
      '    kubectl, no later than noon',
      '    spec.paused',
      '\u001b[31mdelete\u001b[39m   Service b',
      '    没有 wanted',
    ]);
  });

  it('puts whatever else does not fit there, too', () => {
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
      '    wanted',
    ]);
  });

  it('does not break words that are too long', () => {
    const long = 'x'.repeat(80);
    expect(
      columns(['A'], [[long]], { columns: 20 })
        .at(-1)
        ?.ansi.trim(),
    ).toBe(long);
  });
});

describe('the same text about several', () => {
  const about = (...names: readonly string[]) => names.map((name) => ({ about: name, text: 'no' }));
  const tables: Record<string, { names: readonly string[]; want: string }> = {
    'is one': { names: ['a', 'b'], want: 'a, b' },
    'names each once': { names: ['a', 'a'], want: 'a' },
    'names four': { names: ['a', 'b', 'c', 'd'], want: 'a, b, c, d' },
    'counts the rest of more': { names: ['a', 'b', 'c', 'd', 'e'], want: 'a, b, c and 2 more' },
  };

  it.each(Object.entries(tables))('%s', (_, { names, want }) => {
    expect(grouped([...about(...names), { about: 'z', text: 'other' }])).toEqual([
      { about: want, text: 'no' },
      { about: 'z', text: 'other' },
    ]);
  });
});
