import { canonicalJson, isMap } from '../../canonical.ts';
import type { Identity } from '../../identity.ts';
import { present } from '../../json.ts';
import type {
  FieldsV1,
  Json,
  JsonObject,
  KubeObject,
  ManagedFieldsEntry,
} from '../../kubernetes.ts';
import { isOurApply } from '../observed/legacy.ts';
import { itemPath, join, openParseContext, ownedFields } from '../observed/owned-fields.ts';
import { type Place, patchBetween, withValueAt } from './json-patch.ts';
import { isItem } from './untangle.ts';

/** A field that earlier wanted fields left behind in a child. */
export interface Leftover {
  readonly place: Place;
  /** As in differences: `spec.ports[port=80,protocol="TCP"].nodePort`. */
  readonly path: string;
}

/** A child as an apply leaves it, and new objects of the fields that it had before and of those that it has then. */
export interface Upgrade {
  readonly upgraded: KubeObject;
  readonly older: KubeObject;
  readonly newer: KubeObject;
}

/** The fields that nobody holds and that a new object of the older fields has as well, but not one of the newer. */
export function leftoversIn(upgrade: Upgrade, identity: Identity): readonly Leftover[] {
  const entries = (upgrade.upgraded.metadata.managedFields ?? []).filter(
    ({ subresource }) => subresource !== 'status',
  );
  const ours = entries.filter(isOurs(identity));
  const names = {
    ours: namesIn(ours),
    others: namesIn(entries.filter((entry) => !ours.includes(entry))),
  };
  const { upgraded, older, newer } = upgrade;
  const values = { upgraded: bodyOf(upgraded), older: bodyOf(older), newer: bodyOf(newer) };
  return leftoversAt({ place: [], path: '', values, names });
}

/** Reports whether the object has a field that no manager holds, so that something may be left behind. */
export const hasUnheld = (upgraded: KubeObject, identity: Identity): boolean => {
  const { apiVersion, kind, metadata } = upgraded;
  const newer = { apiVersion, kind, metadata };
  return leftoversIn({ upgraded, older: upgraded, newer }, identity).length > 0;
};

/** The fields that our Apply entry names, with their values in full. */
export function fieldsHeld(live: KubeObject, identity: Identity): JsonObject | undefined {
  const ours = (live.metadata.managedFields ?? []).find(isOurApply(identity));
  const context = { ...openParseContext(), write: (text: string) => text };
  return ours && (ownedFields(ours.fieldsV1, live, { context }).value as JsonObject | undefined);
}

/** The JSON patch that turns the live child into the upgraded one, without leftovers; values that we hand over stay. */
export function patchWithout(
  leftovers: readonly Leftover[],
  { live, upgraded, handOver }: Cleared,
): readonly JsonObject[] {
  const { labels, annotations, ownerReferences } = upgraded.metadata;
  const metadata = { ...live.metadata, ...{ labels, annotations, ownerReferences } };
  const cleared = leftovers.reduce<Json>(
    (object, { place }) => withValueAt(object, place, undefined),
    bodyOf(upgraded),
  );
  const before = { ...bodyOf(live), metadata: live.metadata as unknown as Json };
  const after = { ...over(cleared, handOver), metadata: present(metadata) as unknown as Json };
  return patchBetween(before, after);
}

interface Cleared {
  readonly live: KubeObject;
  readonly upgraded: KubeObject;
  readonly handOver: JsonObject | undefined;
}

const over = (object: Json | undefined, values: JsonObject = {}): JsonObject => ({
  ...(isMap(object) ? object : {}),
  ...Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      isMap(value) ? over(isMap(object) ? object[name] : undefined, value) : value,
    ]),
  ),
});

const bodyOf = ({
  apiVersion: _,
  kind: __,
  metadata: ___,
  status: ____,
  ...body
}: KubeObject & JsonObject): JsonObject => body;

const isOurs =
  (identity: Identity) =>
  (entry: ManagedFieldsEntry): boolean =>
    isOurApply(identity)(entry) ||
    (entry.manager === identity.name && entry.operation === 'Update');

const namesIn = (entries: readonly ManagedFieldsEntry[]): readonly FieldsV1[] =>
  entries.flatMap(({ fieldsV1 }) => fieldsV1 ?? []);

type Values = Readonly<Record<'upgraded' | 'older' | 'newer', Json | undefined>>;
type Names = Readonly<Record<'ours' | 'others', readonly FieldsV1[]>>;

interface Node extends Leftover {
  readonly values: Values;
  readonly names: Names;
}

function leftoversAt(node: Node): readonly Leftover[] {
  const { upgraded } = node.values;
  return Array.isArray(upgraded) ? inItems(node, upgraded) : inFields(node, upgraded);
}

function inFields({ place, path, values, names }: Node, upgraded: Json | undefined) {
  if (!isMap(upgraded)) return [];
  return Object.keys(upgraded).flatMap((field) => {
    const at = (value: Json | undefined): Json | undefined =>
      isMap(value) ? value[field] : undefined;
    const inner: Node = {
      place: [...place, field],
      path: join(path, field),
      values: mapped(values, at),
      names: mapped(names, (held) =>
        held.flatMap((one) => (one[`f:${field}`] as FieldsV1 | undefined) ?? []),
      ),
    };
    return fieldLeft(inner);
  });
}

function fieldLeft(node: Node): readonly Leftover[] {
  const {
    place,
    path,
    values: { upgraded, older, newer },
    names,
  } = node;
  if (isSame(upgraded, newer)) return [];
  const held = [...names.ours, ...names.others];
  // Descends into a map that nobody holds only to name as little as possible.
  if (held.length > 0 ? held.some(hasInner) : isMap(upgraded) && isMap(newer))
    return leftoversAt(node);
  return held.length === 0 && isSame(upgraded, older) ? [{ place, path }] : [];
}

/** Looks only into items that we hold. */
function inItems(
  { place, path, values, names }: Node,
  upgraded: readonly Json[],
): readonly Leftover[] {
  const keys = new Set(
    names.ours.flatMap((one) => Object.keys(one)).filter((name) => name.startsWith('k:')),
  );
  return [...keys].flatMap((name) => {
    const index = upgraded.findIndex((item) => isItem(name, item));
    if (index === -1) return [];
    const key = JSON.parse(name.slice(2)) as JsonObject;
    const item = (list: Json | undefined): Json | undefined =>
      Array.isArray(list) ? list.find((one: Json) => isItem(name, one)) : undefined;
    return leftoversAt({
      place: [...place, index],
      path: itemPath(path, Object.keys(key), key),
      values: mapped(values, item),
      names: mapped(names, (held) =>
        held.flatMap((one) => (one[name] as FieldsV1 | undefined) ?? []),
      ),
    });
  });
}

const mapped = <Key extends string, Value>(
  all: Readonly<Record<Key, Value>>,
  to: (value: Value) => Value,
): Readonly<Record<Key, Value>> =>
  Object.fromEntries(Object.entries<Value>(all).map(([key, value]) => [key, to(value)])) as Record<
    Key,
    Value
  >;

const hasInner = (names: FieldsV1): boolean => Object.keys(names).some((name) => name !== '.');

const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  canonicalJson(one) === canonicalJson(other);
