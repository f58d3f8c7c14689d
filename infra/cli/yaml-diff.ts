import { stringify } from 'yaml';
import { canonicalJson } from '../../shared/canonical.ts';
import type { Json, JsonObject } from '../../shared/kubernetes.ts';

/** A value before and after; undefined where there is none. */
export interface Change {
  readonly path: string;
  readonly from: Json | undefined;
  readonly to: Json | undefined;
}

export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

type Leaf = Omit<Change, 'path'>;

/** Fields by name, or items by what identifies them in their list. */
type Branch = Map<string, { readonly keys?: JsonObject; readonly node: Leaf | Branch }>;

type Sign = DiffLine['sign'];

/**
 * The changes as YAML, with the fields and items that they are in; these have the sign `around`. Equal
 * values have none.
 *
 * Caveats: only what changes is known, so no other field of the object is shown.
 */
export function yamlDiff(changes: readonly Change[], around: Sign): readonly DiffLine[] {
  const root: Branch = new Map();
  for (const { path, ...leaf } of changes) place(root, segmentsOf(path), leaf);
  return linesOf(root, around);
}

interface Segment {
  readonly name: string;
  /** Of an item: the fields by which it is found; none if it is found by its position. */
  readonly keys?: JsonObject;
}

/** Maps of texts, whose keys may contain dots. */
const textMaps =
  /^(data|binaryData)$|(^|[.\]])(annotations|labels|matchLabels|nodeSelector|limits|requests|hard)$/;

function segmentsOf(path: string): readonly Segment[] {
  const segments: Segment[] = [];
  const token = /\.?([^.[\]]+)|\[((?:"(?:[^"\\]|\\.)*"|[^"\]])*)\]/y;
  let end = 0;
  while (end < path.length) {
    token.lastIndex = end;
    const [text = '', name, item = ''] = token.exec(path) ?? [];
    // The key of a map of texts, or of a map of a custom resource, may have any characters.
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

function place(branch: Branch, [first, ...rest]: readonly Segment[], leaf: Leaf): void {
  if (first === undefined) return;
  const { name, ...keys } = first;
  if (rest.length === 0) {
    branch.set(name, { ...keys, node: leaf });
    return;
  }
  const found = branch.get(name)?.node;
  const inner: Branch = found instanceof Map ? found : new Map();
  branch.set(name, { ...keys, node: inner });
  place(inner, rest, leaf);
}

function linesOf(branch: Branch, around: Sign): readonly DiffLine[] {
  return [...branch].flatMap(([name, { keys, node }]) => {
    const isLeaf = !(node instanceof Map);
    if (keys !== undefined)
      return isLeaf
        ? ofLeaf(node, (value) => [value])
        : itemLines(keys, linesOf(node, around), around);
    if (isLeaf) return ofLeaf(node, (value) => ({ [name]: value }));
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
    value === undefined
      ? []
      : stringify(wrap(value), { lineWidth: 0 })
          .trimEnd()
          .split('\n')
          .map((text) => ({ sign, text }));
  return canonicalJson(from) === canonicalJson(to)
    ? lines(' ', to)
    : [...lines('-', from), ...lines('+', to)];
}

/** What identifies the item stands first, after the dash. */
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
