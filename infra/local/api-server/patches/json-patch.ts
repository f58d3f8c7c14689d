import { isMap } from '../objects/object.ts';
import { jsonEqual } from '../schema/json.ts';

/** One operation of RFC 6902. */
interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** An operation that cannot be done. */
export class JsonPatchError extends Error {}

/** Applies a JSON patch to a document, which it changes; returns the (possibly new) root. */
export const applyJsonPatch = (document: unknown, patch: readonly Operation[]): unknown =>
  patch.reduce<unknown>(applyOperation, document);

const applyOperation = (root: unknown, operation: Operation): unknown => {
  const path = parsePointer(operation.path);
  switch (operation.op) {
    case 'add':
      return add(root, path, structuredClone(operation.value ?? null));
    case 'remove':
      return removeAt(root, path, 'remove');
    case 'replace':
      return replace(root, path, structuredClone(operation.value ?? null));
    case 'test':
      return assertEqual(root, operation, path);
    case 'move': {
      const from = parsePointer(operation.from ?? '');
      const value = readAt(root, from, 'move');
      return add(removeAt(root, from, 'move'), path, value);
    }
    case 'copy':
      return add(root, path, structuredClone(copied(root, parsePointer(operation.from ?? ''))));
    default:
      throw new JsonPatchError(`Unexpected kind: ${operation.op}`);
  }
};

const parsePointer = (pointer: string): string[] => {
  if (pointer === '') return [];
  if (typeof pointer !== 'string' || !pointer.startsWith('/'))
    throw new JsonPatchError(`invalid pointer: ${pointer}`);
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
};

const missing = (operation: string, path: readonly string[]): JsonPatchError =>
  new JsonPatchError(`${operation}: nothing at /${path.join('/')}`);

const step = (node: unknown, part: string): unknown => {
  if (Array.isArray(node)) return node[indexIn(node, part)];
  return isMap(node) ? node[part] : undefined;
};

const indexIn = (list: readonly unknown[], part: string): number => {
  if (!/^-?\d+$/.test(part)) throw new JsonPatchError(`invalid array index: ${part}`);
  const index = Number(part);
  return index < 0 ? list.length + index : index;
};

const readAt = (root: unknown, path: readonly string[], operation: string): unknown => {
  const value = path.reduce<unknown>(step, root);
  if (value === undefined) throw missing(operation, path);
  return value;
};

/** What is not there is copied as null, as the real server does. */
const copied = (root: unknown, path: readonly string[]): unknown => {
  if (Array.isArray(containerOf(root, path, 'copy'))) return readAt(root, path, 'copy');
  return path.reduce<unknown>(step, root) ?? null;
};

const containerOf = (root: unknown, path: readonly string[], operation: string): unknown => {
  const container = path.slice(0, -1).reduce<unknown>(step, root);
  if (!Array.isArray(container) && !isMap(container)) throw missing(operation, path);
  return container;
};

const add = (root: unknown, path: readonly string[], value: unknown): unknown => {
  const last = path.at(-1);
  if (last === undefined) return value;
  const container = containerOf(root, path, 'add');
  if (Array.isArray(container)) {
    const index = last === '-' ? container.length : indexIn(container, last);
    if (index > container.length) {
      throw missing('add', path);
    }
    container.splice(index, 0, value);
  } else if (isMap(container)) container[last] = value;
  return root;
};

/** Replaces a value; a field that is not there is added, as the real server does. */
const replace = (root: unknown, path: readonly string[], value: unknown): unknown => {
  const last = path.at(-1);
  if (last === undefined) return value;
  const container = containerOf(root, path, 'replace');
  if (Array.isArray(container)) {
    readAt(root, path, 'replace');
    container[indexIn(container, last)] = value;
  } else if (isMap(container)) container[last] = value;
  return root;
};

const removeAt = (root: unknown, path: readonly string[], operation: string): unknown => {
  readAt(root, path, operation);
  const container = containerOf(root, path, operation);
  const last = path.at(-1) ?? '';
  if (Array.isArray(container)) container.splice(indexIn(container, last), 1);
  else if (isMap(container)) delete container[last];
  return root;
};

const assertEqual = (root: unknown, operation: Operation, path: readonly string[]): unknown => {
  const value = path.reduce<unknown>(step, root);
  if (path.length > 0) containerOf(root, path, 'test');
  if (jsonEqual(value ?? null, operation.value ?? null)) return root;
  throw new JsonPatchError(`test: another value at ${operation.path}`);
};
