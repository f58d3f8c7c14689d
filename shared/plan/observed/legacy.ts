import { isSameJson } from '../../canonical.ts';
import { beforeFirstApply, type Identity } from '../../identity.ts';
import type { FieldsV1, KubeObject, ManagedFieldsEntry } from '../../kubernetes.ts';

export const isOurApply =
  ({ name }: Identity) =>
  ({ manager, operation, subresource }: ManagedFieldsEntry): boolean =>
    manager === name && operation === 'Apply' && subresource === undefined;

/** Removes our applied fields from legacy entries: otherwise they would stay when we stop applying them. */
export function consolidated(live: KubeObject, identity: Identity): readonly ManagedFieldsEntry[] {
  const entries = live.metadata.managedFields ?? [];
  const ours = entries.find(isOurApply(identity));
  if (ours === undefined) return entries;
  // These managers' Update entries may hold our fields from before our first apply, or from our patches.
  const legacyManagers: readonly (string | undefined)[] = [beforeFirstApply, identity.name];
  return entries.flatMap((entry) => {
    const { manager, operation, subresource } = entry;
    const isUpdate = operation === 'Update' && subresource === undefined;
    if (!isUpdate || !legacyManagers.includes(manager)) return entry;
    const fieldsV1 = without(entry.fieldsV1 ?? {}, ours.fieldsV1 ?? {});
    if (Object.keys(fieldsV1).length === 0) return [];
    return isSameJson(fieldsV1, entry.fieldsV1) ? entry : { ...entry, fieldsV1 };
  });
}

export function needsConsolidation(live: KubeObject, identity: Identity): boolean {
  const left = consolidated(live, identity);
  return live.metadata.managedFields?.some((entry) => !left.includes(entry)) === true;
}

function without(fields: FieldsV1, taken: FieldsV1): FieldsV1 {
  const left = Object.entries(fields).flatMap(([name, inner]) => {
    const other = Object.hasOwn(taken, name) ? taken[name] : undefined;
    if (other === undefined) return [[name, inner] as const];
    const rest = Object.keys(other).length === 0 ? {} : without(inner, other);
    return Object.keys(rest).some((field) => field !== '.') ? [[name, rest] as const] : [];
  });
  return Object.fromEntries(left);
}
