import { goJson } from '../go/print.ts';
import { isObject, type JsonObject } from '../json/value.ts';

/**
 * One step of a path as managedFields spells it: `f:replicas` (a field), `k:{"name":"web"}` (a list
 * item by its keys), `v:"a"` (a set item by its value), `i:0` (an item by its index).
 */
export type PathElement = string;

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** Requires keys sorted by name. */
export function keyElement(keys: JsonObject): PathElement {
  let text = '';
  for (const name in keys) {
    text += `${text === '' ? '' : ','}${scalarText(name)}:${scalarText(keys[name])}`;
  }
  return `k:{${text}}`;
}

export function valueElement(value: unknown): PathElement {
  return `v:${scalarText(value)}`;
}

const plain = /^[\w ./:@,+=-]*$/;

// Called for each list item at each write, so the common case is inlined.
function scalarText(value: unknown): string {
  return typeof value === 'string' && plain.test(value) ? `"${value}"` : goJson(value);
}

export function isField(element: PathElement): boolean {
  return element.charCodeAt(0) === 102;
}

/** Returns the canonical form of an element; undefined if its type is unknown. */
export function canonicalElement(element: string): PathElement | undefined {
  const text = element.slice(2);
  if (element[1] !== ':') throw new Error(`missing colon: ${element}`);
  switch (element[0]) {
    case 'f':
    case 'i':
      return element;
    case 'v':
      return valueElement(JSON.parse(text));
    case 'k':
      return keyElement(Object.fromEntries(keysOf(text)));
    default:
      return undefined;
  }
}

/** Formats a path as in conflicts: `.spec.containers[name="web"].image`. */
export function pathText(path: readonly PathElement[]): string {
  return path.map(elementText).join('');
}

function elementText(element: PathElement): string {
  const text = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${text}`;
    case 'k':
      return `[${keysOf(text)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(',')}]`;
    case 'v':
      return `[=${JSON.stringify(JSON.parse(text))}]`;
    default:
      return `[${text}]`;
  }
}

function keysOf(text: string): [string, unknown][] {
  const keys: unknown = JSON.parse(text);
  if (!isObject(keys)) throw new Error(`not an object of keys: ${text}`);
  return Object.entries(keys).sort(([a], [b]) => compareText(a, b));
}

const order = '.fkvi';

/**
 * Sorts elements in the server's order: the parent itself (`.`), fields, keys, values, indexes. Returns the
 * argument if it is sorted.
 */
export function inOrder(elements: PathElement[]): PathElement[] {
  const areFields = elements.every(
    (element, at) => (isField(element) || at === 0) && (elements[at - 1] ?? '') <= element,
  );
  if (areFields && (elements.length === 0 || isPlain(elements[0]))) return elements;
  // Parses each element once, not in each comparison.
  const read = elements.map((element): Read => ({ element, content: contentOf(element) }));
  const isSorted = read.every((one, at) => compareRead(read[at - 1] ?? one, one) <= 0);
  return isSorted ? elements : read.sort(compareRead).map(({ element }) => element);
}

/** A field, or the parent itself, which sorts before all fields. */
function isPlain(first = ''): boolean {
  return isField(first) || first === '.';
}

interface Read {
  readonly element: PathElement;
  readonly content: unknown;
}

function contentOf(element: PathElement): unknown {
  const text = element.slice(2);
  switch (element[0]) {
    case 'k':
      return keysOf(text);
    case 'v':
      return JSON.parse(text);
    case 'i':
      return Number(text);
    default:
      return text;
  }
}

function compareRead(a: Read, b: Read): number {
  const rank = order.indexOf(a.element[0] ?? '') - order.indexOf(b.element[0] ?? '');
  if (rank !== 0) return rank;
  return Array.isArray(a.content) && Array.isArray(b.content)
    ? compareKeys(a.content, b.content)
    : compareScalars(a.content, b.content);
}

function compareKeys(a: readonly [string, unknown][], b: readonly [string, unknown][]): number {
  for (const [index, [name, value]] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const difference = compareText(name, other[0]) || compareScalars(value, other[1]);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

const scalarOrder = ['number', 'string', 'boolean', 'object'];

function compareScalars(a: unknown, b: unknown): number {
  const rank = scalarOrder.indexOf(typeof a) - scalarOrder.indexOf(typeof b);
  if (rank !== 0) return rank;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  return Number(a) - Number(b);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
