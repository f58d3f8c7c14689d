import { type JsonMap, mapAt, textAt } from '../objects/object.ts';
import type { Column, Printer } from '../resources/resource.ts';
import { ageOf } from './duration.ts';

/** One column and what it shows of an object. */
export interface Cell extends Column {
  readonly value: (object: JsonMap, now: Date) => unknown;
}

// The server explains these columns with the API's own description of the fields.
const NAME =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';
const CREATED =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

/** A printer that shows the name first, then these cells. */
export const printer = (cells: readonly Cell[]): Printer => {
  const all = [nameCell, ...cells];
  return {
    columns: all.map(({ value: _, ...column }) => column),
    cells: (object, now) => all.map(({ value }) => value(object, now)),
  };
};

export const nameCell: Cell = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: NAME,
  priority: 0,
  value: (object) => textAt(mapAt(object, 'metadata'), 'name'),
};

/** A column of every listing; `wide` ones show with `-o wide` only. */
export const cell = (
  name: string,
  value: (object: JsonMap, now: Date) => unknown,
  options: { readonly type?: string; readonly wide?: boolean } = {},
): Cell => ({
  name,
  type: options.type ?? 'string',
  format: '',
  description: name,
  priority: options.wide ? 1 : 0,
  value,
});

export const ageCell: Cell = {
  ...cell('Age', (object, now) => ageOf(mapAt(object, 'metadata').creationTimestamp, now)),
  description: CREATED,
};

export const createdAtCell: Cell = {
  ...cell('Created At', (object) => textAt(mapAt(object, 'metadata'), 'creationTimestamp'), {
    type: 'date',
  }),
  description: CREATED,
};

export const agePrinter: Printer = printer([ageCell]);

/** What kinds without columns of their own show. */
export const plainPrinter: Printer = printer([{ ...ageCell, type: 'date' }]);
