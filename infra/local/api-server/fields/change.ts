import type { Comparison } from './compare.ts';
import { difference, type FieldSet, fieldSet, intersection, isEmpty, union } from './field-set.ts';
import type { ManagedEntry, Managers } from './managers.ts';
import { fieldElement } from './path-element.ts';

/** A change to an object, and the manager that makes it. */
export interface ManagerChange {
  readonly comparison: Comparison;
  /** The key of the manager among all entries. */
  readonly by: string;
}

/** Returns the fields of each other manager that a change adds or modifies. */
export function fieldsTaken(
  managers: Managers,
  { comparison, by }: ManagerChange,
): { entry: ManagedEntry; fields: FieldSet }[] {
  const changed = union(comparison.modified, comparison.added);
  if (isEmpty(changed)) return [];
  return [...managers]
    .filter(([id]) => id !== by)
    .map(([, entry]) => ({ entry, fields: intersection(entry.fieldsV1, changed) }))
    .filter(({ fields }) => !isEmpty(fields));
}

/** Returns the managers after a change: the other managers lose the fields that it adds, modifies or removes. */
export function withoutChanged(managers: Managers, { comparison, by }: ManagerChange): Managers {
  const { added, modified, removed } = comparison;
  const lost = union(union(modified, added), removed);
  const kept = [...managers].map(([id, entry]): [string, ManagedEntry] =>
    id === by ? [id, entry] : [id, withFields(entry, difference(entry.fieldsV1, lost))],
  );
  return new Map(kept.filter(([, { fieldsV1 }]) => !isEmpty(fieldsV1)));
}

export function withFields(entry: ManagedEntry, fieldsV1: FieldSet): ManagedEntry {
  return fieldsV1 === entry.fieldsV1 ? entry : { ...entry, fieldsV1 };
}

const metadata = fieldElement('metadata');

const identity: FieldSet = fieldSet(
  [fieldElement('apiVersion')],
  [fieldElement('kind')],
  [metadata],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => [metadata, fieldElement(name)]),
);

/** Removes fields that never have an owner: fields that identify the object, and fields that the server sets. */
export function withoutIdentity(set: FieldSet): FieldSet {
  return difference(set, identity);
}
