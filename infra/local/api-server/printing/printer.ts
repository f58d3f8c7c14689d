import { type JsonObject, objectAt, textAt } from '../json/value.ts';
import { ageOf } from './duration.ts';

/** A column of a Table. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

/** Prints a resource as a Table: cells in the order of the columns. */
export interface Printer {
  readonly columns: readonly Column[];
  readonly cells: (object: Record<string, unknown>, now: Date) => readonly unknown[];
}

/** One column, and a function that returns its cell for an object. */
export interface Cell extends Column {
  readonly value: (object: JsonObject, now: Date) => unknown;
}

// Columns that the server describes with the API's own descriptions of the fields.
const nameDescription =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';
const createdDescription =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

/** Builds a printer that shows the name and then these cells. */
export function printer(cells: readonly Cell[]): Printer {
  return printerOf([nameCell, ...cells]);
}

/** Builds a printer that shows these cells. */
export function printerOf(cells: readonly Cell[]): Printer {
  return {
    columns: cells.map(({ value: _, ...column }) => column),
    cells: (object, now) => cells.map(({ value }) => value(object, now)),
  };
}

export const nameCell: Cell = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: nameDescription,
  priority: 0,
  value: (object) => textAt(objectAt(object, 'metadata'), 'name'),
};

/** Builds a column; a `wide` column appears only with `-o wide`. */
export function cell(
  name: string,
  value: (object: JsonObject, now: Date) => unknown,
  options: { readonly type?: string; readonly wide?: boolean } = {},
): Cell {
  return {
    name,
    type: options.type ?? 'string',
    format: '',
    description: name,
    priority: options.wide ? 1 : 0,
    value,
  };
}

export const ageCell: Cell = {
  ...cell('Age', (object, now) => ageOf(objectAt(object, 'metadata').creationTimestamp, now)),
  description: createdDescription,
};

export const createdAtCell: Cell = {
  ...cell('Created At', (object) => textAt(objectAt(object, 'metadata'), 'creationTimestamp'), {
    type: 'date',
  }),
  description: createdDescription,
};

export const agePrinter: Printer = printer([ageCell]);

/** Prints kinds without columns of their own. */
export const plainPrinter: Printer = printer([{ ...ageCell, type: 'date' }]);
