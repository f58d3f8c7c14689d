import { diff } from 'node:util';
import { stringify } from 'yaml';
import { canonical } from '../../../shared/canonical.ts';
import type { ChangedField } from '../../../shared/kinds/impact.ts';
import type { Json, JsonObject } from '../../../shared/kubernetes.ts';

export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/**
 * Formats changes as YAML, together with the fields and list items around them. `around` is the sign of the lines
 * around the changes: `+` in a new object, `-` in a deleted object, otherwise a space.
 *
 * Caveats: shows no other fields of the object, because only the changes are known.
 */
export function yamlDiff(
  changes: readonly ChangedField[],
  around: DiffLine['sign'],
): readonly DiffLine[] {
  const before = around === '+' ? [] : linesOf(changes, 'from');
  const after = around === '-' ? [] : linesOf(changes, 'to');
  const withSign = (lines: readonly string[], sign: DiffLine['sign']): readonly DiffLine[] =>
    lines.map((text) => ({ sign, text }));
  return before.length + after.length > maxCompared
    ? [...withSign(before, '-'), ...withSign(after, '+')]
    : diff(before, after).flatMap(([operation, text]) => withSign([text], signs[operation]));
}

/** The maximum number of lines to compare one by one; the memory grows with the square of this number. */
const maxCompared = 2_000;

const signs = { '1': '-', '0': ' ', '-1': '+' } as const;

/** A map of fields by name, or of list items by their keys in brackets: `[port=80]`. */
type Branch = Map<string, { readonly keys?: JsonObject; readonly node: Json | Branch }>;

/** Formats one side as YAML. If a field has no value on this side, only the fields around it are shown. */
function linesOf(changes: readonly ChangedField[], side: 'from' | 'to'): readonly string[] {
  const root: Branch = new Map();
  for (const { path, ...values } of changes) {
    const isCompared = values.from !== undefined && values.to !== undefined;
    // If a field has a value on both sides, sorts the fields within, so that equal values have equal lines.
    const value = isCompared ? canonical((text) => text, values[side]) : values[side];
    insert(root, segmentsOf(path), value);
  }
  if (root.size === 0) return [];
  const options = { lineWidth: 0, indentSeq: false, nullStr: '', aliasDuplicateObjects: false };
  return stringify(yamlOf(root), options).trimEnd().split('\n');
}

interface Segment {
  readonly name: string;
  /** The key fields of a list item, such as `port` and `protocol`; empty if its position identifies the item. */
  readonly keys?: JsonObject;
}

/** Matches the paths of maps of strings, whose keys may contain dots. */
const textMaps =
  /^(data|binaryData)$|(^|[.\]])(annotations|labels|matchLabels|nodeSelector|limits|requests|hard)$/;

function segmentsOf(path: string): readonly Segment[] {
  const segments: Segment[] = [];
  const token = /\.?([^.[\]]+)|\[((?:"(?:[^"\\]|\\.)*"|[^"\]])*)\]/y;
  let end = 0;
  while (end < path.length) {
    token.lastIndex = end;
    const [text = '', name, item = ''] = token.exec(path) ?? [];
    // Takes the rest of the path as one key, because a key of a map may contain any characters.
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

function insert(
  branch: Branch,
  [first, ...rest]: readonly Segment[],
  value: Json | undefined,
): void {
  if (first === undefined) return;
  const { name, ...keys } = first;
  if (rest.length === 0) {
    if (value !== undefined) branch.set(name, { ...keys, node: value });
    return;
  }
  const found = branch.get(name)?.node;
  const inner: Branch = found instanceof Map ? found : new Map();
  branch.set(name, { ...keys, node: inner });
  insert(inner, rest, value);
}

/** Puts the identifying fields of an item first, after the dash. */
function yamlOf(node: Json | Branch, keys: JsonObject = {}): unknown {
  if (!(node instanceof Map)) return node;
  const inner = [...node].map(([name, one]) => ({
    ...one,
    name,
    value: yamlOf(one.node, one.keys),
  }));
  const isList = inner.length > 0 && inner.every((one) => one.keys !== undefined);
  if (isList) return inner.map(({ value }) => value);
  const fields = new Map<string, unknown>(Object.entries(keys));
  for (const { name, value } of inner) fields.set(name, value);
  return fields.size === 0 ? null : fields;
}
