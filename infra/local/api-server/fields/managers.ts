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

/** Entries by key: one for each manager, operation, subresource and, for an Update, version. */
export type Managers = ReadonlyMap<string, ManagedEntry>;

/** Returns the key of an entry, by which the server sorts and reports managers. */
export function identify(entry: Omit<ManagedEntry, 'fieldsV1'>): string {
  const { manager, operation, apiVersion, subresource } = entry;
  return JSON.stringify({
    ...(manager && { manager }),
    operation,
    ...(operation === 'Update' && { apiVersion }),
    ...(subresource && { subresource }),
  });
}

/** Reads the managers of a stored object, whose entries are canonical. */
export function managersOf(object: object | undefined): Managers {
  const entries = entriesOf(object);
  if (!Array.isArray(entries)) return new Map();
  return new Map(entries.map((entry: ManagedEntry) => [identify(entry), entry]));
}

/** Reads the managers in a request; undefined without managers, or if an entry is invalid. */
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
 * Reports whether a request resets managedFields: by a list of one empty entry or, in a built-in object, by an empty
 * list. Decoding a custom resource drops an empty list.
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

/** Returns the canonical form of an entry; undefined if it is invalid. */
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

/**
 * Replaces the entries of an object by the entries of these managers, in the server's order; removes managedFields if
 * there are none.
 */
export function withManagers<Value extends JsonObject>(object: Value, managers: Managers): Value {
  return withEntries(object, [...managers.values()]);
}

/** Replaces the entries of an object; one manager may have several. */
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

/** Returns an entry's time in seconds; an entry without a time is the oldest. */
export function secondsOf({ time }: Pick<ManagedEntry, 'time'>): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
