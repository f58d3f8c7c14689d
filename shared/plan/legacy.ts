import { fieldManager } from '../kinds/names.ts';
import type { FieldsV1, KubeObject, ManagedFieldsEntry } from '../kubernetes.ts';

export const isOurApply = ({ manager, operation, subresource }: ManagedFieldsEntry): boolean =>
  manager === fieldManager && operation === 'Apply' && subresource === undefined;

/** An entry that holds fields on our behalf, from before our first apply. */
export const isLegacy = ({ manager, operation, subresource }: ManagedFieldsEntry): boolean =>
  operation === 'Update' &&
  subresource === undefined &&
  (manager === 'before-first-apply' || manager === fieldManager);

/**
 * managedFields after old entries (before-first-apply, operation Update of our manager) have given
 * the fields that our Apply entry names to it alone; without this a field we later drop would stay.
 */
export function consolidated(live: KubeObject): readonly ManagedFieldsEntry[] {
  const entries = live.metadata.managedFields ?? [];
  const ours = entries.find(isOurApply);
  if (ours === undefined) return entries;
  return entries.flatMap((entry) => {
    if (!isLegacy(entry)) return [entry];
    const fieldsV1 = without(entry.fieldsV1, ours.fieldsV1);
    return Object.keys(fieldsV1).length === 0 ? [] : [{ ...entry, fieldsV1 }];
  });
}

/** Old entries hold something that our Apply entry names. */
export const overlapsLegacy = (live: KubeObject): boolean =>
  JSON.stringify(consolidated(live)) !== JSON.stringify(live.metadata.managedFields ?? []);

/** `fields` less every leaf that `taken` names; a container left with nothing but itself goes too. */
function without(fields: FieldsV1, taken: FieldsV1): FieldsV1 {
  const left: Record<string, FieldsV1> = {};
  for (const [name, inner] of Object.entries(fields)) {
    const other = taken[name];
    if (other === undefined) {
      left[name] = inner;
      continue;
    }
    if (Object.keys(inner).length === 0 || Object.keys(other).length === 0) continue;
    const rest = without(inner, other);
    if (Object.keys(rest).some((field) => field !== '.')) left[name] = rest;
  }
  return left;
}
