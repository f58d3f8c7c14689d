import { isMap, isSameJson } from '../../canonical.ts';
import { type ChangedField, isWithin } from '../../kinds/impact.ts';
import { saltAnnotation } from '../../kinds/names.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { type Entry, type ObservedChild, openEntry } from '../observed/observed.ts';
import { itemPath, join } from '../observed/owned-fields.ts';
import { conceal, secretChanged } from './secrecy.ts';

/** A field that an apply changes; an absent value is undefined. Values of Secrets are masked. */
export interface Difference extends ChangedField {
  /** The other manager that set the field; undefined if managedFields name none, as for a removed field. */
  readonly writer: Writer | undefined;
}

export interface Writer {
  readonly manager: string;
  /** When `manager` last changed the object. Its change to the differing field may be older. */
  readonly time: string | undefined;
  readonly actor?: Actor;
}

/** The sender of a request, according to an audit entry. */
export interface Actor {
  /** The user name, on one line and truncated to 128 characters. */
  readonly user: string;
  readonly agent: string | undefined;
  /** When the server received the request (RFC 3339). */
  readonly time: string;
}

export const isOwnershipOnly = ({ from, to }: Difference): boolean => isSameJson(from, to);

/**
 * Returns the differences between a child and the response to an apply, or to its dry run.
 *
 * Guarantees: shows every managed field whose value, order or owner changes. Values of Secrets and their digests are
 * masked; other long strings appear as digests.
 * Caveats: if no manager owns the live value, as for a default or for replicas scaled to zero, `from` is undefined.
 * But an apply that keeps the generation changes values only in metadata, so for all other fields `from` equals `to`.
 */
export function differencesBetween(
  before: ObservedChild,
  after: ObservedChild,
): readonly Difference[] {
  // Reports managedFields as the difference, because without them it is unknown which fields are ours.
  if (before.ours === undefined && before.others.length === 0)
    return [{ path: 'metadata.managedFields', from: undefined, to: undefined, writer: undefined }];
  const all = [...heldIn(before, true), ...heldIn(after, false)];
  const listKeys: ListKeys = Object.assign({}, ...all.map((one) => one.listKeys));
  const isSame = before.uid === after.uid && before.generation === after.generation;
  const keepsSpec = isSame && before.generation !== undefined;
  const found = compare('', all, listKeys).map((one) => {
    const isUnchanged = keepsSpec && one.from === undefined && !isWithin(one.path, 'metadata');
    return conceal(before.kind, isUnchanged ? { ...one, from: one.to } : one);
  });
  return before.lacksSalt && !after.lacksSalt ? [...found, saltRestored] : found;
}

const saltRestored: Difference = {
  path: `metadata.annotations.${saltAnnotation}`,
  from: undefined,
  to: secretChanged,
  writer: undefined,
};

type ListKeys = Readonly<Record<string, readonly string[]>>;

/** The value of one manager's fields at a path, before or after the apply. */
interface Held {
  readonly value: Json | undefined;
  readonly isBefore: boolean;
  /** Paths of the maps that the manager owns as a whole. */
  readonly leafMaps: readonly string[];
  /** Undefined for our own entry. */
  readonly writer: Entry | undefined;
}

function heldIn({ ours, others }: ObservedChild, isBefore: boolean) {
  const open = (entry: Entry, writer?: Entry) => ({ isBefore, writer, ...openEntry(entry) });
  return [...(ours ? [open(ours)] : []), ...others.map((one) => open(one, one))];
}

function compare(path: string, held: readonly Held[], listKeys: ListKeys): readonly Difference[] {
  const keys = listKeys[path] ?? [];
  const isInBoth = held.some(({ isBefore }) => isBefore) && held.some((one) => !one.isBefore);
  const parts = held.map((one) => ({ ...one, fields: fieldsOf(one.value, path, keys) }));
  const names = new Set(parts.flatMap(({ fields }) => [...(fields?.keys() ?? [])]));
  const isContainer = names.size > 0 && parts.every(({ fields }) => fields !== undefined);
  const wasOurs = held.some((one) => one.isBefore && isOurs(one));
  const isWhole = !wasOurs && held.some((one) => isAtomic(one, path));
  if (!isInBoth || !isContainer || isWhole) return differenceOf(path, held);
  const inner = [...names].toSorted().flatMap((name) => {
    const below = parts.flatMap(({ fields, ...one }) =>
      fields?.has(name) ? [{ ...one, value: fields.get(name) }] : [],
    );
    return compare(name, below, listKeys);
  });
  return keys.length > 0 ? [...inner, ...differenceOfOrder(path, parts)] : inner;
}

