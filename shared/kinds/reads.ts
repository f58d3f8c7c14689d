import { valueAt } from '../json.ts';
import { isClusterScoped, type JsonObject, qualifiedName } from '../kubernetes.ts';
import type { ChildType } from './child-type.ts';
import { namespaceName, objectName } from './names.ts';

/** The parts of a resource that its children may depend on. */
export interface Resource<Spec> {
  readonly name: string;
  /** Empty for a cluster-scoped resource. */
  readonly namespace: string;
  readonly uid: string;
  /** Validated, with its defaults. */
  readonly spec: Spec;
}

/** Names an object in the resource's namespace. A cluster-scoped resource also gives the namespace. */
export type ReferenceName = string | { readonly namespace: string; readonly name: string };

/**
 * Objects of one type that a kind reads and never writes, in the resource's namespace. With `name` or
 * `names`, `children` receives them; without either, only `generated.usedBy` reads them.
 */
export interface ReadDefinition<Spec> {
  readonly type: ChildType;
  /** Returns the name of one object, or undefined for none. Pure. */
  readonly name?: (resource: Resource<Spec>) => ReferenceName | undefined;
  /** Returns the names of several objects, which `children` receives in this order. Pure. */
  readonly names?: (resource: Resource<Spec>) => readonly ReferenceName[];
}

/** The objects that a kind reads, under the names by which `children` receives them. */
export type ReadDefinitions<Spec> = Readonly<Record<string, ReadDefinition<Spec>>>;

/** The fields that every read object has. */
interface Identified {
  readonly name: string;
  /** Digest of what `children` receives; for a Secret, digest of its data. */
  readonly digest: string;
  /** Absent from types without one, such as ConfigMap. */
  readonly generation?: number;
  /** The generation that its controller has observed, from its status. */
  readonly observedGeneration?: number;
}

/**
 * A read object without its metadata, in the shape that the API server validated. A Secret shows its keys
 * and a digest, never a value.
 */
export type ReadObject<Type = ChildType> = Identified &
  (Type extends ChildType<infer Body, infer Live>
    ? object extends Live
      ? Omit<Body, 'immutable'> & { readonly status?: JsonObject }
      : Live
    : never);

/** The read objects of a resource; undefined stands for an object that does not exist. */
export type ReadObjects<R> = {
  readonly [Field in keyof R]: R[Field] extends { readonly type: infer Type }
    ? R[Field] extends { readonly names: unknown }
      ? readonly (ReadObject<Type> | undefined)[]
      : R[Field] extends { readonly name: unknown }
        ? ReadObject<Type> | undefined
        : undefined
    : never;
};

/** An object that a resource refers to. */
export interface Reference {
  readonly type: ChildType;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
}

/** Finds a referenced object; undefined if there is none. */
export type FindObject = (reference: Reference) => (Identified & JsonObject) | undefined;

/** The references of a resource in one field of `reads`. */
interface FieldReferences {
  readonly field: string;
  readonly isOne: boolean;
  readonly references: readonly Reference[];
}

/** The most objects that one resource may refer to. */
const maxReferences = 64;

/** Prefix of the digest of a Secret's data, by which it is masked wherever it appears. */
export const secretDigestPrefix = 'secret-sha256:';

/** Returns every type that a kind reads. */
export const readTypesOf = ({ reads }: { readonly reads: ReadDefinitions<unknown> }) =>
  Object.values(reads).map(({ type }) => type);

/** Returns the fields whose objects `children` receives. */
export const namedReads = <Spec>(
  reads: ReadDefinitions<Spec>,
): readonly [string, ReadDefinition<Spec>][] =>
  Object.entries(reads).filter(([, { name, names }]) => name !== undefined || names !== undefined);

/**
 * Returns what a resource refers to, or explains why it cannot be read. Throws what the kind's own code
 * throws, and if that code returns anything but names.
 */
export function referencesIn(
  reads: ReadDefinitions<unknown>,
  resource: Resource<unknown>,
): readonly FieldReferences[] | { readonly invalid: string } {
  const found = namedReads(reads).map(([field, definition]): FieldReferences => {
    const names = namesIn(field, definition, resource);
    const references = names.map((name) => referenceOf(field, { definition, resource, name }));
    return { field, isOne: definition.names === undefined, references };
  });
  const all = found.flatMap(({ field, references }) =>
    references.map((one) => ({ ...one, field })),
  );
  const illegal = all.find(
    ({ name, namespace }) =>
      objectName(name) !== name || (namespace !== '' && namespaceName(namespace) !== namespace),
  );
  if (illegal !== undefined)
    return {
      invalid: `no ${illegal.type.kind} can be called ${JSON.stringify(qualifiedIn(resource, illegal).slice(0, maxShown))} (reads.${illegal.field})`,
    };
  if (all.length > maxReferences)
    return { invalid: `it refers to ${all.length} objects; at most ${maxReferences} are read` };
  return found;
}

/** Maximum length of a legal name. */
const maxShown = 253;

const qualifiedIn = (
  resource: Resource<unknown>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string => (resource.namespace === '' ? qualifiedName(namespace, name) : name);

interface Named {
  readonly definition: ReadDefinition<unknown>;
  readonly resource: Resource<unknown>;
  readonly name: ReferenceName;
}

/** Builds a reference. No other function gives a reference its namespace. */
function referenceOf(
  field: string,
  { definition: { type }, resource, name: given }: Named,
): Reference {
  const needsNamespace = !isClusterScoped(type) && resource.namespace === '';
  if (typeof given === 'string' && !needsNamespace)
    return { type, namespace: isClusterScoped(type) ? '' : resource.namespace, name: given };
  if (typeof given !== 'string' && needsNamespace) return { type, ...given };
  const expected = needsNamespace
    ? `return { namespace, name }, because the resource has no namespace`
    : `return the name alone`;
  throw new Error(`reads.${field} returned ${JSON.stringify(given)}; ${expected}`);
}

function namesIn(
  field: string,
  { name, names }: ReadDefinition<unknown>,
  resource: Resource<unknown>,
): readonly ReferenceName[] {
  const found: unknown = names === undefined ? name?.(resource) : names(resource);
  const list = names === undefined ? (found === undefined ? [] : [found]) : found;
  const isText = Array.isArray(list) && list.every(isName);
  if (isText) return list;
  const expected = names === undefined ? 'a string or undefined' : 'a list of strings';
  const called = names === undefined ? 'name' : 'names';
  throw new Error(
    `reads.${field}.${called} returned ${JSON.stringify(found) ?? 'undefined'}; return ${expected}`,
  );
}

const isName = (one: unknown): one is ReferenceName =>
  typeof one === 'string' ||
  ['namespace', 'name'].every((field) => typeof valueAt(one, field) === 'string');

/** Builds the value of `reads` that `children` receives. */
export const objectsFor = (
  fields: readonly FieldReferences[],
  find: FindObject,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    fields.map(({ field, isOne, references }) => {
      const objects = references.map(find);
      return [field, isOne ? objects[0] : objects];
    }),
  );
