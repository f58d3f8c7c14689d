import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  Parser,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { scalarMeaning, taggedMeaning } from './yaml-scalar.ts';

/** Invalid YAML, with Go's message. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
}

export interface ReadYaml {
  readonly value: unknown;
  /** The error of strict decoding for duplicate keys, in Go's words. */
  readonly duplicates: readonly string[];
}

/**
 * Parses YAML like Kubernetes: the first document, by Go's reading of YAML 1.1.
 *
 * Guarantees: the last of duplicate keys wins, and `<<` merges in place. Time is linear in the size of the
 * text, and the expansion of aliases is bounded.
 */
export function readYaml(text: string): ReadYaml {
  try {
    return readFirst(text);
  } catch (error) {
    if (error instanceof RangeError) throw new YamlError(tooDeep);
    throw error;
  }
}

/** Throws the error for characters that YAML refuses, also in JSON. */
export function requireReadable(text: string): void {
  if (controlCharacter.test(text)) throw new YamlError('yaml: control characters are not allowed');
}

const tooDeep = 'yaml: exceeded max depth of 10000';
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
const controlCharacter = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

function readFirst(text: string): ReadYaml {
  const lines = new LineCounter();
  // Disables the check for unique keys, which searches each key of a mapping among all others.
  const composer = new Composer({ schema: 'failsafe', uniqueKeys: false, lineCounter: lines });
  const tokens = new Parser(lines.addNewLine).parse(text.replace(/^\ufeff/, ''));
  const [document] = first(composer.compose(tokens));
  const [problem] = document?.errors ?? [];
  if (problem) {
    const [reason = ''] = problem.message.split('\n');
    // The library recurses once for each level of the text.
    if (/call stack/.test(reason)) throw new YamlError(tooDeep);
    throw new YamlError(`yaml: line ${lines.linePos(problem.pos[0]).line}: ${reason}`);
  }
  const reading: Reading = { lines, duplicates: [], anchors: new Map(), nodes: 0, aliased: 0 };
  const value = meaningOf(document?.contents ?? null, reading, false);
  return { value, duplicates: reading.duplicates };
}

function first<T>(all: Iterable<T>): T[] {
  for (const one of all) return [one];
  return [];
}

interface Reading {
  readonly lines: LineCounter;
  readonly duplicates: string[];
  readonly anchors: Map<string, Node>;
  nodes: number;
  /** Number of nodes that were read through an alias. */
  aliased: number;
}

function meaningOf(node: unknown, reading: Reading, isAliased: boolean): unknown {
  count(reading, isAliased);
  if (isAlias(node)) {
    const target = reading.anchors.get(node.source);
    if (target === undefined) {
      throw new YamlError(`yaml: unknown anchor '${node.source}' referenced`);
    }
    return meaningOf(target, reading, true);
  }
  if (isScalar(node) || isMap(node) || isSeq(node)) {
    if (node.anchor !== undefined) reading.anchors.set(node.anchor, node);
  }
  if (isScalar(node)) return scalar(node);
  if (isMap(node)) return mapping(node, reading, isAliased);
  if (isSeq(node)) return sequence(node, reading, isAliased);
  return null;
}

function scalar({ tag, type, source = '' }: Scalar): unknown {
  try {
    if (tag !== undefined) return taggedMeaning(tag, source);
    return type === 'PLAIN' ? scalarMeaning(source) : source;
  } catch (error) {
    throw new YamlError(`yaml: ${error instanceof Error ? error.message : error}`);
  }
}

function sequence({ items }: YAMLSeq, reading: Reading, isAliased: boolean): unknown[] {
  return items.map((item) => meaningOf(item, reading, isAliased));
}

function mapping({ items }: YAMLMap, reading: Reading, isAliased: boolean): object {
  const entries = new Map<string, unknown>();
  const set = (key: string, value: unknown, line: number): void => {
    if (entries.has(key)) {
      reading.duplicates.push(`line ${line}: key ${JSON.stringify(key)} already set in map`);
    }
    entries.set(key, value);
  };
  for (const { key, value } of items) {
    const line = lineOf(value, reading) || lineOf(key, reading);
    const read = (): unknown => meaningOf(value, reading, isAliased);
    if (isMergeKey(key)) {
      for (const merged of mergedMaps(read())) {
        for (const [name, one] of Object.entries(merged)) set(name, one, line);
      }
    } else set(keyText(meaningOf(key, reading, isAliased)), read(), line);
  }
  return Object.fromEntries(entries);
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.type === 'PLAIN' && key.tag === undefined && key.source === '<<';
}

/** The maps to merge; later maps take precedence. */
function mergedMaps(value: unknown): object[] {
  const all = Array.isArray(value) ? value.toReversed() : [value];
  if (all.every((one) => typeof one === 'object' && one !== null && !Array.isArray(one)))
    return all;
  throw new YamlError('yaml: map merge requires map or sequence of maps as the value');
}

function keyText(key: unknown): string {
  if (typeof key === 'object') throw new YamlError('yaml: invalid map key');
  return String(key);
}

function lineOf(node: unknown, { lines }: Reading): number {
  const [start] = (node as Node | null)?.range ?? [];
  return start === undefined ? 0 : lines.linePos(start).line;
}

/** Refuses text that consists mostly of nested aliases: the larger the text, the fewer are allowed. */
function count(reading: Reading, isAliased: boolean): void {
  reading.nodes += 1;
  if (isAliased) reading.aliased += 1;
  const { nodes, aliased } = reading;
  if (aliased <= 100 || nodes <= 1000) return;
  const excess = Math.min(1, Math.max(0, (nodes - 400_000) / 3_600_000));
  if (aliased / nodes > 0.99 - 0.89 * excess) {
    throw new YamlError('yaml: document contains excessive aliasing');
  }
}