const isAtomic = ({ value, leafMaps, writer }: Held, path: string): boolean =>
  leafMaps.includes(path) && isMap(value) && (!writer || Object.keys(value).length > 0);

/** Returns, by path, the fields of a map or the items of a list merged by key; undefined for other values. */
function fieldsOf(
  value: Json | undefined,
  path: string,
  keys: readonly string[],
): ReadonlyMap<string, Json | undefined> | undefined {
  if (isMap(value))
    return new Map(Object.entries(value).map(([name, inner]) => [join(path, name), inner]));
  return keys.length > 0 && Array.isArray(value) && value.every(isMap)
    ? new Map(value.map((item: JsonObject) => [itemPath(path, keys, item), item]))
    : undefined;
}

function differenceOf(path: string, held: readonly Held[]): readonly Difference[] {
  const before = held.filter(({ isBefore }) => isBefore);
  const after = held.filter((one) => !one.isBefore);
  const [from, to] = [liveValue(before), liveValue(after)];
  const wasOurs = before.some(isOurs);
  if (wasOurs === after.some(isOurs) && isSameJson(from, to)) return [];
  return [{ path, from, to, writer: wasOurs ? undefined : latestOf(before) }];
}

const isOurs = ({ writer }: Held): boolean => writer === undefined;

const latestOf = (held: readonly Held[]): Writer | undefined =>
  held
    .flatMap(({ writer }) => (writer ? { manager: writer.manager, time: writer.time } : []))
    .toSorted((a, b) => (b.time ?? '').localeCompare(a.time ?? ''))[0];

function liveValue(held: readonly Held[]): Json | undefined {
  const ours = held.find(isOurs);
  const values = held.map(({ value }) => value);
  if (values.length > 0 && values.every(isMap)) return Object.assign({}, ...values, ours?.value);
  return (ours ?? held[0])?.value;
}

/** Shows each item as its key, such as `[name="a"]`. */
function differenceOfOrder(
  path: string,
  parts: readonly (Held & { readonly fields: ReadonlyMap<string, unknown> | undefined })[],
): readonly Difference[] {
  const itemsOf = (side: boolean): readonly string[] => [
    ...(parts.find((one) => isOurs(one) && one.isBefore === side)?.fields?.keys() ?? []),
  ];
  const [before, after] = [itemsOf(true), itemsOf(false)];
  const shared = before.filter((item) => after.includes(item));
  const [from, to] = [shared, after.filter((item) => shared.includes(item))].map((items) =>
    items.map((item) => item.slice(path.length)),
  );
  const isSame = isSameJson(from, to);
  return isSame ? [] : [{ path, from, to, writer: undefined }];
}

/** Masks values of a Secret. */
export const newFields = (
  kind: string,
  fields: JsonObject,
  generates: readonly string[] = [],
): readonly Difference[] => [
  ...leaves('', fields).map(([path, to]) =>
    conceal(kind, { path, from: undefined, to, writer: undefined }),
  ),
  ...generatedFields(generates, { kind, facts: {} }),
];

/** Masks all values. */
export const generatedFields = (
  generates: readonly string[],
  { kind, facts: { keys } }: Pick<ObservedChild, 'kind' | 'facts'>,
): readonly Difference[] =>
  generates.map((key) => {
    const from = Array.isArray(keys) && keys.includes(key) ? 'before' : undefined;
    return conceal(kind, { path: join('data', key), from, to: 'after', writer: undefined });
  });

type Leaf = readonly [path: string, value: Json];

function leaves(path: string, value: Json | undefined): readonly Leaf[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((item, at) => leaves(`${path}[${indexOf(item, at)}]`, item));
  if (isMap(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([field, inner]) => leaves(join(path, field), inner));
  return [[path, value]];
}

const indexOf = (item: Json, at: number): string =>
  isMap(item) && typeof item.name === 'string' ? `name=${JSON.stringify(item.name)}` : `${at}`;
