import type { ManagersEntry } from './contract-case.ts';

/** An entry that an apply left in managedFields; the fields are its `fieldsV1` as JSON. */
export function applied(
  manager: string,
  apiVersion: string,
  fields: string,
  subresource?: string,
): ManagersEntry {
  return entry({ manager, operation: 'Apply', apiVersion }, fields, subresource);
}

/** An entry that any other write left. */
export function updated(
  manager: string,
  apiVersion: string,
  fields: string,
  subresource?: string,
): ManagersEntry {
  return entry({ manager, operation: 'Update', apiVersion }, fields, subresource);
}

function entry(
  who: Omit<ManagersEntry, 'fields' | 'subresource'>,
  fields: string,
  subresource: string | undefined,
): ManagersEntry {
  const under = subresource === undefined ? {} : { subresource };
  return { ...who, ...under, fields: JSON.parse(fields) as unknown };
}
