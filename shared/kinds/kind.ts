import type { Static, TObject, TProperties } from 'typebox';
import {
  groupResource,
  isOfType,
  type JsonObject,
  type ObjectRef,
  type ResourceType,
} from '../kubernetes.ts';
import type { Child } from './child.ts';
import type { ChildType, Scale } from './child-type.ts';
import type { NewCondition, State } from './condition-types.ts';
import type { FindObject, ReadDefinitions, ReadObjects, Reference, Resource } from './reads.ts';
import type { Rule } from './schema/rules.ts';

/** One field of a child that a run changed; an absent field is undefined. */
export interface Change {
  readonly child: ObjectRef;
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** What a kind's Events may depend on: the result of a run for one resource. */
export interface Progress {
  /** This generation was not tried before this run. */
  readonly newGeneration: boolean;
  /** Everything wanted is written now, and was not when the status was last written. */
  readonly completed: boolean;
  readonly changes: readonly Change[];
}

/** An Event about a resource. */
export interface Note {
  readonly type: 'Normal' | 'Warning';
  /** In upper camel case, as `ImageUpdated`. */
  readonly reason: string;
  readonly message: string;
}

/** A column of `kubectl get`, before Ready, Reason, Suspended and Age, which every kind has. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** Of the resource, as `.spec.replicas`. */
  readonly jsonPath: string;
}

/** What the kind's own status fields and conditions may depend on. */
export interface StatusInput {
  readonly name: string;
  /** Empty for a cluster-scoped resource. */
  readonly namespace: string;
  readonly state: State;
  /**
   * The live children that are wanted, in the kind's order, with what their types state of them: of a
   * Deployment `availableReplicas`; of a StatefulSet `readyReplicas`; of a CronJob `active` (how many Jobs), `lastScheduleTime` and
   * `lastSuccessfulTime`; of a Secret `keys`.
   */
  readonly children: readonly (ObjectRef & { readonly facts: JsonObject })[];
}

/**
 * Another version of the kind, with the same schema.
 *
 * Caveats: the API server refuses a definition without a version that `status.storedVersions` lists, so
 * one that was `version` before stays here, served or not, until its objects are stored anew.
 */
export interface KindVersion {
  readonly name: string;
  readonly served: boolean;
  /** The API server warns its users. */
  readonly deprecated?: boolean;
}

/** What `defineKind` takes. */
export interface KindDefinition<
  Spec extends TObject,
  Reads extends object = object,
  Status extends TProperties = TProperties,
> extends ResourceType {
  /** Versions besides `version`, which is the one that is stored, written and read here. */
  readonly versions?: readonly KindVersion[];
  /** Further names for kubectl and for the commands and `KINDS` here, in lower case. */
  readonly shortNames?: readonly string[];
  /** Groups of types that `kubectl get` lists together, such as `all`. */
  readonly categories?: readonly string[];
  /**
   * The schema of `spec`, translated for the API server, or refused by `defineKind`. Defaults are also
   * added to specifications that were stored without them.
   */
  readonly spec: Spec;
  /** Status fields besides observedGeneration, children and conditions. */
  readonly status?: Status;
  /** With it `kubectl scale` and autoscalers set the replicas; the API server checks them as any edit of the spec. */
  readonly scale?: Scale;
  readonly columns?: readonly Column[];
  /** Rules on the whole resource (`self.spec…`, `self.metadata.name`). */
  readonly rules?: readonly Rule[];
  /** Resources for which `generate` and `build` check the children; `npm start` applies them. */
  readonly samples: readonly { readonly name: string; readonly spec: Static<Spec> | JsonObject }[];
  /** The types of its children: of these alone the functions have rights. */
  readonly owns: readonly ChildType[];
  /**
   * Types that resources may own from an earlier version of the kind: their children are deleted like
   * any that is no longer wanted, subject to `PRUNE_LIMIT`, and never written. A type that is in
   * neither list is not read, so its children stay.
   */
  readonly formerly?: readonly ChildType[];
  /** What is read and never written: objects that a resource refers to. Stands before `children`, which is typed by it. */
  readonly reads?: Reads & ReadDefinitions<Static<Spec>>;
  /**
   * The most resources to change at a time when only the code of the kind has changed and the change is disruptive:
   * a number such as 2, or a percentage such as `'5%'`. `ROLLOUT_BUDGET` applies as well.
   */
  readonly rolloutBudget?: number | string;
  /** Why a spec that passes the schema and the rules cannot be acted on; undefined if it can. */
  readonly refuse?: (spec: Static<Spec>) => string | undefined;
  /**
   * The wanted children, all of types in `owns`; any other child of the resource is deleted. Called in
   * every run. Pure: the same for the same resource and read objects, without a clock, a client or a
   * random value.
   */
  readonly children: (
    resource: Resource<Static<Spec>> & { readonly reads: ReadObjects<Reads> },
  ) => readonly Child[];
  /** The values of the fields in `status`; a field that it leaves out is removed. Pure. */
  readonly statusOf?: (found: StatusInput) => JsonObject;
  /**
   * The types that `conditionsOf` may return. One that it does not return is removed; so a type stays
   * here until no resource has it.
   */
  readonly conditions?: readonly string[];
  /** Conditions beside those of the engine, which adds generation and times. Pure. */
  readonly conditionsOf?: (found: StatusInput) => readonly NewCondition[];
  /** Events beside those of the engine, posted at the end of a run that wrote something. Pure. */
  readonly notes?: (progress: Progress) => readonly Note[];
}

