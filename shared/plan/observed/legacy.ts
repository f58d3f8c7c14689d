import { beforeFirstApply, type Identity } from '../../identity.ts';
import type { FieldsV1, KubeObject, ManagedFieldsEntry } from '../../kubernetes.ts';
import { type Meter, openMeter, requireShallow } from './unreadable.ts';

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
 * Returns the managedFields, legacy entries without the fields that our Apply entry also names. Otherwise, a field
 * would stay in the object when we stop applying it.
 */
export function consolidated(live: KubeObject, identity: Identity): readonly ManagedFieldsEntry[] {
  const entries = live.metadata.managedFields ?? [];
  const ours = entries.find(isOurApply(identity));
  if (ours === undefined) return entries;
  const isOld = isLegacy(identity);
  return entries.flatMap((entry) => {
    if (!isOld(entry)) return entry;
    const fieldsV1 = without(entry.fieldsV1 ?? {}, ours.fieldsV1 ?? {}, openMeter());
    if (Object.keys(fieldsV1).length === 0) return [];
    return fieldsV1 === entry.fieldsV1 ? entry : { ...entry, fieldsV1 };
  });
}

/**
 * Reports whether legacy entries name fields of our Apply entry. Throws if the entries that remain after
 * consolidation are nested too deeply to send.
 */
export function needsConsolidation(live: KubeObject, identity: Identity): boolean {
  const entries = live.metadata.managedFields ?? [];
  if (!entries.some(isLegacy(identity))) return false;
  const left = consolidated(live, identity);
  const isSame = left.length === entries.length && left.every((entry, at) => entry === entries[at]);
  if (!isSame) for (const { fieldsV1 } of left) requireShallow(fieldsV1);
  return !isSame;
}

/** Removes the leaves that `taken` names, and containers thus emptied. Returns `fields` itself if nothing changes. */
function without(fields: FieldsV1, taken: FieldsV1, meter: Meter): FieldsV1 {
  const left: Record<string, FieldsV1> = {};
  let isSame = true;
  meter.enter();
  for (const [name, inner] of Object.entries(fields)) {
    const other = Object.hasOwn(taken, name) ? taken[name] : undefined;
    const rest = other === undefined ? inner : remaining(inner, other, meter);
    if (rest !== undefined) left[name] = rest;
    isSame &&= rest === inner;
  }
  meter.leave();
  return isSame ? fields : left;
}

function remaining(inner: FieldsV1, other: FieldsV1, meter: Meter): FieldsV1 | undefined {
  if (Object.keys(other).length === 0) return undefined;
  const rest = without(inner, other, meter);
  return Object.keys(rest).some((field) => field !== '.') ? rest : undefined;
}
