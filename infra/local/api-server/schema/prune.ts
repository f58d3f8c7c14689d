import { own, put } from '../json/own.ts';
import { isEmptyObject, isObject } from '../json/value.ts';
import { objectMeta } from './object-meta.ts';
import {
  type Definitions,
  isBuiltIn,
  resolveRef,
  type Schema,
  type SchemaSource,
  type Zeroes,
} from './schema.ts';

export interface Pruned {
  readonly value: unknown;
  /** Paths of the fields that the schema does not know, as in warnings. */
  readonly unknown: string[];
}

/**
 * Removes fields that the schema does not know, and nulls that are not allowed.
 *
 * Guarantees: the argument is not modified; the result shares unchanged parts with it. apiVersion, kind and
 * metadata of an object, and of embedded resources, stay. Built-in kinds also lose empty optional lists and
 * maps, and zero values that the server's Go structs do not distinguish from absence. They gain the fields
 * that Go always writes.
 */
export function prune(source: SchemaSource, value: unknown): Pruned {
  const { root, definitions, zeroes = new Map() } = source;
  const walk: Walk = { definitions, zeroes, builtIn: isBuiltIn(source), unknown: [] };
  const schema = walk.builtIn ? root : { ...root, 'x-kubernetes-embedded-resource': true };
  const pruned = pruneValue(value, { schema, path: '', walk });
  return { value: pruned, unknown: walk.builtIn ? walk.unknown : walk.unknown.sort() };
}

/** Removes the fields that a structural schema does not know. */
export function pruneUnknown(value: unknown, schema: Schema): unknown {
  const walk: Walk = { definitions: {}, zeroes: new Map(), builtIn: false, unknown: [] };
  return pruneValue(value, { schema, path: '', walk });
}

interface Walk {
  readonly definitions: Definitions;
  readonly zeroes: ReadonlyMap<Schema, Zeroes>;
  readonly builtIn: boolean;
  readonly unknown: string[];
}

interface Place {
  /** Undefined below `additionalProperties: true`, where every field is allowed. */
  readonly schema: Schema | undefined;
  readonly path: string;
  readonly walk: Walk;
}

function pruneValue(value: unknown, { schema, path, walk }: Place): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const resolved = schema && resolveRef(schema, walk.definitions);
  if (walk.builtIn && resolved !== undefined && isOpaque(resolved)) return value;
  const place = { schema: resolved, path, walk };
  return Array.isArray(value) ? pruneItems(value, place) : pruneFields(value, place);
}

/** Some built-in types (JSON, FieldsV1, …) have empty definitions and may hold any value. */
function isOpaque(schema: Schema): boolean {
  const { properties, additionalProperties, items } = schema;
  return properties === undefined && additionalProperties === undefined && items === undefined;
}

function pruneItems(value: readonly unknown[], { schema, path, walk }: Place): unknown {
  const items = schema?.items;
  if (items === undefined && preserves(schema)) return value;
  // In a list of structs, null is a struct without fields.
  const isStructure = walk.builtIn || path.startsWith('metadata.');
  const hasFields =
    items !== undefined && resolveRef(items, walk.definitions).properties !== undefined;
  const nothing = hasFields ? {} : items?.type === 'string' ? '' : null;
  const pruned = value.map((item, index) =>
    pruneValue(item === null && isStructure ? nothing : item, {
      schema: items,
      path: `${path}[${index}]`,
      walk,
    }),
  );
  return pruned.every((item, index) => item === value[index]) ? value : pruned;
}

function preserves(schema: Schema | undefined): boolean {
  return schema?.['x-kubernetes-preserve-unknown-fields'] === true;
}

