import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as index from '../../index.ts';
import { apiVersionOf, isClusterScoped } from '../../shared/kubernetes.ts';
import { immutablePathsOf, subjects } from '../child-types/all-cases.ts';
import { builtInTypes } from '../support/child-types.ts';

const docs = join(import.meta.dirname, '../../docs');
const read = (page: string): Promise<string> => readFile(join(docs, page), 'utf8');
const text = await read('child-types.md');
const rows = [...text.matchAll(/^\| `(\w+)` \| `([^`]+)` \| (.*?) \| ?(.*?) ?\|$/gm)].map(
  ([, name = '', apiVersion = '', ready = '', immutable = '']) => ({
    name,
    apiVersion,
    ready,
    // Only paths; `immutable: true` in a cell is a condition.
    immutable: [...immutable.matchAll(/`([\w.]+)`/g)].map(([, path]) => path),
  }),
);

const nameOf = (type: index.ChildType): string | undefined =>
  Object.entries(index).find(([, one]) => one === type)?.[0];

it('has a row for each child type, in alphabetical order', () => {
  expect(rows.map(({ name }) => name)).toEqual(builtInTypes.map(nameOf).toSorted());
});

it.each(subjects)('$type.kind: the row matches the type', (subject) => {
  const { type, immutable = {}, alsoRefused = [] } = subject;
  const row = rows.find(({ name }) => name === nameOf(type));
  expect(row?.apiVersion).toBe(apiVersionOf(type));
  const live = [{}, ...Object.values(immutable).map((one) => one.live)];
  const refused = [...immutablePathsOf(subject, live), ...alsoRefused];
  expect(row?.immutable.toSorted()).toEqual(refused.toSorted());
  expect(row?.ready === 'once it exists').toBe(type.readiness === undefined);
});

it.each([
  ['child-types.md', /^Cluster-scoped types are for .*? only: (.*?)[.]/m],
  ['kinds.md', /cluster-scoped children \((.*?), another cluster-scoped kind\)/],
] as const)('%s lists every cluster-scoped type', async (page, pattern) => {
  const [, list = ''] = pattern.exec(await read(page)) ?? [];
  const kinds = builtInTypes.filter(isClusterScoped).map(({ kind }) => kind);
  expect(list.split(', ').toSorted()).toEqual(kinds.toSorted());
});
