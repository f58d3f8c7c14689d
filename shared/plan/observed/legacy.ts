import { beforeFirstApply, type Identity } from '../../identity.ts';
import type { FieldsV1, KubeObject, ManagedFieldsEntry } from '../../kubernetes.ts';

export const isOurApply =
  ({ name }: Identity) =>
  ({ manager, operation, subresource }: ManagedFieldsEntry): boolean =>
    manager === name && operation === 'Apply' && subresource === undefined;

/** Matches Update entries that may hold our fields: those from before our first apply, and those of our patches. */
const isLegacy =
  ({ name }: Identity) =>
  ({ manager, operation, subresource }: ManagedFieldsEntry): boolean =>
    operation === 'Update' &&
    subresource === undefined &&
    (manager === beforeFirstApply || manager === name);

/**
 * Removes from legacy entries each field that our Apply entry also names. Otherwise, the field would stay in the object
 * when we stop applying it.
 */
export function consolidated(live: KubeObject, identity: Identity): readonly ManagedFieldsEntry[] {
  const entries = live.metadata.managedFields ?? [];
  const ours = entries.find(isOurApply(identity));
  if (ours === undefined) return entries;
  const isOld = isLegacy(identity);
  return entries.flatMap((entry) => {
    if (!isOld(entry)) return entry;
    const fieldsV1 = without(entry.fieldsV1 ?? {}, ours.fieldsV1 ?? {});
    if (Object.keys(fieldsV1).length === 0) return [];
    return fieldsV1 === entry.fieldsV1 ? entry : { ...entry, fieldsV1 };
  });
}

export function needsConsolidation(live: KubeObject, identity: Identity): boolean {
  const entries = live.metadata.managedFields ?? [];
  const left = consolidated(live, identity);
  return left.length !== entries.length || left.some((entry, at) => entry !== entries[at]);
}

/** Removes the leaves that `taken` names, and containers thus emptied. Returns `fields` itself if nothing changes. */
function without(fields: FieldsV1, taken: FieldsV1): FieldsV1 {
  const left: Record<string, FieldsV1> = {};
  let isSame = true;
  for (const [name, inner] of Object.entries(fields)) {
    const other = Object.hasOwn(taken, name) ? taken[name] : undefined;
    const rest = other === undefined ? inner : remaining(inner, other);
    if (rest !== undefined) left[name] = rest;
    isSame &&= rest === inner;
  }
  return isSame ? fields : left;
}

function remaining(inner: FieldsV1, other: FieldsV1): FieldsV1 | undefined {
  if (Object.keys(other).length === 0) return undefined;
  const rest = without(inner, other);
  return Object.keys(rest).some((field) => field !== '.') ? rest : undefined;
}
