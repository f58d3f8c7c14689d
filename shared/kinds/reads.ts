import { isSameType, type JsonObject, type TypeName } from '../kubernetes.ts';
import type { LabelSelector, Labels, Requirements } from '../label-selector.ts';
import type { ChildType } from './child-type.ts';

/** The parts of a resource that its children may depend on. */
export interface Resource<Spec> {
  readonly name: string;
  /** Empty for a cluster-scoped resource. */
  readonly namespace: string;
  readonly uid: string;
  /** The creation time (RFC 3339). */
  readonly createdAt: string;
  /** Omits the three labels that the engine gives to children; undefined if there are no other labels. */
  readonly labels?: Labels | undefined;
  /** Validated, with its defaults. */
  readonly spec: Spec;
}

/**
 * The name of an object: a string if the object is cluster-scoped or in the resource's own namespace. The form with
 * `namespace` requires `from`.
 */
export type ReferenceName = string | { readonly namespace: string; readonly name: string };

/**
 * Objects of one type that a kind reads. `children` receives the objects that `name`, `names` or
 * `selector` select. With none of these, the type is read only for `generated.usedBy`.
 */
export interface ReadDefinition<Spec> {
  readonly type: ChildType;
  /** Returns the name of one object, or undefined for none. Pure. */
  readonly name?: (resource: Resource<Spec>) => ReferenceName | undefined;
  /** Returns the names of objects. `children` receives the objects in this order. Pure. */
  readonly names?: (resource: Resource<Spec>) => readonly ReferenceName[];
  /** Selects objects, sorted by namespace and name; undefined: none, `{}`: all. Omits the resource's children. Pure. */
  readonly selector?: (resource: Resource<Spec>) => LabelSelector | undefined;
  /**
   * The namespaces to read in; default: the resource's own. Required for a cluster-scoped kind. With `'granted'`,
   * objects in other namespaces are also read if their annotation `serverless-reconciler/readable-by` names the
   * resource's namespace and type.
   */
  readonly from?: readonly string[] | 'all' | 'granted';
}

export type ReadDefinitions<Spec> = Readonly<Record<string, ReadDefinition<Spec>>>;

interface Identified {
  readonly name: string;
  /** Set if the object is outside the resource's namespace, or if a `selector` matched it. */
  readonly namespace?: string;
  readonly labels?: Labels;
  /** Digest of all fields that `children` receives, except metadata; for a Secret, the digest of its data. */
  readonly digest: string;
  /** Absent for a type without generations, such as ConfigMap. */
  readonly generation?: number;
  /** The `observedGeneration` in the object's status. */
  readonly observedGeneration?: number;
}

/** An object that the kind reads, with little of its metadata. A Secret has its keys and a digest, but no values. */
export type ReadObject<Type = ChildType> = Identified &
  (Type extends ChildType<infer Body, infer Live>
    ? object extends Live
      ? Omit<Body, 'immutable'> & { readonly status?: JsonObject }
      : Live
    : never);

/** An object that one of the kind's selectors matched. */
export type SelectedObject<Type = ChildType> = ReadObject<Type> & {
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
};

/** The objects that `children` gets for what the kind reads; undefined for one that is absent or not granted. */
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
  /** The object's name; for a selector the selector in parentheses, such as `(app=web)`. */
  readonly name: string;
  readonly selector?: Requirements;
  /** The resource's uid, to leave out its own children. Set for a selector that might match such children. */
  readonly owner?: string;
  /** True for a Secret if templates of the kind may use its values. */
  readonly isSource?: true;
  /** Set if a grant is needed to read the object or, with a selector, objects in other namespaces. */
  readonly reader?: Reader;
}

/** The resources of one type and namespace. An object's annotation may allow them to read the object. */
export interface Reader {
  /** Empty for a cluster-scoped resource. */
  readonly namespace: string;
  /** The plural and group of the type, such as `bots.example.org`. */
  readonly resource: string;
}

/** Finds a referenced object; undefined if absent or not granted. For a selector, `items` has the matching objects. */
export type FindObject = (reference: Reference) => (Identified & JsonObject) | undefined;

export interface FieldReferences {
  readonly field: string;
  readonly form: 'one' | 'list' | 'selected';
  readonly references: readonly Reference[];
}

/** Prefix of a digest of Secret data. Strings with this prefix are never shown. */
export const secretDigestPrefix = 'secret-sha256:';

export const readTypesOf = ({ reads }: { readonly reads: ReadDefinitions<unknown> }) =>
  Object.values(reads).map(({ type }) => type);

export const namedReads = <Spec>(
  reads: ReadDefinitions<Spec>,
): readonly [string, ReadDefinition<Spec>][] =>
  Object.entries(reads).filter(([, { name, names, selector }]) => name ?? names ?? selector);

export const isSelecting = (
  { reads }: { readonly reads: ReadDefinitions<unknown> },
  type?: TypeName,
): boolean =>
  Object.values(reads).some(
    (read) => read.selector !== undefined && (type === undefined || isSameType(read.type, type)),
  );

/** `home` is the resource's own namespace. */
export const objectsFor = (fields: readonly FieldReferences[], find: FindObject, home: string) =>
  Object.fromEntries(
    fields.map(({ field, form, references }) => {
      if (form === 'selected') return [field, references.flatMap((one) => find(one)?.items ?? [])];
      const found = references.map((one) => {
        const object = find(one);
        const isElsewhere = one.namespace !== '' && one.namespace !== home;
        return object && isElsewhere ? { ...object, namespace: one.namespace } : object;
      });
      return [field, form === 'one' ? found[0] : found];
    }),
  );
