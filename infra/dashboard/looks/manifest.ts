import { stringify } from 'yaml';
import { isDeeperThan, isMap, maxDepth } from '../../../shared/canonical.ts';
import { type Identity, managersOf } from '../../../shared/identity.ts';
import { isFields, parseJson } from '../../../shared/json.ts';
import { secret } from '../../../shared/kinds/child-types/core.ts';
import {
  type FieldsV1,
  isSameType,
  type Json,
  type JsonObject,
  type KubeObject,
  type TypeName,
} from '../../../shared/kubernetes.ts';
import { conceal } from '../../../shared/plan/drift/secrecy.ts';
import { RefusedActionError } from '../../actions/refused-action-error.ts';
import type { ManifestLine, ManifestView } from '../views.ts';

interface Looked {
  readonly type: TypeName;
  readonly live: KubeObject;
}

const maxLines = 3_000;
/** The maximum number of characters shown of one value. */
const maxText = 4_000;

/**
 * Formats a live object as YAML, and marks the fields that we manage.
 *
 * Guarantees: shows no value of a Secret or of a Secret's annotations, and no digest of a Secret. Stops after
 * `maxLines`.
 */
export function shownManifest({ type, live }: Looked, identity: Identity): ManifestView {
  if (isDeeperThan(maxDepth, live))
    throw new RefusedActionError(
      `the object is nested deeper than ${maxDepth} levels: use kubectl get -o yaml`,
    );
  const { managedFields = [], ...metadata } = live.metadata;
  const ours = new Set(managersOf(identity));
  const [own, others] = [true, false].map((isOurs) =>
    managedFields
      .filter(({ manager = '' }) => ours.has(manager) === isOurs)
      .map(({ fieldsV1 }) => fieldsV1),
  );
  const shown = masked(type, { ...live, metadata });
  const lines: ManifestLine[] = [];
  for (const line of linesOf(shown, ownedBy(own ?? [], others ?? []))) {
    if (lines.length === maxLines) return { lines, isCut: true };
    lines.push(line);
  }
  return { lines, isCut: false };
}

function masked(type: TypeName, live: JsonObject): Json {
  if (!isSameType(type, secret))
    return conceal('', { path: '', from: live, to: undefined }).from ?? null;
  const mask = (value: Json | undefined): Json | undefined =>
    conceal('Secret', { path: 'data', from: value, to: undefined }).from;
  const eachMasked = (value: Json | undefined): Json | undefined =>
    isMap(value)
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mask(inner)]))
      : mask(value);
  const { apiVersion, kind, metadata, type: secretType, immutable, ...values } = live;
  const { annotations, ...shown } = metadata as JsonObject;
  return {
    apiVersion,
    kind,
    metadata: { ...shown, annotations: eachMasked(annotations) },
    type: secretType,
    immutable,
    ...Object.fromEntries(Object.entries(values).map(([name, one]) => [name, eachMasked(one)])),
  };
}

/** The names below one field or item in managedFields: in our entries, and in entries of other managers. */
interface Owned {
  readonly ours: readonly FieldsV1[];
  readonly others: readonly FieldsV1[];
  /** True if we manage everything below the field or item. */
  readonly isWhole: boolean;
}

function ownedBy(ours: readonly FieldsV1[], others: readonly FieldsV1[]): Owned {
  // A map that we set to `{}` is not wholly ours if others fill it.
  const isWhole = ours.some((one) => !hasNames(one)) && !others.some(hasNames);
  return { ours, others, isWhole };
}

const hasNames = (fields: FieldsV1): boolean => Object.keys(fields).length > 0;

function below(owned: Owned, name: string): Owned {
  if (owned.isWhole) return owned;
  const at = (all: readonly FieldsV1[]) => all.flatMap((one) => one[name] ?? []);
  return ownedBy(at(owned.ours), at(owned.others));
}

const isOurs = ({ ours, isWhole }: Owned): boolean =>
  isWhole || ours.some((one) => !hasNames(one) || Object.hasOwn(one, '.'));

function* linesOf(value: Json, owned: Owned): Generator<ManifestLine> {
  if (isList(value)) {
    const keys = keysIn(owned.ours);
    for (const item of value) yield* itemLines(item, below(owned, nameOf(item, keys)));
  } else
    for (const [name, inner] of Object.entries(value as JsonObject))
      if (inner !== undefined) yield* fieldLines(name, inner, below(owned, `f:${name}`));
}

function* fieldLines(name: string, value: Json, owned: Owned): Generator<ManifestLine> {
  if (isLeaf(value)) return yield* leafLines({ [name]: shortened(value) }, owned);
  yield { text: stringify({ [name]: null }, yaml).replace(/ null\n$/, ''), ours: isOurs(owned) };
  const indent = isList(value) ? '' : '  ';
  for (const line of linesOf(value, owned)) yield { ...line, text: indent + line.text };
}

function* itemLines(item: Json, owned: Owned): Generator<ManifestLine> {
  if (isLeaf(item)) return yield* leafLines([shortened(item)], owned);
  let sign = '- ';
  for (const line of linesOf(item, owned)) {
    yield { ...line, text: sign + line.text };
    sign = '  ';
  }
}

function* leafLines(value: Json, owned: Owned): Generator<ManifestLine> {
  for (const text of stringify(value, yaml).trimEnd().split('\n'))
    yield { text, ours: isOurs(owned) };
}

/** Options that keep long lines, and quote strings that kubectl would not read as strings, such as `no`. */
const yaml = { lineWidth: 0, version: '1.1' } as const;

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

const isLeaf = (value: Json): boolean =>
  typeof value !== 'object' || value === null || Object.keys(value).length === 0;

const shortened = (value: Json): Json =>
  typeof value === 'string' && value.length > maxText
    ? `${value.slice(0, maxText)}… (${value.length - maxText} more characters)`
    : value;

/** Undefined for a set or an atomic list. */
function keysIn(ours: readonly FieldsV1[]): string[] | undefined {
  const name = ours.flatMap(Object.keys).find((one) => one.startsWith('k:'));
  const key = parseJson(name?.slice(2) ?? '');
  return isFields(key) ? Object.keys(key) : undefined;
}

/** Names an item as managedFields do: `k:{"name":"web"}`, or `v:"web"` in a set. */
const nameOf = (item: Json, keys: string[] | undefined): string =>
  keys === undefined ? `v:${JSON.stringify(item)}` : `k:${JSON.stringify(item, keys)}`;
