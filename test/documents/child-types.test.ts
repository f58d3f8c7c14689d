import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as index from '../../index.ts';
import { apiVersionOf, isClusterScoped } from '../../shared/kubernetes.ts';
import { subjects } from '../child-types/all-cases.ts';
import { builtInTypes } from '../support/child-types.ts';

const docs = join(import.meta.dirname, '../../docs');
const read = (page: string): Promise<string> => readFile(join(docs, page), 'utf8');
const text = await read('child-types.md');
const rows = [...text.matchAll(/^\| `(\w+)` \| `([^`]+)` \| (.*?) \|$/gm)].map(
  ([, name = '', apiVersion = '', ready = '']) => ({ name, apiVersion, ready }),
);

const nameOf = (type: index.ChildType): string | undefined =>
  Object.entries(index).find(([, one]) => one === type)?.[0];

it('the table of child types has a row for each type, in alphabetical order', () => {
  expect(rows.map(({ name }) => name)).toEqual(builtInTypes.map(nameOf).toSorted());
});

it.each(subjects)(
  'the table of child types: the row of $type.kind matches the type',
  ({ type }) => {
    const row = rows.find(({ name }) => name === nameOf(type));
    expect(row?.apiVersion).toBe(apiVersionOf(type));
    expect(row?.ready === 'once it exists').toBe(type.readiness === undefined);
  },
);

it.each([
  ['child-types.md', /^Cluster-scoped types are for .*? only: (.*?)[.]/m],
  ['kinds.md', /cluster-scoped children \((.*?), another cluster-scoped kind\)/],
] as const)('%s lists every cluster-scoped type', async (page, pattern) => {
  const [, list = ''] = pattern.exec(await read(page)) ?? [];
  const kinds = builtInTypes.filter(isClusterScoped).map(({ kind }) => kind);
  expect(list.split(', ').toSorted()).toEqual(kinds.toSorted());
});
