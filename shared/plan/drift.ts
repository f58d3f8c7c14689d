import { canonicalJson, isMap, isZero } from '../canonical.ts';
import { typeOf } from '../kinds/child-types.ts';
import type { Json, JsonObject } from '../kubernetes.ts';
import type { Actor } from './cause.ts';
import { covers, isList } from './covers.ts';
import { type Entry, type ObservedChild, openEntry } from './observed.ts';
import { itemPath, join } from './owned-fields.ts';
import { conceal } from './secrecy.ts';
import { shortened, shortJson } from './short-text.ts';

/** One field that is not as wanted; an undefined value is an absent field, a secret one is masked. */
export interface Difference {
  readonly path: string;
  readonly from: Json | undefined;
  readonly to: Json | undefined;
  /** Who took the field from us; undefined where managedFields name no manager, as for a removal. */
  readonly writer: Writer | undefined;
}

export interface Writer {
  readonly manager: string;
  /** The manager's last change of any field of this object: its change of this one is not later. */
  readonly time: string | undefined;
  /** The user, where an audit entry names one. */
  readonly actor?: Actor;
}

/** The live value is right but no longer ours: only ownership changes. */
export const isOwnershipOnly = ({ from, to }: Difference): boolean =>
  canonicalJson(from) === canonicalJson(to);

/**
 * What differs between the wanted fields and those our Apply entry holds.
 *
 * Guarantees: a field somebody changed or removed has left our entry, so it is drift; a field we no
 * longer want is still in it, so it is drift; what others added is not in it, so it is none.
 * Values of Secrets and digests of them do not show; of other long texts, their digests.
 * Caveats: `from` is known only where some entry names the field, or where the field is
 * immutable. An unreadable child shows no differences: check for that first.
 */
export function drift(desired: JsonObject, child: ObservedChild): readonly Difference[] {
  if (child.unreadable !== undefined) return [];
  if (child.ours?.values === shortJson(desired)) return [];
  if (child.ours === undefined && child.others.length === 0) return [managersLost];
  const ours = child.ours && openEntry(child.ours);
  const others = child.others.map((writer) => ({ writer, ...openEntry(writer) }));
  const known: Known = {
    listKeys: Object.assign({}, ...others.map(({ listKeys }) => listKeys), ours?.listKeys),
    leafMaps: ours?.leafMaps ?? [],
    unset: ours?.unset ?? [],
    takenWhole: others.flatMap(({ leafMaps }) => leafMaps),
    fixed: child.fixed,
    quantities: typeOf(child)?.quantities ?? [],
    differences: [],
  };
  compare({ path: '', desired: shortened(desired), owned: ours?.value, others }, known);
  return known.differences.map((one) => conceal(child.kind, one));
}

/** Somebody cleared managedFields: what is ours is unknown, so everything is applied again. */
const managersLost: Difference = {
  path: 'metadata.managedFields',
  from: undefined,
  to: undefined,
  writer: undefined,
};

/** One place in the object: what is wanted there, what we hold, what others hold. */
interface Place {
  readonly path: string;
  readonly desired: Json | undefined;
  readonly owned: Json | undefined;
  readonly others: readonly { readonly writer: Entry; readonly value: Json | undefined }[];
}

interface Known {
  readonly listKeys: Readonly<Record<string, readonly string[]>>;
  readonly leafMaps: readonly string[];
  readonly unset: readonly string[];
  /** Maps that others own as a whole. */
  readonly takenWhole: readonly string[];
  /** Live values, by path. */
  readonly fixed: JsonObject;
  readonly quantities: readonly string[];
  readonly differences: Difference[];
}

function compare(place: Place, known: Known): void {
  const { path, desired, owned, others } = place;
  const held = [owned, ...others.map(({ value }) => value)];
  const keys = known.listKeys[path];
  if (owned === undefined && !isZero(desired) && known.takenWhole.includes(path)) {
    report(place, known);
  } else if (isMap(desired) && held.some(isMap)) {
    // A whole map is owned where an empty one is wanted: we only ever set its existence.
    if (Object.keys(desired).length === 0 && known.leafMaps.includes(path)) return;
    descend(place, known, (value) => (isMap(value) ? value : {}), join);
  } else if (isList(desired) && keys !== undefined && keys.length > 0 && held.some(isList)) {
    descend(place, known, byKey(keys), (_, item) => item);
  } else if (!isAsWanted(owned, place, known)) {
    report(place, known);
  }

  function byKey(names: readonly string[]) {
    return (value: Json | undefined): JsonObject =>
      isList(value)
        ? Object.fromEntries(value.map((item) => [itemPath(path, names, item as JsonObject), item]))
        : {};
  }
}

function descend(
  { path, desired, owned, others }: Place,
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

function report(place: Place, known: Known): void {
  const { path, desired, owned, others } = place;
  const taker = owned === undefined ? others.toSorted(latestFirst)[0] : undefined;
  const live = owned ?? taker?.value ?? shortened(known.fixed[path]);
  // Another text for the same value, or defaults beside it: only ownership changes, so nothing immutable differs.
  const from = isAsWanted(live, place, known) ? desired : live;
  // The server drops zero values, but managedFields still name those that were sent.
  if (from === undefined && isZero(desired) && (!isScalar(desired) || known.unset.includes(path)))
    return;
  const writer = taker && { manager: taker.writer.manager, time: taker.writer.time };
  known.differences.push({ path, from, to: desired, writer });
}

const latestFirst = (a: Place['others'][number], b: Place['others'][number]): number =>
  (b.writer.time ?? '').localeCompare(a.writer.time ?? '');

function isAsWanted(held: Json | undefined, { path, desired }: Place, known: Known): boolean {
  const keys = known.listKeys[path];
  const { quantities } = known;
  return covers(inOrder(held, keys), inOrder(desired, keys), { path, quantities });
}

/** A set (a list merged by value, `keys` empty) has no order. */
const inOrder = (value: Json | undefined, keys: readonly string[] | undefined): Json | undefined =>
  keys?.length === 0 && isList(value)
    ? value.toSorted((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1))
    : value;

const isScalar = (value: Json | undefined): boolean =>
  value !== undefined && value !== null && typeof value !== 'object';
