import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as index from '../../index.ts';
import { apiVersionOf, type JsonObject } from '../../shared/kubernetes.ts';
import { builtInTypes } from '../support/child-types.ts';

const text = await readFile(join(import.meta.dirname, '../../docs/child-types.md'), 'utf8');
const rows = [...text.matchAll(/^\| `(\w+)` \| `([^`]+)` \| (.*?) \| ?(.*?) ?\|$/gm)].map(
  ([, name = '', apiVersion = '', ready = '', immutable = '']) => ({
    name,
    apiVersion,
    ready,
    // Paths; `immutable: true` is a condition.
    immutable: [...immutable.matchAll(/`([\w.]+)`/g)].map(([, path]) => path),
  }),
);

const nameOf = (type: index.ChildType): string | undefined =>
  Object.entries(index).find(([, one]) => one === type)?.[0];

it('has a row for each child type, in the order of their names', () => {
  expect(rows.map(({ name }) => name)).toEqual(builtInTypes.map(nameOf).toSorted());
});

/** Live objects that between them have every field immutable. */
const live: readonly JsonObject[] = [
  {},
  { immutable: true },
  { spec: { storageClassName: 'a', volumeName: 'b' }, status: { phase: 'Bound' } },
];

const immutableOf = ({ immutable = [] }: index.ChildType): readonly string[] => [
  ...new Set(
    (typeof immutable === 'function'
      ? live.flatMap((fields) => immutable(fields as never))
      : immutable
    ).map((path) => path.replace(/[.]$/, '')),
  ),
];

it.each(builtInTypes)('$kind: what the row says is what the type has', (type) => {
  const row = rows.find(({ name }) => name === nameOf(type));
  expect(row?.apiVersion).toBe(apiVersionOf(type));
  const refusedByServer = type.kind === 'Secret' ? ['data'] : [];
  expect(row?.immutable.toSorted()).toEqual([...immutableOf(type), ...refusedByServer].toSorted());
  expect(row?.ready === 'once it exists').toBe(type.readiness === undefined);
});
