import { objectMeta } from '../schema/object-meta.ts';
import {
  type Definitions,
  isBuiltIn,
  objectMetaName,
  refName,
  resolveRef,
  type Schema,
  type SchemaSource,
} from '../schema/schema.ts';

export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped';

export interface ListType {
  /** An atomic list is one field; the items of an associative list are separate fields. */
  readonly atomic: boolean;
  /** The keys of the items; without keys an associative list is a set. */
  readonly keys: readonly string[];
  readonly keyDefaults: Readonly<Record<string, unknown>>;
  readonly element: MergeType;
}

export interface MapType {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, MergeType>;
  /** The type of undeclared fields; without it, only declared fields are allowed. */
  readonly element?: MergeType;
}

/** How values of a schema merge, for each form that a value may have. */
export interface MergeType {
  readonly scalar?: ScalarType;
  readonly list?: ListType;
  readonly map?: MapType;
}

type Building = { -readonly [key in keyof MergeType]: MergeType[key] };

const untypedAtomic: Building = { scalar: 'untyped' };
untypedAtomic.list = { atomic: true, keys: [], keyDefaults: {}, element: untypedAtomic };
untypedAtomic.map = { atomic: true, fields: new Map(), element: untypedAtomic };

/** Merges values without a schema: maps by field, each list as one field. */
const deduced: Building = { scalar: 'untyped', list: untypedAtomic.list };
deduced.map = { atomic: false, fields: new Map(), element: deduced };

/** Reports whether a schema allows any value at any depth. */
export function isUntyped(type: MergeType): boolean {
  return type === deduced || type === untypedAtomic;
}

const fixedTypes: Readonly<Record<string, MergeType>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { scalar: 'untyped' },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': untypedAtomic,
};

interface Compiler {
  readonly definitions: Definitions;
  readonly roots: WeakMap<Schema, MergeType>;
  readonly types: Map<string, MergeType>;
}

const compilers = new WeakMap<Definitions, Compiler>();

/** The merge type of an object, compiled once for each schema. */
export function mergeType({ root, definitions }: SchemaSource): MergeType {
  const compiler = compilerOf(definitions);
  const known = compiler.roots.get(root);
  if (known !== undefined) return known;
  const type = isBuiltIn({ root, definitions })
    ? typeOf(resolveRef(root, definitions), false, compiler)
    : typeOf(withEmbeddedMeta(root, true), false, compiler);
  compiler.roots.set(root, type);
  return type;
}

function compilerOf(definitions: Definitions): Compiler {
  const known = compilers.get(definitions);
  if (known !== undefined) return known;
  const compiler = { definitions, roots: new WeakMap(), types: new Map() };
  compilers.set(definitions, compiler);
  return compiler;
}

/** The `metadata` in a custom resource's schema does not define how metadata merges. */
function withEmbeddedMeta(schema: Schema, isResource: boolean): Schema {
  if (!isResource) return schema;
  return {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { $ref: `#/definitions/${objectMetaName}` },
    },
  };
}

function referenceType(schema: Schema, preserve: boolean, compiler: Compiler): MergeType {
  const name = refName(schema);
  if (name === undefined) return typeOf(schema, preserve, compiler);
  const type = namedType(name, compiler);
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined || type.map === undefined) return type;
  return { ...type, map: { ...type.map, atomic: mapType === 'atomic' } };
}

function namedType(name: string, compiler: Compiler): MergeType {
  const known = fixedTypes[name] ?? compiler.types.get(name);
  if (known !== undefined) return known;
  const definition =
    compiler.definitions[name] ?? (name === objectMetaName ? objectMeta : undefined);
  if (definition === undefined) throw new Error(`no definition of ${name}`);
  // Definitions may be recursive, so a name is registered before its type is complete.
  const type: Building = {};
  compiler.types.set(name, type);
  Object.assign(type, typeOf(definition, false, compiler));
  return type;
}

function typeOf(schema: Schema, inherited: boolean, compiler: Compiler): MergeType {
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  const declared = withEmbeddedMeta(schema, isResource);
  const preserve = inherited || schema['x-kubernetes-preserve-unknown-fields'] === true;
  switch (schema.type) {
    case 'object':
      return { map: mapOf(declared, preserve, compiler) };
    case 'array':
      return { list: listOf(schema, preserve, compiler) };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    case 'string':
      return { scalar: isPlainText(schema.format) ? 'string' : 'untyped' };
    default:
      return {
        scalar: 'untyped',
        list: listOf(schema, preserve, compiler),
        map: mapOf(declared, preserve, compiler),
      };
  }
}

function isPlainText(format: string | undefined): boolean {
  return format === undefined || format === '' || format === 'byte';
}

function mapOf(schema: Schema, preserve: boolean, compiler: Compiler): MapType {
  const fields = new Map<string, MergeType>();
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    fields.set(name, referenceType(field, preserve, compiler));
  }
  const atomic = schema['x-kubernetes-map-type'] === 'atomic';
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object') {
    return { atomic, fields, element: referenceType(additionalProperties, preserve, compiler) };
  }
  const open = additionalProperties ?? (preserve || fields.size === 0);
  return open ? { atomic, fields, element: deduced } : { atomic, fields };
}

function listOf(schema: Schema, preserve: boolean, compiler: Compiler): ListType {
  const { items } = schema;
  const element = items === undefined ? untypedAtomic : referenceType(items, preserve, compiler);
  const keys = associativeKeys(schema);
  if (keys === undefined) return { atomic: true, keys: [], keyDefaults: {}, element };
  const properties = items === undefined ? {} : propertiesOf(items, compiler);
  const defaults = keys.map((key) => [key, properties[key]?.default]);
  return {
    atomic: false,
    keys: [...keys].sort(),
    keyDefaults: Object.fromEntries(defaults.filter(([, value]) => value !== undefined)),
    element,
  };
}

function propertiesOf(items: Schema, { definitions }: Compiler): Readonly<Record<string, Schema>> {
  return resolveRef(items, definitions).properties ?? {};
}

/** Returns the keys of an associative list (empty for a set); undefined for an atomic list. */
function associativeKeys(schema: Schema): readonly string[] | undefined {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'map') return schema['x-kubernetes-list-map-keys'] ?? [];
  if (listType !== undefined) return listType === 'set' ? [] : undefined;
  const strategy = schema['x-kubernetes-patch-strategy'];
  if (strategy !== 'merge' && strategy !== 'merge,retainKeys') return undefined;
  const key = schema['x-kubernetes-patch-merge-key'];
  return key === undefined ? [] : [key];
}
