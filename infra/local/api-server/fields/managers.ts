import { isObject, type JsonObject, jsonEqual } from '../json/value.ts';
import { type FieldSet, parseFieldSet } from './field-set.ts';

export type Operation = 'Apply' | 'Update';

/** One entry of `metadata.managedFields`. */
export interface ManagedEntry {
  readonly manager?: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsV1: FieldSet;
  readonly subresource?: string;
}

/** The entries by manager: one for each name, operation, subresource and, of an update, version. */
export type Managers = ReadonlyMap<string, ManagedEntry>;

/** What distinguishes an entry from others, in the form that the server sorts and reports managers by. */
export function identify(entry: Omit<ManagedEntry, 'fieldsV1'>): string {
  const { manager, operation, apiVersion, subresource } = entry;
  return JSON.stringify({
    ...(manager && { manager }),
    operation,
    ...(operation === 'Update' && { apiVersion }),
    ...(subresource && { subresource }),
  });
}

/** The managers of a stored object, whose entries are in the server's own form. */
export function managersOf(object: object | undefined): Managers {
  const entries = entriesOf(object);
  if (!Array.isArray(entries)) return new Map();
  return new Map(entries.map((entry: ManagedEntry) => [identify(entry), entry]));
}

/** The managers that a request brings; undefined if it brings none or none that can be read. */
export function requestedManagers(object: object): Managers | undefined {
  const entries = entriesOf(object);
  if (!Array.isArray(entries) || entries.length === 0) return undefined;
  const managers = new Map<string, ManagedEntry>();
  for (const entry of entries) {
    const parsed = parseEntry(entry);
    if (parsed === undefined) return undefined;
    managers.set(identify(parsed), parsed);
  }
  return managers;
}

/**
 * A list of one empty entry asks for a fresh start, and so does an empty list, which is lost where a
 * custom resource is decoded.
 */
export function isReset(object: object, isCustom: boolean): boolean {
  const entries = entriesOf(object);
  if (!Array.isArray(entries)) return false;
  if (entries.length === 0) return !isCustom;
  return entries.length === 1 && jsonEqual(entries[0], {});
}

function entriesOf(object: object | undefined): unknown {
  const metadata = (object as JsonObject | undefined)?.metadata;
  return isObject(metadata) ? metadata.managedFields : undefined;
}

/** An entry in the server's own form; undefined if it cannot be read. */
function parseEntry(entry: unknown): ManagedEntry | undefined {
  const { operation, apiVersion, fieldsType, fieldsV1 } = isObject(entry) ? entry : {};
  const isReadable =
    (operation === 'Apply' || operation === 'Update') &&
    typeof apiVersion === 'string' &&
    apiVersion !== '' &&
    fieldsType === 'FieldsV1';
  if (!isReadable) return undefined;
  try {
    return { ...(entry as ManagedEntry), fieldsV1: parseFieldSet(fieldsV1) };
  } catch {
    return undefined;
  }
}

/** The object with these managers' entries, in the server's order; without any, with none. */
export function withManagers<Value extends JsonObject>(object: Value, managers: Managers): Value {
  return withEntries(object, [...managers.values()]);
}

/** The object with these entries, of which several may be of one manager. */
export function withEntries<Value extends JsonObject>(
  object: Value,
  entries: readonly ManagedEntry[],
): Value {
  const { managedFields: _, ...metadata } = isObject(object.metadata) ? object.metadata : {};
  if (entries.length === 0) return { ...object, metadata };
  const managedFields = entries.toSorted(compareEntries).map(encodeEntry);
  return { ...object, metadata: { ...metadata, managedFields } };
}

function encodeEntry(entry: ManagedEntry): JsonObject {
  const { manager, operation, apiVersion, time, fieldsV1, subresource } = entry;
  return {
    ...(manager && { manager }),
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource && { subresource }),
  };
}

function compareEntries(a: ManagedEntry, b: ManagedEntry): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    compareText(a.manager ?? '', b.manager ?? '') ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource ?? '', b.subresource ?? '')
  );
}

/** The entry's time in seconds; an entry without one is oldest. */
export function secondsOf({ time }: Pick<ManagedEntry, 'time'>): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
