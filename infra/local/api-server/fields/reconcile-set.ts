import { stackSafe } from '../json/stack-safe.ts';
import { type FieldSet, isEmpty, isMember, leaf, nodeOf, noFields } from './field-set.ts';
import type { ManagedEntry, Managers } from './managers.ts';
import type { MergeType } from './merge-type.ts';
import type { PathElement } from './path-element.ts';
import { childType } from './remove.ts';

/** Adapts the managers' sets to the present schema: a value that has become atomic is one field. */
export function reconcileSets(managers: Managers, type: MergeType): Managers {
  let changed: Map<string, ManagedEntry> | undefined;
  for (const [id, entry] of managers) {
    const fieldsV1 = reconcileSet(entry.fieldsV1, type);
    if (fieldsV1 === entry.fieldsV1) continue;
    changed ??= new Map(managers);
    changed.set(id, { ...entry, fieldsV1 });
  }
  return changed ?? managers;
}

function reconcileSet(set: FieldSet, type: MergeType): FieldSet {
  let result: Record<PathElement, FieldSet> | undefined;
  for (const element in set) {
    const node = set[element] ?? leaf;
    const child = isEmpty(node) ? undefined : childType(type, element);
    if (child === undefined) continue;
    const reconciled = reconcileNode(node, child);
    if (reconciled === node) continue;
    result ??= { ...set };
    result[element] = reconciled;
  }
  return result ?? set;
}

/** A node that has children. */
const reconcileNode = stackSafe((node: FieldSet, type: MergeType): FieldSet => {
  if (isUntyped(type)) return node;
  const isList = type.map === undefined && type.scalar === undefined;
  const isAtomic = isList ? type.list?.atomic : type.map?.atomic;
  if (isAtomic === true) return leaf;
  const children = reconcileSet(node, type);
  return children === node ? node : (nodeOf(isMember(node), children) ?? noFields);
}, noFields);

// The server does not change values without a type.
function isUntyped({ map }: MergeType): boolean {
  return map !== undefined && map.fields.size === 0 && map.element?.scalar === 'untyped';
}
