import { isSameType, type JsonObject, type TypeName } from '../kubernetes.ts';
import type { LabelSelector, Requirements } from '../label-selector.ts';
import type { ChildType } from './child-type.ts';

/** The parts of a resource that its children may depend on. */
export interface Resource<Spec> {
  readonly name: string;
  /** Empty for a cluster-scoped resource. */
  readonly namespace: string;
  readonly uid: string;
  /** Validated, with its defaults. */
  readonly spec: Spec;
}

/** Names an object in the resource's namespace, or in another with `from` or for a cluster-scoped resource. */
export type ReferenceName = string | { readonly namespace: string; readonly name: string };

/**
 * Objects of one type that a kind reads and never writes. With `name`, `names` or `selector`, `children`
 * receives them; with none of these, only `generated.usedBy` reads them.
 */
export interface ReadDefinition<Spec> {
  readonly type: ChildType;
  /** Returns the name of one object, or undefined for none. Pure. */
  readonly name?: (resource: Resource<Spec>) => ReferenceName | undefined;
  /** Returns the names of several objects, which `children` receives in this order. Pure. */
  readonly names?: (resource: Resource<Spec>) => readonly ReferenceName[];
  /**
   * Selects objects by their labels; undefined selects none, and `{}` all. `children` receives them sorted
   * by namespace and name. Pure.
   */
  readonly selector?: (resource: Resource<Spec>) => LabelSelector | undefined;
  /**
   * Namespaces to read in, instead of that of the resource: a list, or `'all'`. With
   * `'granted'`, its own and any other object whose annotation `serverless-reconciler/readable-by` names
   * the resource's namespace and type.
   */
  readonly from?: readonly string[] | 'all' | 'granted';
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

/** An object that was found by its labels. */
export type SelectedObject<Type = ChildType> = ReadObject<Type> & {
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
};

/** The read objects of a resource; undefined stands for an object that does not exist. */
export type ReadObjects<R> = {
  readonly [Field in keyof R]: R[Field] extends { readonly type: infer Type }
    ? R[Field] extends { readonly selector: unknown }
      ? readonly SelectedObject<Type>[]
      : R[Field] extends { readonly names: unknown }
        ? readonly (ReadObject<Type> | undefined)[]
        : R[Field] extends { readonly name: unknown }
          ? ReadObject<Type> | undefined
          : undefined
    : never;
};

/** An object that a resource refers to, or all objects that a label selector matches. */
export interface Reference {
  readonly type: ChildType;
  /** Empty for a cluster-scoped object, and for a selector in all namespaces. */
  readonly namespace: string;
  /** For a selector its text in parentheses, which is no object's name. */
  readonly name: string;
  readonly selector?: Requirements;
  /** True for a Secret whose values the kind may put into templates. */
  readonly isSource?: true;
  /** Set if objects in other namespaces need a grant. */
  readonly reader?: Reader;
}

/** The resources that a grant names. */
export interface Reader {
  /** Empty for a cluster-scoped resource. */
  readonly namespace: string;
  /** `bots.example.org` */
  readonly resource: string;
}

/** Finds a referenced object; undefined if there is none. For a selector, `items` are the objects. */
export type FindObject = (reference: Reference) => (Identified & JsonObject) | undefined;

/** The references of a resource in one field of `reads`. */
export interface FieldReferences {
  readonly field: string;
  readonly form: 'one' | 'list' | 'selected';
  readonly references: readonly Reference[];
}

/** Prefix of the digest of a Secret's data, by which it is masked wherever it appears. */
export const secretDigestPrefix = 'secret-sha256:';

/** Returns every type that a kind reads. */
export const readTypesOf = ({ reads }: { readonly reads: ReadDefinitions<unknown> }) =>
  Object.values(reads).map(({ type }) => type);

/** Returns the fields whose objects `children` receives. */
export const namedReads = <Spec>(
  reads: ReadDefinitions<Spec>,
): readonly [string, ReadDefinition<Spec>][] =>
  Object.entries(reads).filter(([, { name, names, selector }]) => name ?? names ?? selector);

/** Reports whether a kind reads objects by their labels, of this type if one is given. */
export const isSelecting = (
  { reads }: { readonly reads: ReadDefinitions<unknown> },
  type?: TypeName,
): boolean =>
  Object.values(reads).some(
    (one) => one.selector !== undefined && (type === undefined || isSameType(one.type, type)),
  );

/** Builds the value of `reads` that `children` receives. */
export const objectsFor = (
  fields: readonly FieldReferences[],
  find: FindObject,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    fields.map(({ field, form, references }) => {
      const found = references.map(find);
      if (form === 'selected') return [field, found.flatMap((one) => one?.items ?? [])];
      return [field, form === 'one' ? found[0] : found];
    }),
  );
