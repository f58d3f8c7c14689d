import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { kinds } from '../support/config.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (name: string): Promise<string> => readFile(join(root, name), 'utf8');
const text = await read('SECURITY.md');
const rows = text.split('\n').filter((line) => line.startsWith('| '));

it('docs/security.md is linked from the README, and short', async () => {
  expect(await read('README.md')).toContain('(SECURITY.md)');
  expect(text.split('\n').length).toBeLessThanOrEqual(120);
});

/** Kinds of this repository; the kinds of a reader are not documented here. */
const ours = ['Application', 'ContainerApp', 'Database', 'Foo', 'Website'];

it.each(ours)('docs/security.md states what an author of %s can reach', (kind) => {
  expect(rows.filter((row) => (row.split('|')[1] ?? '').includes(kind))).not.toEqual([]);
});

it('docs/security.md lists exactly the kinds with an image field as able to run any image', () => {
  const free = kinds
    .filter(({ kind }) => ours.includes(kind))
    .filter((kind) => JSON.stringify(customResourceDefinition(kind)).includes('"image":{'));
  const row = rows.find((one) => one.includes('run any image')) ?? '';
  const named = (row.split('|')[1] ?? '').split(',').map((name) => name.trim());
  expect(named.toSorted()).toEqual(free.map(({ kind }) => kind).toSorted());
});
