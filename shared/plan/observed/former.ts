import { type Identity, successors } from '../../identity.ts';
import type { FieldsV1, KubeObject, ManagedFieldsEntry } from '../../kubernetes.ts';
import { type Meter, openMeter } from './unreadable.ts';

/**
 * Renames managedFields entries of former names to the present one; returns the same array if there are none.
 *
 * Guarantees: our next apply then drops unwanted fields that only a former name held. Throws an
 * UnreadableError for entries that are too large or deep to be merged.
 */
export function underPresentName(
  entries: readonly ManagedFieldsEntry[],
  identity: Identity,
): readonly ManagedFieldsEntry[] {
  if (identity.formerNames.length === 0) return entries;
  const presentOf = successors(identity);
  if (!entries.some(({ manager = '' }) => presentOf.has(manager))) return entries;
  const meter = openMeter();
  const merged = new Map<string, ManagedFieldsEntry>();
  for (const entry of entries) {
    const manager = presentOf.get(entry.manager ?? '') ?? entry.manager ?? '';
    const own = { ...entry, manager };
    const key = keyOf(own);
    const other = merged.get(key);
    merged.set(key, other === undefined ? own : joined(other, own, meter));
  }
  return [...merged.values()];
}

/** Removes the Apply entries of former names. Our apply takes their fields over, and drops unwanted ones. */
export const withoutFormerApplies = (live: KubeObject, identity: Identity): KubeObject => {
  const presentOf = successors(identity);
  const isFormer = ({ manager = '', operation }: ManagedFieldsEntry): boolean =>
    operation === 'Apply' && presentOf.get(manager) === identity.name;
  const { managedFields = [], ...metadata } = live.metadata;
  const left = managedFields.filter((entry) => !isFormer(entry));
  return { ...live, metadata: { ...metadata, managedFields: left } };
};

/** Identifies an entry as the API server does. */
const keyOf = ({ manager, operation, subresource, apiVersion }: ManagedFieldsEntry): string =>
  JSON.stringify([manager, operation, subresource, operation === 'Update' && apiVersion]);

function joined(a: ManagedFieldsEntry, b: ManagedFieldsEntry, meter: Meter): ManagedFieldsEntry {
  const [older, newer] = (a.time ?? '') < (b.time ?? '') ? [a, b] : [b, a];
  // Only fields of the same version can be merged, because names differ between versions.
  return older.apiVersion === newer.apiVersion
    ? { ...newer, fieldsV1: union(older.fieldsV1, newer.fieldsV1, meter) }
    : newer;
}

/** Stands for a field below which an entry names nothing. */
const itself: FieldsV1 = { '.': {} };

function union(a: FieldsV1, b: FieldsV1, meter: Meter): FieldsV1 {
  const both: Record<string, FieldsV1> = { ...a };
  meter.enter();
  for (const [name, inner] of Object.entries(b)) {
    const other = Object.hasOwn(both, name) ? both[name] : undefined;
    meter.spend(1 + name.length);
    both[name] =
      other === undefined ? inner : union(named(other, inner), named(inner, other), meter);
  }
  meter.leave();
  return both;
}

const named = (fields: FieldsV1, other: FieldsV1): FieldsV1 =>
  isEmpty(fields) && !isEmpty(other) ? itself : fields;

const isEmpty = (fields: FieldsV1): boolean => Object.keys(fields).length === 0;
