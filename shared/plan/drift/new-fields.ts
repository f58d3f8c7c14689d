import { isMap } from '../../canonical.ts';
import type { ChildType } from '../../kinds/child-type.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import type { ObservedChild } from '../observed/observed.ts';
import { join } from '../observed/owned-fields.ts';
import type { Difference } from './differences.ts';
import { conceal } from './secrecy.ts';

/** The fields of a child to be created, as differences; a Secret's values are masked. */
export function newFields({ type, fields, initially, generates = [] }: New): readonly Difference[] {
  const found = leaves('', initially?.whole ?? fields);
  const made = generates.map((key): Leaf => [join('data', key), '']);
  return [...found, ...made].map(([path, to]) =>
    conceal(type.kind, { path, from: undefined, to, writer: undefined }),
  );
}

type Leaf = readonly [path: string, value: Json];

/** The generated data of a live Secret, as differences without values. */
export const generatedFields = (
  { generates = [] }: Pick<New, 'generates'>,
  { kind, facts }: Pick<ObservedChild, 'kind' | 'facts'>,
): readonly Difference[] =>
  generates.map((key) => {
    const isThere = Array.isArray(facts.keys) && facts.keys.includes(key);
    const from = isThere ? 'before' : undefined;
    return conceal(kind, { path: join('data', key), from, to: 'after', writer: undefined });
  });

interface New {
  readonly type: ChildType;
  readonly fields: JsonObject;
  readonly initially?: { readonly whole: JsonObject };
  readonly generates?: readonly string[];
}

function leaves(path: string, value: Json | undefined): readonly Leaf[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((item, at) => leaves(`${path}[${indexOf(item, at)}]`, item));
  if (isMap(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([field, inner]) => leaves(join(path, field), inner));
  return [[path, value]];
}

const indexOf = (item: Json, at: number): string =>
  isMap(item) && typeof item.name === 'string' ? `name=${JSON.stringify(item.name)}` : `${at}`;
