import type { ManagersEntry } from './contract-case.ts';

/** Builds the managedFields entry of an apply; the fields are its `fieldsV1` as JSON. */
export function applied(
  manager: string,
  apiVersion: string,
  fields: string,
  subresource?: string,
): ManagersEntry {
  return entry({ manager, operation: 'Apply', apiVersion }, fields, subresource);
}

/** Builds the managedFields entry of any other write. */
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
