import { valueAt } from '../json.ts';
import { isClusterScoped, type JsonObject, qualifiedName } from '../kubernetes.ts';
import type { ChildType } from './child-type.ts';
import { namespaceName, objectName } from './names.ts';

/** Everything of a resource that its children may depend on. */
export interface Resource<Spec> {
  readonly name: string;
  /** Empty for a cluster-scoped resource. */
  readonly namespace: string;
  readonly uid: string;
  /** Valid, with its defaults. */
  readonly spec: Spec;
}

/** The name of an object in the resource's namespace; a cluster-scoped resource names a namespace, too. */
export type ReferenceName = string | { readonly namespace: string; readonly name: string };

/**
 * Objects of one type that a kind reads and never writes, in the resource's namespace. With `name`
 * or `names`, `children` receives them; without either only `generated.usedBy` reads them.
 */
export interface ReadDefinition<Spec> {
  readonly type: ChildType;
  /** One object, or undefined for none. Pure. */
  readonly name?: (resource: Resource<Spec>) => ReferenceName | undefined;
  /** Several, which `children` receives in this order. Pure. */
  readonly names?: (resource: Resource<Spec>) => readonly ReferenceName[];
}

/** What a kind reads, by the names under which `children` receives the objects. */
export type ReadDefinitions<Spec> = Readonly<Record<string, ReadDefinition<Spec>>>;

/** What every read object has. */
interface Identified {
  readonly name: string;
  /** Of what `children` receives; of a Secret, of its data. */
  readonly digest: string;
}

/**
 * A read object: everything but metadata, in the shape that the API server validated; of a Secret its
 * keys and a digest, never a value.
 */
export type ReadObject<Type = ChildType> = Identified &
  (Type extends ChildType<infer Body, infer Live>
    ? object extends Live
      ? Omit<Body, 'immutable'> & { readonly status?: JsonObject }
      : Live
    : never);

/** The read objects of a resource; undefined is an object that does not exist. */
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

/** A read object without its type; undefined if there is none. */
export type FindObject = (reference: Reference) => (Identified & JsonObject) | undefined;

/** The references of a resource in one field of `reads`. */
interface FieldReferences {
  readonly field: string;
  readonly isOne: boolean;
  readonly references: readonly Reference[];
}

/** The most objects that one resource may refer to. */
const maxReferences = 64;

/** Begins the digest of a Secret's data, so that it is masked wherever it appears. */
export const secretDigestPrefix = 'secret-sha256:';

/** Every type that a kind reads. */
export const readTypesOf = ({ reads }: { readonly reads: ReadDefinitions<unknown> }) =>
  Object.values(reads).map(({ type }) => type);

/** The fields whose objects `children` receives. */
export const namedReads = <Spec>(
  reads: ReadDefinitions<Spec>,
): readonly [string, ReadDefinition<Spec>][] =>
  Object.entries(reads).filter(([, { name, names }]) => name !== undefined || names !== undefined);

/**
 * What a resource refers to, or why it cannot be read. Throws what the kind's own code throws, and
 * where it returns something else than strings.
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

/** As long as a legal name. */
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

/** The only place where a reference is given a namespace. */
function referenceOf(
  field: string,
  { definition: { type }, resource, name: given }: Named,
): Reference {
  const needsNamespace = !isClusterScoped(type) && resource.namespace === '';
  if (typeof given === 'string' && !needsNamespace)
    return { type, namespace: isClusterScoped(type) ? '' : resource.namespace, name: given };
  if (typeof given !== 'string' && needsNamespace) return { type, ...given };
  const expected = needsNamespace
    ? `return { namespace, name }, as the resource is in no namespace`
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

/** The value of `reads` that `children` receives. */
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
