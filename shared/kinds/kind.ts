import type { Static, TObject, TProperties } from 'typebox';
import { isFields } from '../json.ts';
import {
  groupResource,
  isOfType,
  type JsonObject,
  type ObjectRef,
  type ResourceType,
} from '../kubernetes.ts';
import type { Child } from './child.ts';
import type { ChildType, FoundChild, Scale } from './child-type.ts';
import type { NewCondition, State } from './condition-types.ts';
import type { FindObject, ReadDefinitions, ReadObjects, Reference, Resource } from './reads.ts';
import type { Rule } from './schema/rules.ts';

/** Reports whether a time (RFC 3339) has come. The next resync after that time changes what depends on it. */
export type IsPast = (time: string | Date) => boolean;

/** One field of a child that a run changed; an absent value is undefined. */
export interface Change {
  readonly child: ObjectRef;
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** The changes that a run made for one resource. A kind derives Events from them. */
export interface Progress {
  /** True if no earlier run has tried this generation, or if this run wrote children because of the edit. */
  readonly newGeneration: boolean;
  /** True if all desired children are up to date for the first time since an edit or a stall. */
  readonly completed: boolean;
  readonly changes: readonly Change[];
}

/** An Event about a resource. */
export interface Note {
  readonly type: 'Normal' | 'Warning';
  /** The reason in upper camel case, such as `ImageUpdated`. */
  readonly reason: string;
  readonly message: string;
}

/** A column of `kubectl get`. The columns Ready, Reason, Suspended and Age follow, unless the kind has its own. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** Path in the resource, such as `.spec.replicas`. */
  readonly jsonPath: string;
}

/** The argument of `statusOf` and `conditionsOf`. */
export interface StatusInput<Spec = unknown, Reads extends object = object>
  extends Pick<Resource<Spec>, 'name' | 'namespace' | 'createdAt' | 'labels'> {
  readonly state: State;
  /** The validated spec with its defaults; undefined if the spec is invalid (`InvalidSpec`). */
  readonly spec: Spec | undefined;
  /** The objects that the kind reads; undefined if the spec is invalid or an object cannot be read. */
  readonly reads: ReadObjects<Reads> | undefined;
  /** The existing desired children, in the order of `children`, followed by completed Jobs that no longer exist. */
  readonly children: readonly FoundChild[];
  readonly isPast: IsPast;
}

export interface Findings extends Resource<unknown>, Omit<StatusInput, 'spec' | 'reads'> {
  /** Returns a function that finds the objects which the kind reads; undefined if one of them could not be read. */
  readonly finder: () => FindObject | undefined;
}

/**
 * Another version of the kind, with the same schema.
 *
 * Caveats: the API server refuses a CRD that lacks a version in `status.storedVersions`. So keep a former `version`
 * here, served or not, until all objects have been stored again.
 */
export interface KindVersion {
  readonly name: string;
  readonly served: boolean;
  /** Makes the API server warn clients that use this version. */
  readonly deprecated?: boolean;
}

/** The argument of `defineKind`. */
export interface KindDefinition<
  Spec extends TObject,
  Reads extends object = object,
  Status extends TProperties = TProperties,
> extends ResourceType {
  /** Versions in addition to `version`. Runs use only `version`, in which objects are stored. */
  readonly versions?: readonly KindVersion[];
  /** Short names in lower case, for kubectl, the `reconciler` commands and `KINDS`. */
  readonly shortNames?: readonly string[];
  /** Groups of types that `kubectl get` lists together, such as `all`. */
  readonly categories?: readonly string[];
  /** The schema of `spec`. The CRD is derived from it. Runs also add defaults that an older CRD lacks. */
  readonly spec: Spec;
  /** The kind's status fields. The engine adds its own, such as `conditions`. */
  readonly status?: Status;
  /** Lets `kubectl scale` and autoscalers set the replicas. The API server validates these writes like edits. */
  readonly scale?: Scale;
  readonly columns?: readonly Column[];
  /** Rules for the whole resource (`self.spec…`, `self.metadata.name`). */
  readonly rules?: readonly Rule[];
  /** Sample resources. `generate` and `build` check their children; `npm start` applies them. */
  readonly samples: readonly { readonly name: string; readonly spec: Written<Static<Spec>> }[];
  /** The types of the children. Runs list these types, and the generated RBAC permits writing them. */
  readonly owns: readonly ChildType[];
  /**
   * Types of children that only an earlier version of the kind returned. Runs delete such children, within
   * `PRUNE_LIMIT`. Children of a type that is neither here nor in `owns` stay, because runs do not read the type.
   */
  readonly formerly?: readonly ChildType[];
  /** Objects to read. Put `reads` before every function that receives them, so that TypeScript can infer their types. */
  readonly reads?: Reads & ReadDefinitions<Static<Spec>>;
  /**
   * The maximum number of resources that a disruptive change to the kind's code may reach at a time: a number such as
   * 2, or a percentage such as `'5%'`. `ROLLOUT_BUDGET` applies as well.
   */
  readonly rolloutBudget?: number | string;
  /** Explains why a spec cannot be reconciled although the schema and rules accept it; undefined if it can. */
  readonly refuse?: (spec: Static<Spec>) => string | undefined;
  /**
   * Returns the desired children. Their types must be in `owns`. A run deletes all others, within `PRUNE_LIMIT`. Pure:
   * depends only on the resource, the read objects and `isPast`, never on a clock, a client or a random value.
   */
  readonly children: (
    resource: Resource<Static<Spec>> & {
      readonly reads: ReadObjects<Reads>;
      readonly isPast: IsPast;
    },
  ) => readonly Child[];
  /**
   * Returns the clean-up of a deleted resource: Jobs that must complete, objects that must be `gone`, and children that
   * one of these needs. Runs call `finalize` in place of `children` while the resource is being deleted. A finalizer
   * keeps the resource until the clean-up has ended. Until then, runs leave all other children alone. Pure.
   */
  readonly finalize?: KindDefinition<Spec, Reads, Status>['children'];
  /** Seconds after which the finalizer is removed even if the clean-up is not done; default: 3600. */
  readonly finalizeSeconds?: number;
  /** Returns the values of the fields in `status`; an omitted field is removed. Pure. */
  readonly statusOf?: (found: StatusInput<Static<Spec>, Reads>) => JsonObject;
  /**
   * The condition types that `conditionsOf` may return. Keep a type here until no resource has it, because runs remove
   * only conditions of these types.
   */
  readonly conditions?: readonly string[];
  /** Returns conditions in addition to the engine's. The engine adds generation and times. Pure. */
  readonly conditionsOf?: (found: StatusInput<Static<Spec>, Reads>) => readonly NewCondition[];
  /** Returns further Events if a run wrote something. Not called for a resource being deleted or only observed. Pure. */
  readonly notes?: (progress: Progress) => readonly Note[];
}

