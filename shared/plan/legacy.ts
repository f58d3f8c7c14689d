import { fieldManager } from '../kinds/names.ts';
import type { FieldsV1, KubeObject, ManagedFieldsEntry } from '../kubernetes.ts';
import { type Meter, openMeter, requireShallow } from './unreadable.ts';

export const isOurApply = ({ manager, operation, subresource }: ManagedFieldsEntry): boolean =>
  manager === fieldManager && operation === 'Apply' && subresource === undefined;

/** An entry that holds fields on our behalf, from before our first apply. */
export const isLegacy = ({ manager, operation, subresource }: ManagedFieldsEntry): boolean =>
  operation === 'Update' &&
  subresource === undefined &&
  (manager === 'before-first-apply' || manager === fieldManager);

/**
 * managedFields after old entries (before-first-apply, operation Update of our manager) have lost
 * the fields that our Apply entry names; otherwise a field we later drop would stay.
 * An entry that loses nothing is returned unchanged.
 */
export function consolidated(live: KubeObject): readonly ManagedFieldsEntry[] {
  const entries = live.metadata.managedFields ?? [];
  const ours = entries.find(isOurApply);
  if (ours === undefined) return entries;
  return entries.flatMap((entry) => {
    if (!isLegacy(entry)) return [entry];
    const fieldsV1 = without(entry.fieldsV1 ?? {}, ours.fieldsV1 ?? {}, openMeter());
    if (Object.keys(fieldsV1).length === 0) return [];
    return fieldsV1 === entry.fieldsV1 ? [entry] : [{ ...entry, fieldsV1 }];
  });
}

/**
 * Old entries hold something that our Apply entry names. An UnreadableError where they do, and
 * managedFields are nested too deep to be sent back.
 */
export function overlapsLegacy(live: KubeObject): boolean {
  const entries = live.metadata.managedFields ?? [];
  if (!entries.some(isLegacy)) return false;
  const left = consolidated(live);
  const isSame = left.length === entries.length && left.every((entry, at) => entry === entries[at]);
  if (!isSame) for (const { fieldsV1 } of left) requireShallow(fieldsV1);
  return !isSame;
}

/**
 * `fields` less every leaf that `taken` names; a container left empty goes too.
 * The same value where nothing is taken.
 */
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
  if (Object.keys(inner).length === 0 || Object.keys(other).length === 0) return undefined;
  const rest = without(inner, other, meter);
  return Object.keys(rest).some((field) => field !== '.') ? rest : undefined;
}
