import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

const counts = { C: 16, W: 8, A: 9, G: 9, D: 9, F: 10 };
const rows = Object.entries(counts).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, at) => `${letter}-${at + 1}`),
);

const strings = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('documents'))
  .map((file) => readFileSync(join(root, 'test', file), 'utf8'));

/** Reports whether a test or a case of a table begins with the row, alone or among others. */
const isNamed = (row: string): boolean =>
  strings.some((text) => new RegExp(`['"\`](?:[CWAGDF]-\\d+[, ]+)*${row}\\b`).test(text));

describe('the rows of the five systems', () => {
  test.each(rows)('%s has a test', (row) => {
    expect(isNamed(row)).toBe(true);
  });

  test('are listed on test/rows.md, each once', () => {
    const page = readFileSync(join(root, 'test/rows.md'), 'utf8');
    const listed = [...page.matchAll(/^\| ([A-Z]-\d+) \|/gm)].map(([, row]) => row);
    expect(listed).toEqual(rows);
  });
});
