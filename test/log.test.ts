import { describe, expect, it } from 'vitest';
import { createLog, type Log, type Severity } from '../shared/log.ts';
import { casesOf } from './support/cases.ts';

const linesOf = (level: Severity, write: (log: Log) => void): readonly unknown[] => {
  const lines: string[] = [];
  write(createLog((line) => lines.push(line), level));
  expect(lines.join('')).not.toContain('\n');
  return lines.map((line) => JSON.parse(line));
};

const levels: Record<Severity, readonly Severity[]> = {
  DEBUG: ['DEBUG', 'INFO', 'WARNING', 'ERROR'],
  INFO: ['INFO', 'WARNING', 'ERROR'],
  WARNING: ['WARNING', 'ERROR'],
  ERROR: ['ERROR'],
};

describe('a log', () => {
  it.each(Object.entries(levels))(
    'at level %s writes lines of at least that severity',
    (level, want) => {
      const lines = linesOf(level as Severity, (log) => {
        log.debug('a');
        log.info('a');
        log.warning('a');
        log.error('a');
      });
      expect(lines).toEqual(want.map((severity) => ({ severity, message: 'a' })));
    },
  );

  it.each(Object.keys(levels))(
    'at level %s still writes the summary of a run, which alerts count',
    (level) => {
      const lines = linesOf(level as Severity, (log) => log.summary('resynced', { failures: 0 }));
      expect(lines).toEqual([{ severity: 'INFO', message: 'resynced', failures: 0 }]);
    },
  );

  const cases: Record<string, { reason: string; given: Record<string, unknown>; want: object }> = {
    Fields: {
      reason: 'fields follow the message',
      given: { key: 'a', n: 1 },
      want: { key: 'a', n: 1 },
    },
    Nested: {
      reason: 'nested values are written as JSON',
      given: { scope: { kind: 'Foo' } },
      want: { scope: { kind: 'Foo' } },
    },
    Absent: { reason: 'undefined fields are omitted', given: { error: undefined }, want: {} },
    LineBreak: {
      reason: 'each entry stays on one line',
      given: { text: 'a\nb' },
      want: { text: 'a\nb' },
    },
    SameNames: {
      reason: 'a field cannot replace the message or its severity',
      given: { message: 'other', severity: 'ERROR' },
      want: {},
    },
  };
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    expect(linesOf('INFO', (log) => log.info('told', given))).toEqual([
      { severity: 'INFO', message: 'told', ...want },
    ]);
  });
});
