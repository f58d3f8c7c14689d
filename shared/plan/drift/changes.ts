import { canonicalJson, isMap } from '../../canonical.ts';
import type { Identity } from '../../identity.ts';
import { saltAnnotation } from '../../kinds/names.ts';
import type {
  FieldsV1,
  Json,
  JsonObject,
  KubeObject,
  ManagedFieldsEntry,
} from '../../kubernetes.ts';
import { isOurApply } from '../observed/legacy.ts';
import { itemPath, join, openParseContext, ownedFields } from '../observed/owned-fields.ts';
import { shortened } from '../observed/short-text.ts';
import type { Difference, Writer } from './drift.ts';
import { conceal } from './secrecy.ts';

/**
 * Compares a live object with the server's response to the dry run of an apply.
 *
 * Guarantees: also shows a changed order, changes by admission, and fields whose ownership alone we gain or lose.
 * Values of Secrets are masked. Empty if the apply changes nothing.
 */
export function changesBetween(
  live: KubeObject,
  answer: KubeObject,
  identity: Identity,
): readonly Difference[] {
  const isOurs = isOurApply(identity);
  const others = entriesOf(live).filter((entry) => !isOurs(entry));
  const [before, after] = [live, answer].map((one) => ({
    held: namesIn(entriesOf(one).find(isOurs)?.fieldsV1, ''),
    listKeys: listKeysOf(one),
  })) as [Side, Side];
  const context: Context = {
    listKeys: { ...before.listKeys, ...after.listKeys },
    writerOf: (path) => lastOf(others.filter((entry) => names(entry, path))),
    differences: [],
  };
  compare('', contentOf(live), contentOf(answer), context);
  const changed = context.differences;
  const found = changed.length > 0 ? changed : ownership(before.held, after.held);
  return found.map((one) => conceal(live.kind, one));
}

interface Side {
  readonly held: ReadonlySet<string>;
  readonly listKeys: Readonly<Record<string, readonly string[]>>;
}

interface Context {
  readonly listKeys: Readonly<Record<string, readonly string[]>>;
  readonly writerOf: (path: string) => Writer | undefined;
  readonly differences: Difference[];
}

const entriesOf = ({ metadata }: KubeObject): readonly ManagedFieldsEntry[] =>
  (metadata.managedFields ?? []).filter(({ subresource }) => subresource !== 'status');

/** Removes the status, the salt and the metadata that the server maintains. */
function contentOf({ metadata, status: _, ...content }: KubeObject & JsonObject): JsonObject {
  const { labels, annotations, ownerReferences, finalizers } = metadata as unknown as JsonObject;
  const { [saltAnnotation]: __, ...shown } = (annotations ?? {}) as JsonObject;
  const some = (value: Json | undefined, name: string): JsonObject =>
    value === undefined || (isMap(value) && Object.keys(value).length === 0)
      ? {}
      : { [name]: value };
  return {
    ...content,
    metadata: {
      ...some(labels as Json, 'labels'),
      ...some(shown as Json, 'annotations'),
      ...some(ownerReferences as Json, 'ownerReferences'),
      ...some(finalizers as Json, 'finalizers'),
    },
  };
}

function listKeysOf(live: KubeObject): Side['listKeys'] {
  const all = entriesOf(live).map(
    ({ fieldsV1 }) => ownedFields(fieldsV1, live, { context: openParseContext() }).listKeys,
  );
  return Object.assign({}, ...all);
}

function compare(
  path: string,
  from: Json | undefined,
  to: Json | undefined,
  context: Context,
): void {
  if (canonicalJson(from) === canonicalJson(to)) return;
  if (isMap(from) && isMap(to)) {
    for (const name of new Set([...Object.keys(from), ...Object.keys(to)]))
      compare(join(path, name), from[name], to[name], context);
    return;
  }
  const keys = context.listKeys[path] ?? [];
  if (keys.length === 0 || !isListOfMaps(from) || !isListOfMaps(to)) {
    const writer = context.writerOf(path);
    context.differences.push({ path, from: shortened(from), to: shortened(to), writer });
    return;
  }
  const [before, after] = [from, to].map((list) => byKey(list, path, keys)) as [
    ReadonlyMap<string, Json>,
    ReadonlyMap<string, Json>,
  ];
  for (const item of new Set([...before.keys(), ...after.keys()]))
    compare(item, before.get(item), after.get(item), context);
  const [first, second] = [
    [...before.keys()].filter((item) => after.has(item)),
    [...after.keys()].filter((item) => before.has(item)),
  ];
  if (canonicalJson(first) !== canonicalJson(second)) {
    const writer = context.writerOf(path);
    context.differences.push({
      path,
      from: orderOf(first, path),
      to: orderOf(second, path),
      writer,
    });
  }
}

const isListOfMaps = (value: Json | undefined): value is readonly JsonObject[] =>
  Array.isArray(value) && value.every(isMap);

const byKey = (
  list: readonly JsonObject[],
  path: string,
  keys: readonly string[],
): ReadonlyMap<string, Json> => new Map(list.map((item) => [itemPath(path, keys, item), item]));

/** Names items by their keys: `[name="a"]`. */
const orderOf = (items: readonly string[], path: string): Json =>
  items.map((item) => item.slice(path.length));

/** Fields whose ownership we gain or lose while their values stay. */
const ownership = (
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): readonly Difference[] =>
  [...new Set([...before, ...after])]
    .filter((path) => before.has(path) !== after.has(path))
    .map((path) => ({ path, from: undefined, to: undefined, writer: undefined }));

/** The paths of the leaves that an entry names. */
function namesIn(fields: FieldsV1 | undefined, path: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (inner: FieldsV1, at: string): void => {
    const own = Object.keys(inner).filter((name) => name !== '.');
    if (own.length === 0) found.add(at);
    for (const name of own) visit(inner[name] as FieldsV1, join(at, name.slice(2)));
  };
  if (fields !== undefined) visit(fields, path);
  return found;
}

/** Reports whether an entry names the field, or a part of it. */
function names({ fieldsV1 }: ManagedFieldsEntry, path: string): boolean {
  let fields = fieldsV1;
  for (const step of path.split(/[.[]/)) {
    if (fields === undefined || step.endsWith(']')) break;
    const inner = fields[`f:${step}`];
    if (inner === undefined) return Object.keys(fields).length === 0;
    fields = inner as FieldsV1;
  }
  return true;
}

const lastOf = (entries: readonly ManagedFieldsEntry[]): Writer | undefined => {
  const [last] = entries.toSorted((a, b) => (b.time ?? '').localeCompare(a.time ?? ''));
  return last && { manager: last.manager ?? 'unknown', time: last.time };
};
