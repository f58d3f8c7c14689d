import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { kinds } from '../support/config.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (name: string): Promise<string> => readFile(join(root, name), 'utf8');
const text = await read('SECURITY.md');
const rows = text.split('\n').filter((line) => line.startsWith('| '));

/** Kinds of this repository; the kinds of a reader are not documented here. */
const ours = ['Application', 'ContainerApp', 'Database', 'Foo', 'Website'];

it('SECURITY.md lists exactly the kinds with an image field as able to run any image', () => {
  const free = kinds
    .filter(({ kind }) => ours.includes(kind))
    .filter((kind) => JSON.stringify(customResourceDefinition(kind)).includes('"image":{'));
  const row = rows.find((one) => one.includes('run any image')) ?? '';
  const named = (row.split('|')[1] ?? '').split(',').map((name) => name.trim());
  expect(named.toSorted()).toEqual(free.map(({ kind }) => kind).toSorted());
});
