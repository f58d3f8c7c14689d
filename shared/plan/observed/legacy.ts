import { beforeFirstApply, type Identity } from '../../identity.ts';
import type { FieldsV1, KubeObject, ManagedFieldsEntry } from '../../kubernetes.ts';

export const isOurApply =
  ({ name }: Identity) =>
  ({ manager, operation, subresource }: ManagedFieldsEntry): boolean =>
    manager === name && operation === 'Apply' && subresource === undefined;

/** An Update entry may hold fields of ours from before our first apply, or from our patches. */
const isLegacy =
  ({ name }: Identity) =>
  ({ manager, operation, subresource }: ManagedFieldsEntry): boolean =>
    operation === 'Update' &&
    subresource === undefined &&
    (manager === beforeFirstApply || manager === name);

/** Removes our applied fields from legacy entries: otherwise they would stay when we stop applying them. */
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

/** Returns `fields` itself if nothing changes. */
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
