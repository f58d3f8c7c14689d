import { own } from '../json/own.ts';
/** One rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A JSON schema in the dialect of Kubernetes: OpenAPI v3 and `x-kubernetes-` fields. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly multipleOf?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
}

export type Definitions = Readonly<Record<string, Schema>>;

/**
 * Fields of a Go struct whose zero value is not distinguished from absence: Go omits it (`lost`) or always
 * writes it (`added`).
 */
export interface Zeroes {
  readonly lost: readonly string[];
  readonly added: readonly string[];
  /** Written as null if absent or an empty list. */
  readonly nulls: readonly string[];
}

/** A schema and the definitions that it refers to. */
export interface SchemaSource {
  readonly root: Schema;
  readonly definitions: Definitions;
  /** The zero values of the structs of built-in kinds. */
  readonly zeroes?: ReadonlyMap<Schema, Zeroes>;
}

export const quantityName = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
export const objectMetaName = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

const refPrefix = '#/definitions/';

/** Returns the name of the definition that a schema refers to, directly or by an `allOf` of one. */
export function refName(schema: Schema): string | undefined {
  const { $ref, allOf } = schema;
  const ref = $ref ?? (allOf?.length === 1 ? allOf[0]?.$ref : undefined);
  return ref?.startsWith(refPrefix) ? ref.slice(refPrefix.length) : undefined;
}

/**
 * Returns the schema, or the definition that it refers to. Keywords next to the reference (a default, a map
 * type) are only in the referring schema.
 */
export function resolveRef(schema: Schema, definitions: Definitions): Schema {
  const known = resolved.get(schema);
  if (known !== undefined) return known;
  const name = refName(schema);
  const definition = name === undefined ? schema : own(definitions, name);
  if (definition === undefined) throw new Error(`no definition of ${name}`);
  const found = definition === schema ? schema : resolveRef(definition, definitions);
  resolved.set(schema, found);
  return found;
}

const resolved = new WeakMap<Schema, Schema>();

/** Built-in kinds name themselves in their schemas; custom resources do not. */
export function isBuiltIn({ root, definitions }: SchemaSource): boolean {
  return resolveRef(root, definitions)['x-kubernetes-group-version-kind'] !== undefined;
}