/**
 * A spec as a resource of it is written: fields that have a default may be left out. As types do not
 * say which have one, any may; the API server refuses a resource without a required one.
 */
export type Written<Value> = Value extends readonly (infer Item)[]
  ? readonly Written<Item>[]
  : Value extends object
    ? { readonly [Field in keyof Value]?: Written<Value[Field]> }
    : Value;

/** A custom resource kind with its spec type hidden. It is a child type, too: other kinds may own its resources. */
export interface Kind<Body extends object = object, Read extends object = object>
  extends ChildType<Body, Read> {
  readonly versions: readonly KindVersion[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly schema: { readonly spec: TObject; readonly status: TProperties };
  readonly scale?: Scale;
  readonly columns: readonly Column[];
  readonly rules: readonly Rule[];
  readonly samples: readonly { readonly name: string; readonly spec: JsonObject }[];
  /** Every type whose objects are read and pruned, those in `formerly` too. */
  readonly owns: readonly ChildType[];
  readonly formerly: readonly ChildType[];
  readonly reads: ReadDefinitions<unknown>;
  /** The types of the objects that resources may refer to. */
  readonly refersTo: readonly ChildType[];
  /** The objects that the resource refers to, or why the spec is invalid. */
  readonly references: (
    resource: Resource<unknown>,
  ) => readonly Reference[] | { readonly invalid: string };
  /**
   * The wanted children, or why the spec is invalid (it may have been stored under an older CRD). By
   * default nothing that the resource refers to exists.
   */
  readonly desired: (
    resource: Resource<unknown>,
    find?: FindObject,
  ) => readonly Child[] | { readonly invalid: string };
  readonly statusOf: (found: StatusInput) => JsonObject;
  readonly conditions: readonly string[];
  readonly conditionsOf: (found: StatusInput) => readonly NewCondition[];
  readonly notes: (progress: Progress) => readonly Note[];
  readonly rolloutBudget?: number | string;
}

/** The child type of a reference; undefined if the kind does not own it. */
export const ownedType = (
  { owns }: Pick<Kind, 'owns'>,
  ref: Pick<ObjectRef, 'apiVersion' | 'kind'>,
): ChildType | undefined => owns.find((type) => isOfType(ref, type));

/** Every child type that one of the kinds owns, once. */
export const childTypesOf = (kinds: readonly Pick<Kind, 'owns'>[]): readonly ChildType[] => [
  ...new Map(kinds.flatMap(({ owns }) => owns).map((type) => [groupResource(type), type])).values(),
];

/** Whether `word` names the kind: `Foo`, `foos`, `foos.example.com` or a short name. */
export const isNamed = (kind: Kind, word: string): boolean =>
  [kind.kind, kind.plural, groupResource(kind), ...kind.shortNames].some(
    (name) => name.toLowerCase() === word.toLowerCase(),
  );
