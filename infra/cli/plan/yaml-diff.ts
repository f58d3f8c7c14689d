import { stringify } from 'yaml';
import { canonical, canonicalJson } from '../../../shared/canonical.ts';
import type { Json, JsonObject } from '../../../shared/kubernetes.ts';

/** A value before and after; undefined if there is none. */
export interface YamlChange {
  readonly path: string;
  readonly from: Json | undefined;
  readonly to: Json | undefined;
}

export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

type Leaf = Omit<YamlChange, 'path'>;

/** Fields by name, or list items by their keys. */
type Branch = Map<string, { readonly keys?: JsonObject; readonly node: Leaf | Branch }>;

type Sign = DiffLine['sign'];

/**
 * Formats changes as YAML, below the fields and list items that contain them. These have the sign `around`, for
 * example `+` for a new object; a value that is equal before and after has none.
 *
 * Caveats: shows no other field of the object, because only the changes are known.
 */
export function yamlDiff(changes: readonly YamlChange[], around: Sign): readonly DiffLine[] {
  const root: Branch = new Map();
  for (const { path, ...leaf } of changes) insert(root, segmentsOf(path), leaf);
  return linesOf(root, around);
}

interface Segment {
  readonly name: string;
  /** The fields that identify a list item: `port` and `protocol`; empty for an item identified by its position. */
  readonly keys?: JsonObject;
}

/** Paths of string maps, whose keys may contain dots. */
const textMaps =
  /^(data|binaryData)$|(^|[.\]])(annotations|labels|matchLabels|nodeSelector|limits|requests|hard)$/;

function segmentsOf(path: string): readonly Segment[] {
  const segments: Segment[] = [];
  const token = /\.?([^.[\]]+)|\[((?:"(?:[^"\\]|\\.)*"|[^"\]])*)\]/y;
  let end = 0;
  while (end < path.length) {
    token.lastIndex = end;
    const [text = '', name, item = ''] = token.exec(path) ?? [];
    // A key of a string map, or of a map in a custom resource, may have any characters.
    if (text === '' || (textMaps.test(path.slice(0, end)) && path[end] === '.'))
      return [...segments, { name: path.slice(end).replace(/^\./, '') }];
    segments.push(name === undefined ? { name: `[${item}]`, keys: keysOf(item) } : { name });
    end = token.lastIndex;
  }
  return segments;
}

/** `port=80,protocol="TCP"` */
const keysOf = (item: string): JsonObject =>
  Object.fromEntries(
    [...item.matchAll(/([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)/g)].map(([, key = '', value = '']) => [
      key,
      jsonOf(value),
    ]),
  );

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function insert(branch: Branch, [first, ...rest]: readonly Segment[], leaf: Leaf): void {
  if (first === undefined) return;
  const { name, ...keys } = first;
  if (rest.length === 0) {
    branch.set(name, { ...keys, node: leaf });
    return;
  }
  const found = branch.get(name)?.node;
  const inner: Branch = found instanceof Map ? found : new Map();
  branch.set(name, { ...keys, node: inner });
  insert(inner, rest, leaf);
}

function linesOf(branch: Branch, around: Sign): readonly DiffLine[] {
  return [...branch].flatMap(([name, { keys, node }]) => {
    const isLeaf = !(node instanceof Map);
    if (keys !== undefined)
      return isLeaf
        ? ofLeaf(node, (value) => [value])
        : itemLines(keys, linesOf(node, around), around);
    if (isLeaf) return ofField(name, node);
    const inner = linesOf(node, around);
    const isList = [...node.values()].every((one) => one.keys !== undefined);
    const key = stringify({ [name]: null }).replace(/ null\n$/, '');
    return [
      { sign: around, text: key },
      ...inner.map(({ sign, text }) => ({ sign, text: isList ? text : `  ${text}` })),
    ];
  });
}

function ofLeaf({ from, to }: Leaf, wrap: (value: Json) => unknown): readonly DiffLine[] {
  const lines = (sign: Sign, value: Json | undefined): readonly DiffLine[] =>
    value === undefined ? [] : textOf(wrap(value)).map((text) => ({ sign, text }));
  if (from === undefined || to === undefined) return [...lines('-', from), ...lines('+', to)];
  return isEqual(from, to)
    ? lines(' ', to)
    : [...lines('-', inOrder(from)), ...lines('+', inOrder(to))];
}

const textOf = (value: unknown): readonly string[] =>
  stringify(value, { lineWidth: 0 }).trimEnd().split('\n');

const isEqual = (a: Json | undefined, b: Json | undefined): boolean =>
  canonicalJson(a) === canonicalJson(b);

/** Sorts the fields of each map, so that equal values have equal lines. */
const inOrder = (value: Json): Json => canonical((text) => text, value) as Json;

/** Gives a sign only to the items of a list between the first and the last that differ. */
function ofField(name: string, { from, to }: Leaf): readonly DiffLine[] {
  const wrap = (value: Json): JsonObject => ({ [name]: value });
  if (!isFilled(from) || !isFilled(to)) return ofLeaf({ from, to }, wrap);
  const [before, after] = [inOrder(from) as Json[], inOrder(to) as Json[]];
  const most = Math.min(before.length, after.length);
  const differs = Array.from({ length: most }, (_, at) => at).find(
    (at) => !isEqual(before[at], after[at]),
  );
  const head = differs ?? most;
  let tail = 0;
  while (tail < most - head && isEqual(before.at(-1 - tail), after.at(-1 - tail))) tail += 1;
  // The line of the field itself comes before the items.
  const linesBefore = (items: readonly Json[], count: number): number =>
    count === 0 ? 1 : textOf(wrap(items.slice(0, count))).length;
  const start = linesBefore(after, head);
  const changed = (sign: Sign, items: readonly Json[]): readonly DiffLine[] =>
    textOf(wrap(items))
      .slice(start, linesBefore(items, items.length - tail))
      .map((text) => ({ sign, text }));
  const same = (text: string): DiffLine => ({ sign: ' ', text });
  const lines = textOf(wrap(after));
  return [
    ...lines.slice(0, start).map(same),
    ...changed('-', before),
    ...changed('+', after),
    ...lines.slice(linesBefore(after, after.length - tail)).map(same),
  ];
}

const isFilled = (value: Json | undefined): value is Json[] =>
  Array.isArray(value) && value.length > 0;

/** Puts the identifying fields of an item first, after the dash. */
function itemLines(keys: JsonObject, inner: readonly DiffLine[], sign: Sign): readonly DiffLine[] {
  const known = inner.map(({ text }) => text.split(':')[0]);
  const first = Object.entries(keys)
    .filter(([key]) => !known.includes(key))
    .flatMap(([key, value]) => stringify({ [key]: value }).trimEnd())
    .map((text): DiffLine => ({ sign, text }));
  return [...first, ...inner].map((line, at) => ({
    sign: line.sign,
    text: `${at === 0 ? '-' : ' '} ${line.text}`,
  }));
}
