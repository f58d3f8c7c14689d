import { own, put } from '../json/own.ts';
import { copyOf, jsonText } from '../json/text.ts';
import { isObject, jsonEqual } from '../json/value.ts';
import { JsonPatchError, type Location, locate, positionIn, valueAt } from './json-pointer.ts';

const copyLimit = 3 * 1024 * 1024;

/**
 * Applies a JSON patch (RFC 6902) to a document, which is modified; returns the root, possibly a new one.
 *
 * Guarantees: throws a JsonPatchError for an operation that fails. The size of copies is bounded, because
 * copies of copies grow exponentially.
 * Caveats: like the real server, accepts `replace` of an absent field, reads a missing value as null, and
 * treats an absent field as null in `test` and `copy`.
 */
export function applyJsonPatch(document: unknown, patch: readonly unknown[]): unknown {
  const state: State = { root: document, copied: 0 };
  for (const operation of patch) applyOperation(state, isObject(operation) ? operation : {});
  return state.root;
}

interface State {
  root: unknown;
  /** The number of bytes copied so far. */
  copied: number;
}

type Operation = Readonly<Record<string, unknown>>;

type Perform = (state: State, path: string, operation: Operation) => void;

const knownOperations: Readonly<Record<string, Perform>> = {
  add: ({ root }, path, operation) => add(locate(root, path), valueIn(operation)),
  remove: ({ root }, path) => remove(locate(root, path)),
  replace: (state, path, operation) => replace(state, path, valueIn(operation)),
  move: ({ root }, path, operation) => {
    const from = locate(root, pointerIn(operation, 'from'));
    const value = valueAt(from);
    remove(from);
    add(locate(root, path), value);
  },
  copy: (state, path, operation) => copy(state, pointerIn(operation, 'from'), path),
  test: ({ root }, path, operation) => {
    const value = path === '' ? root : valueAt(locate(root, path));
    if (jsonEqual(value ?? null, operation.value ?? null)) return;
    throw new JsonPatchError(`another value at ${path}`);
  },
};

function applyOperation(state: State, operation: Operation): void {
  const perform = typeof operation.op === 'string' ? own(knownOperations, operation.op) : undefined;
  if (perform === undefined) throw new JsonPatchError(`no such operation: ${operation.op}`);
  perform(state, pointerIn(operation, 'path'), operation);
}

function valueIn({ value = null }: Operation): unknown {
  return copyOf(value);
}

function pointerIn(operation: Operation, field: 'path' | 'from'): string {
  const pointer = own(operation, field);
  if (typeof pointer === 'string') return pointer;
  throw new JsonPatchError(`no ${field}`);
}

function add({ container, key }: Location, value: unknown): void {
  if (Array.isArray(container)) {
    const { length } = container;
    // Includes the end of the list as a position; counted from the end, it is -1.
    container.splice(key === '-' ? length : positionIn(length + 1, key), 0, value);
  } else set({ container, key }, value);
}

function set({ container, key }: Location, value: unknown): void {
  if (Array.isArray(container)) container[positionIn(container.length, key)] = value;
  else if (isObject(container)) put(container, key, value);
}

function remove(place: Location): void {
  const { container, key } = place;
  if (Array.isArray(container)) container.splice(positionIn(container.length, key), 1);
  else if (isObject(container)) {
    if (!Object.hasOwn(container, key)) throw new JsonPatchError(`nothing to remove: ${key}`);
    delete container[key];
  }
}

function replace(state: State, path: string, value: unknown): void {
  if (path !== '') set(locate(state.root, path), value);
  else if (typeof value === 'object' && value !== null) state.root = value;
  else throw new JsonPatchError('only a map or a list replaces a document');
}

function copy(state: State, from: string, path: string): void {
  const value = valueAt(locate(state.root, from)) ?? null;
  const to = locate(state.root, path);
  const text = jsonText(value);
  state.copied += Buffer.byteLength(text);
  if (state.copied > copyLimit) throw new JsonPatchError(`more than ${copyLimit} bytes of copies`);
  add(to, JSON.parse(text));
}