/**
 * A spec in a manifest, which may omit fields with a default. Static types do not show defaults, so every field is
 * optional here. The API server refuses a resource that lacks a required field.
 */
export type Written<Value> = Value extends readonly (infer Item)[]
  ? readonly Written<Item>[]
  : Value extends object
    ? { readonly [Field in keyof Value]?: Written<Value[Field]> }
    : Value;

type Defaulted =
  | 'versions'
  | 'shortNames'
  | 'categories'
  | 'columns'
  | 'rules'
  | 'formerly'
  | 'finalizeSeconds'
  | 'conditions'
  | 'notes';

/** A kind of custom resources. It is also a child type: other kinds may own its resources. */
export interface Kind<Body extends object = object, Read extends object = object>
  extends ChildType<Body, Read>,
    Required<Pick<KindDefinition<TObject>, Defaulted>>,
    Pick<KindDefinition<TObject>, 'rolloutBudget'> {
  readonly schema: { readonly spec: TObject; readonly status: TProperties };
  readonly scale?: Scale;
  readonly samples: readonly { readonly name: string; readonly spec: JsonObject }[];
  /** Includes the types in `formerly`. */
  readonly owns: readonly ChildType[];
  readonly reads: ReadDefinitions<unknown>;
  readonly refersTo: readonly ChildType[];
  readonly references: (
    resource: Resource<unknown>,
  ) => readonly Reference[] | { readonly invalid: string };
  /**
   * Returns the children, or why the spec is invalid: an older CRD may have accepted it. Without `find`, every
   * referenced object counts as absent; without `isPast`, every time is still to come.
   */
  readonly desired: (
    resource: Resource<unknown>,
    find?: FindObject,
    isPast?: IsPast,
  ) => readonly Child[] | { readonly invalid: string };
  /** Like `desired`, for a resource that is being deleted; undefined if the kind has no finalizer. */
  readonly finalize?: Kind['desired'];
  /** Returns the kind's own fields and conditions of the status. */
  readonly ownStatus: (found: Findings) => {
    readonly fields: JsonObject;
    readonly conditions: readonly NewCondition[];
  };
}

export const isKind = (value: unknown): value is Kind =>
  isFields(value) && typeof value.desired === 'function';

export const desiredBy = (
  { desired, finalize }: Pick<Kind, 'desired' | 'finalize'>,
  { deleting }: { readonly deleting: boolean },
): Kind['desired'] => (deleting ? finalize : undefined) ?? desired;

export const ownedType = (
  { owns }: Pick<Kind, 'owns'>,
  ref: Pick<ObjectRef, 'apiVersion' | 'kind'>,
): ChildType | undefined => owns.find((type) => isOfType(ref, type));

export const childTypesOf = (kinds: readonly Pick<Kind, 'owns'>[]): readonly ChildType[] => [
  ...new Map(kinds.flatMap(({ owns }) => owns).map((type) => [groupResource(type), type])).values(),
];

/** Reports whether the word names the kind: `Foo`, `foos`, `foos.example.com` or a short name, in any case. */
export const hasName = (kind: Kind, word: string): boolean =>
  [kind.kind, kind.plural, groupResource(kind), ...kind.shortNames].some(
    (name) => name.toLowerCase() === word.toLowerCase(),
  );