function pruneFields(value: object, place: Place): unknown {
  const { schema, path, walk } = place;
  const kept: Record<string, unknown> = {};
  let changed = false;
  const { lost = [], added = [], nulls = [] } = (schema && walk.zeroes.get(schema)) ?? {};
  for (const [name, field] of Object.entries(value)) {
    const fieldPath = path === '' ? name : `${path}.${name}`;
    const found = fieldSchema(schema, name);
    if (found === undefined) {
      if (!preserves(schema)) walk.unknown.push(fieldPath);
      if (preserves(schema)) put(kept, name, field);
      else changed = true;
      continue;
    }
    if (field === null && isTextEntry(found, place)) {
      put(kept, name, '');
      changed = true;
      continue;
    }
    const whole = pruneValue(field, { schema: found.schema, path: fieldPath, walk });
    const isNull = nulls.includes(name) && Array.isArray(whole) && whole.length === 0;
    const pruned = isNull ? null : whole;
    const isLost = lost.includes(name) && pruned === zeroOf(own(schema?.properties, name));
    if (isLost || isNothing(pruned, { name, path: fieldPath, parent: schema, walk, found })) {
      changed = true;
      continue;
    }
    put(kept, name, pruned);
    if (pruned !== field) changed = true;
  }
  for (const name of added) {
    if (kept[name] !== undefined && kept[name] !== null) continue;
    kept[name] = zeroOf(schema?.properties?.[name]);
    changed = true;
  }
  for (const name of nulls) {
    if (kept[name] !== undefined) continue;
    kept[name] = null;
    changed = true;
  }
  for (const name of walk.builtIn ? structuresOf(schema) : []) {
    if (kept[name] !== undefined && kept[name] !== null) continue;
    const structure = schema?.properties?.[name];
    kept[name] = pruneValue({}, { schema: structure, path: `${path}.${name}`, walk });
    changed = true;
  }
  return changed ? kept : value;
}

const structures = new WeakMap<Schema, readonly string[]>();

/** Returns the fields of a struct that are structs themselves and therefore always exist. */
function structuresOf(schema: Schema | undefined): readonly string[] {
  if (schema === undefined) return [];
  const known = structures.get(schema);
  if (known !== undefined) return known;
  const names = Object.entries(schema.properties ?? {})
    .filter(([, field]) => isObject(field.default) && isEmptyObject(field.default))
    .map(([name]) => name);
  structures.set(schema, names);
  return names;
}

function zeroOf(schema: Schema | undefined): unknown {
  if (schema?.type === 'string') return '';
  if (schema?.type === 'boolean') return false;
  return schema?.type === 'integer' || schema?.type === 'number' ? 0 : null;
}

interface Found {
  readonly schema: Schema | undefined;
  /** A declared field, not an entry of a map. */
  readonly declared: boolean;
}

const anyValue: Schema = { 'x-kubernetes-preserve-unknown-fields': true };

function fieldSchema(schema: Schema | undefined, name: string): Found | undefined {
  if (schema?.['x-kubernetes-embedded-resource'] === true) {
    if (name === 'metadata') return { schema: objectMeta, declared: true };
    if (name === 'apiVersion' || name === 'kind') return { schema: anyValue, declared: true };
  }
  const property = own(schema?.properties, name);
  if (property !== undefined) return { schema: property, declared: true };
  const rest = schema?.additionalProperties;
  if (rest === undefined || rest === false) return undefined;
  return { schema: rest === true ? undefined : rest, declared: false };
}

/** Reports whether decoding drops the field. */
function isNothing(
  value: unknown,
  {
    name,
    path,
    parent,
    walk,
    found,
  }: { name: string; path: string; parent: Schema | undefined; walk: Walk; found: Found },
): boolean {
  const { schema, declared } = found;
  if (schema === undefined) return false;
  // An empty list in managedFields resets them.
  if (path === 'metadata.managedFields') return false;
  if (!walk.builtIn) return value === null && isNonNullable(schema);
  if (!declared || parent?.required?.includes(name) === true) return false;
  if (value === null) return schema['x-kubernetes-preserve-unknown-fields'] !== true;
  if (Array.isArray(value)) return value.length === 0 && schema.type === 'array';
  return isObject(value) && isEmptyObject(value) && isMapSchema(schema);
}

/** In a struct's map of strings, such as labels, the server reads null as an empty string. */
function isTextEntry({ schema, declared }: Found, { path, walk }: Place): boolean {
  const isStructure = walk.builtIn || path.startsWith('metadata.');
  return isStructure && !declared && schema?.type === 'string';
}

function isNonNullable(schema: Schema): boolean {
  return schema !== anyValue && schema.nullable !== true && schema.default === undefined;
}

function isMapSchema({ type, properties, additionalProperties }: Schema): boolean {
  return type === 'object' && properties === undefined && additionalProperties !== undefined;
}
