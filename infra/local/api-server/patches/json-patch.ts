import { copyOf, jsonText } from '../objects/json-text.ts';
import { isMap } from '../objects/object.ts';
import { own, put } from '../objects/own.ts';
import { jsonEqual } from '../schema/json.ts';
import { JsonPatchError, type Place, placeOf, positionIn, valueAt } from './json-pointer.ts';

const COPY_LIMIT = 3 * 1024 * 1024;

/**
 * Applies a JSON patch (RFC 6902) to a document, which it changes; returns the (possibly new) root.
 *
 * Guarantees: a JsonPatchError for whatever cannot be done; what is copied is bounded, since copies
 * of copies grow exponentially.
 * Caveats: as the real server does, a replaced field need not be there, a missing value is null,
 * and what is not there passes a test for null and is copied as null.
 */
export const applyJsonPatch = (document: unknown, patch: readonly unknown[]): unknown => {
  const state: State = { root: document, copied: 0 };
  for (const operation of patch) applyOperation(state, isMap(operation) ? operation : {});
  return state.root;
};

interface State {
  root: unknown;
  /** The bytes that copies have made so far. */
  copied: number;
}

type Operation = Readonly<Record<string, unknown>>;

type Perform = (state: State, path: string, operation: Operation) => void;

const OPERATIONS: Readonly<Record<string, Perform>> = {
  add: ({ root }, path, operation) => add(placeOf(root, path), valueIn(operation)),
  remove: ({ root }, path) => remove(placeOf(root, path)),
  replace: (state, path, operation) => replace(state, path, valueIn(operation)),
  move: ({ root }, path, operation) => {
    const from = placeOf(root, pointerIn(operation, 'from'));
    const value = valueAt(from);
    remove(from);
    add(placeOf(root, path), value);
  },
  copy: (state, path, operation) => copy(state, pointerIn(operation, 'from'), path),
  test: ({ root }, path, operation) => {
    const value = path === '' ? root : valueAt(placeOf(root, path));
    if (jsonEqual(value ?? null, operation.value ?? null)) return;
    throw new JsonPatchError(`another value at ${path}`);
  },
};

const applyOperation = (state: State, operation: Operation): void => {
  const perform = typeof operation.op === 'string' ? own(OPERATIONS, operation.op) : undefined;
  if (perform === undefined) throw new JsonPatchError(`no such operation: ${operation.op}`);
  perform(state, pointerIn(operation, 'path'), operation);
};

const valueIn = ({ value = null }: Operation): unknown => copyOf(value);

const pointerIn = (operation: Operation, field: 'path' | 'from'): string => {
  const pointer = own(operation, field);
  if (typeof pointer === 'string') return pointer;
  throw new JsonPatchError(`no ${field}`);
};

const add = ({ container, key }: Place, value: unknown): void => {
  if (Array.isArray(container)) {
    const { length } = container;
    // One more position than there are items: the end, which is -1 when counted from there.
    container.splice(key === '-' ? length : positionIn(length + 1, key), 0, value);
  } else set({ container, key }, value);
};

const set = ({ container, key }: Place, value: unknown): void => {
  if (Array.isArray(container)) container[positionIn(container.length, key)] = value;
  else if (isMap(container)) put(container, key, value);
};

const remove = (place: Place): void => {
  const { container, key } = place;
  if (Array.isArray(container)) container.splice(positionIn(container.length, key), 1);
  else if (isMap(container)) {
    if (!Object.hasOwn(container, key)) throw new JsonPatchError(`nothing to remove: ${key}`);
    delete container[key];
  }
};

const replace = (state: State, path: string, value: unknown): void => {
  if (path !== '') set(placeOf(state.root, path), value);
  else if (typeof value === 'object' && value !== null) state.root = value;
  else throw new JsonPatchError('only a map or a list replaces a document');
};

const copy = (state: State, from: string, path: string): void => {
  const value = valueAt(placeOf(state.root, from)) ?? null;
  const to = placeOf(state.root, path);
  const text = jsonText(value);
  state.copied += Buffer.byteLength(text);
  if (state.copied > COPY_LIMIT)
    throw new JsonPatchError(`more than ${COPY_LIMIT} bytes of copies`);
  add(to, JSON.parse(text));
};
