import { canonicalJson, isMap, isZero } from '../../canonical.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { type Entry, type ObservedChild, openEntry } from '../observed/observed.ts';
import { itemPath, join } from '../observed/owned-fields.ts';
import { shortened, shortJson } from '../observed/short-text.ts';
import type { Change } from '../observed/world.ts';
import type { Actor } from './cause.ts';
import { covers, isAddedDefault, isList } from './covers.ts';
import { conceal } from './secrecy.ts';

/** One field that is not as wanted. An absent field is undefined; values of Secrets are masked. */
export interface Difference extends Change {
  /** The manager that took the field from us; undefined if managedFields do not show it (a removed field). */
  readonly writer: Writer | undefined;
}

export interface Writer {
  readonly manager: string;
  /** When the manager last changed the object: an upper bound for its change of this field. */
  readonly time: string | undefined;
  /** The user, if an audit entry names one. */
  readonly actor?: Actor;
}

/** Reports whether the live value is as wanted but not ours, so that only its ownership will change. */
export const isOwnershipOnly = ({ from, to }: Difference): boolean =>
  canonicalJson(from) === canonicalJson(to);

/**
 * The differences between the wanted fields and those that our Apply entry holds.
 *
 * Guarantees: reports a field that another writer changed or removed, because it has left our entry, and a field that
 * we no longer want, because it is still there. Ignores a field that another writer added, because it was never there.
 * Values of Secrets and their digests are masked; other long texts appear as digests.
 * Caveats: `from` is known only if some entry names the field or the field is immutable. An unreadable child has no
 * differences: check for that first.
 */
export function drift(desired: JsonObject, child: ObservedChild): readonly Difference[] {
  if (child.unreadable !== undefined || isAsWanted(desired, child)) return [];
  if (child.ours === undefined && child.others.length === 0) return [managersLost];
  const ours = child.ours && openEntry(child.ours);
  const others = child.others.map((writer) => ({ writer, ...openEntry(writer) }));
  const known: Known = {
    listKeys: Object.assign({}, ...others.map(({ listKeys }) => listKeys), ours?.listKeys),
    leafMaps: ours?.leafMaps ?? [],
    unset: ours?.unset ?? [],
    theirLeafMaps: others.flatMap(({ leafMaps }) => leafMaps),
    fixed: child.fixed,
    quantities: child.type.quantities ?? [],
    differences: [],
  };
  compare({ path: '', desired: shortened(desired), owned: ours?.value, others }, known);
  return known.differences.map((one) => conceal(child.kind, one));
}

/** Reports whether our entry holds exactly the wanted fields, without parsing it. */
export const isAsWanted = (desired: JsonObject, { ours }: ObservedChild): boolean =>
  ours?.values === shortJson(desired);

/** managedFields were cleared, so it is unknown what is ours, and everything is applied again. */
const managersLost: Difference = {
  path: 'metadata.managedFields',
  from: undefined,
  to: undefined,
  writer: undefined,
};

/** One field or item of the object: wanted, held by us, and held by other managers. */
interface Node {
  readonly path: string;
  readonly desired: Json | undefined;
  readonly owned: Json | undefined;
  readonly others: readonly { readonly writer: Entry; readonly value: Json | undefined }[];
}

interface Known {
  readonly listKeys: Readonly<Record<string, readonly string[]>>;
  readonly leafMaps: readonly string[];
  readonly unset: readonly string[];
  /** Maps that other managers own atomically. */
  readonly theirLeafMaps: readonly string[];
  /** Live values, by path. */
  readonly fixed: JsonObject;
  readonly quantities: readonly string[];
  readonly differences: Difference[];
}

function compare(node: Node, known: Known): void {
  const { path, desired, owned, others } = node;
  const held = [owned, ...others.map(({ value }) => value)];
  const keys = known.listKeys[path];
  if (owned === undefined && !isZero(desired) && known.theirLeafMaps.includes(path)) {
    report(node, known);
  } else if (isMap(desired) && held.some(isMap)) {
    // Our entry names an empty wanted map as a whole, but we only set its existence.
    if (Object.keys(desired).length === 0 && known.leafMaps.includes(path)) return;
    descend(node, known, (value) => (isMap(value) ? value : {}), join);
  } else if (isList(desired) && keys !== undefined && keys.length > 0 && held.some(isList)) {
    descend(node, known, byKey(keys), (_, item) => item);
  } else if (!holds(owned, node, known)) {
    if (desired === undefined && isAddedDefault(path, owned)) return;
    report(node, known);
  }

  function byKey(names: readonly string[]) {
    return (value: Json | undefined): JsonObject =>
      isList(value)
        ? Object.fromEntries(value.map((item) => [itemPath(path, names, item as JsonObject), item]))
        : {};
  }
}

function descend(
  { path, desired, owned, others }: Node,
  known: Known,
  open: (value: Json | undefined) => JsonObject,
  name: (path: string, field: string) => string,
): void {
  const wanted = open(desired);
  const held = open(owned);
  const theirs = others.map(({ writer, value }) => ({ writer, fields: open(value) }));
  for (const field of new Set([...Object.keys(wanted), ...Object.keys(held)])) {
    const inner = {
      path: name(path, field),
      desired: wanted[field],
      owned: held[field],
      others: theirs.flatMap(({ writer, fields }) =>
        fields[field] === undefined ? [] : [{ writer, value: fields[field] }],
      ),
    };
    compare(inner, known);
  }
}

function report(node: Node, known: Known): void {
  const { path, desired, owned, others } = node;
  const taker = owned === undefined ? others.toSorted(latestFirst)[0] : undefined;
  const live = owned ?? taker?.value ?? shortened(known.fixed[path]);
  // Equal in another notation or with defaults: only ownership changes, and nothing immutable differs.
  const from = holds(live, node, known) ? desired : live;
  // The server drops zero values, but managedFields still name the ones that were sent.
  const mayBeDropped =
    typeof desired === 'object' || (known.unset.includes(path) && isDroppedAtZero(path, desired));
  if (from === undefined && isZero(desired) && mayBeDropped) return;
  const writer = taker && { manager: taker.writer.manager, time: taker.writer.time };
  known.differences.push({ path, from, to: desired, writer });
}

/**
 * Reports whether the server may have dropped the value. It keeps `false` if absence means something else: restoring
 * our entry in managedFields must not hide that `automountServiceAccountToken: false` was removed.
 */
const isDroppedAtZero = (path: string, value: Json | undefined): boolean =>
  value !== false || droppedFalse.has(path.slice(path.lastIndexOf('.') + 1));

/** Boolean fields that Kubernetes declares without a pointer, by its sources. */
const droppedFalse: ReadonlySet<string> = new Set([
  'hostIPC',
  'hostNetwork',
  'hostPID',
  'paused',
  'publishNotReadyAddresses',
  'readOnly',
  'stdin',
  'stdinOnce',
  'tty',
  'chapAuthDiscovery',
  'chapAuthSession',
  'sslEnabled',
]);

const latestFirst = (a: Node['others'][number], b: Node['others'][number]): number =>
  (b.writer.time ?? '').localeCompare(a.writer.time ?? '');

function holds(held: Json | undefined, { path, desired }: Node, known: Known): boolean {
  const keys = known.listKeys[path];
  const { quantities } = known;
  return covers(inOrder(held, keys), inOrder(desired, keys), { path, quantities });
}

/** Sorts a set (a list merged by value, with no `keys`), because its order does not count. */
const inOrder = (value: Json | undefined, keys: readonly string[] | undefined): Json | undefined =>
  keys?.length === 0 && isList(value)
    ? value.toSorted((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1))
    : value;
