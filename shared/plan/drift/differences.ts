import { canonicalJson, isMap } from '../../canonical.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { type Entry, type ObservedChild, openEntry } from '../observed/observed.ts';
import { itemPath, join } from '../observed/owned-fields.ts';
import type { Actor } from './cause.ts';
import { conceal } from './secrecy.ts';

/** One field that an apply changes; an absent value is undefined. Values of Secrets are masked. */
export interface Difference {
  readonly path: string;
  readonly from: Json | undefined;
  readonly to: Json | undefined;
  /** The manager that changed the field; undefined if managedFields do not show it, as for a removed field. */
  readonly writer: Writer | undefined;
}

export interface Writer {
  readonly manager: string;
  /** When this manager last changed the object; its change of this field may be older. */
  readonly time: string | undefined;
  /** The user who changed it, if an audit entry names one. */
  readonly actor?: Actor;
}

/** Reports whether only the ownership of the field changes, not its value. */
export const isOwnershipOnly = ({ from, to }: Difference): boolean =>
  canonicalJson(from) === canonicalJson(to);

/**
 * Compares a child with the server's answer to an apply, or to its dry run.
 *
 * Guarantees: shows every managed field whose value, order or owner changes. Values of Secrets and their digests are
 * masked; other long texts appear as digests.
 * Caveats: `from` is undefined for a live value that no manager holds, such as a default.
 */
export function differencesBetween(
  before: ObservedChild,
  after: ObservedChild,
): readonly Difference[] {
  if (before.ours === undefined && before.others.length === 0) return [managersLost];
  const all = [heldIn(before, true), heldIn(after, false)].flat();
  const listKeys = Object.assign({}, ...all.map((one) => one.listKeys));
  const differences: Difference[] = [];
  compare({ path: '', held: all }, { listKeys, differences });
  return differences.map((one) => conceal(before.kind, one));
}

/** Stands for all fields: without managedFields nothing shows which are ours, so everything is applied again. */
const managersLost: Difference = {
  path: 'metadata.managedFields',
  from: undefined,
  to: undefined,
  writer: undefined,
};

/** The value of one manager at a path. */
interface Held {
  readonly value: Json | undefined;
  readonly isBefore: boolean;
  /** Paths of the maps that the manager holds as a whole. */
  readonly leafMaps: readonly string[];
  /** The manager; undefined for our own entry. */
  readonly writer: Entry | undefined;
}

function heldIn({ ours, others }: ObservedChild, isBefore: boolean) {
  const open = (entry: Entry, writer?: Entry) => ({ isBefore, writer, ...openEntry(entry) });
  return [...(ours ? [open(ours)] : []), ...others.map((one) => open(one, one))];
}

interface Node {
  readonly path: string;
  /** Without undefined values; our own entry comes first. */
  readonly held: readonly Held[];
}

interface Context {
  readonly listKeys: Readonly<Record<string, readonly string[]>>;
  readonly differences: Difference[];
}

function compare({ path, held }: Node, context: Context): void {
  const keys = context.listKeys[path] ?? [];
  const isInBoth = held.some(({ isBefore }) => isBefore) && held.some((one) => !one.isBefore);
  const parts = held.map((one) => ({ ...one, fields: fieldsOf(one.value, path, keys) }));
  const names = new Set(parts.flatMap(({ fields }) => [...(fields?.keys() ?? [])]));
  const isOpen = names.size > 0 && parts.every(({ fields }) => fields !== undefined);
  const wasOurs = held.some((one) => one.isBefore && isOurs(one));
  const isContainer = isOpen && (wasOurs || !held.some((one) => isAtomic(one, path)));
  if (!isInBoth || !isContainer) {
    report({ path, held }, context);
    return;
  }
  for (const name of [...names].toSorted()) {
    const inner = parts.flatMap(({ fields, ...one }) =>
      fields?.has(name) ? [{ ...one, value: fields.get(name) }] : [],
    );
    compare({ path: name, held: inner }, context);
  }
  if (keys.length > 0) compareOrder(path, parts, context);
}

/** Reports whether a manager holds a non-empty map as a whole. */
const isAtomic = ({ value, leafMaps }: Held, path: string): boolean =>
  isMap(value) && Object.keys(value).length > 0 && leafMaps.includes(path);

/** Returns the fields of a map, or the items of a list merged by key, by path. */
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

function report({ path, held }: Node, { differences }: Context): void {
  const before = held.filter(({ isBefore }) => isBefore);
  const after = held.filter((one) => !one.isBefore);
  const [from, to] = [liveValue(before), liveValue(after)];
  const wasOurs = before.some(isOurs);
  if (wasOurs === after.some(isOurs) && canonicalJson(from) === canonicalJson(to)) return;
  const writer = wasOurs ? undefined : latestOf(before);
  differences.push({ path, from, to, writer });
}

const isOurs = ({ writer }: Held): boolean => writer === undefined;

const latestOf = (held: readonly Held[]): Writer | undefined => {
  const [last] = held
    .flatMap(({ writer }) => writer ?? [])
    .toSorted((a, b) => (b.time ?? '').localeCompare(a.time ?? ''));
  return last && { manager: last.manager, time: last.time };
};

/** Returns the value in our entry; otherwise the values of the other managers, merged. */
function liveValue(held: readonly Held[]): Json | undefined {
  const ours = held.find(isOurs);
  if (ours !== undefined) return ours.value;
  const values = held.map(({ value }) => value);
  return values.every(isMap) && values.length > 0 ? Object.assign({}, ...values) : values[0];
}

interface Part extends Held {
  readonly fields: ReadonlyMap<string, Json | undefined> | undefined;
}

/** Reports the items that we hold, by key, before and after the apply, such as `[name="a"]`. */
function compareOrder(path: string, parts: readonly Part[], { differences }: Context): void {
  const itemsOf = (side: boolean): ReadonlySet<string> =>
    new Set(parts.find((one) => isOurs(one) && one.isBefore === side)?.fields?.keys());
  const [before, after] = [itemsOf(true), itemsOf(false)];
  const shared = (items: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] =>
    [...items].filter((item) => others.has(item)).map((item) => item.slice(path.length));
  const [from, to] = [shared(before, after), shared(after, before)];
  if (canonicalJson(from) !== canonicalJson(to))
    differences.push({ path, from, to, writer: undefined });
}
