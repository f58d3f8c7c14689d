import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { isDeeperThan } from '../canonical.ts';
import {
  groupResource,
  isClusterScoped,
  isOfType,
  isSameType,
  type JsonObject,
  type ObjectRef,
  type ResourceType,
  titleOf,
} from '../kubernetes.ts';
import { checkDefinition } from './check-definition.ts';
import type { ChildType, Scale } from './child-type.ts';
import { declaredConditions, type NewCondition, type State } from './condition-types.ts';
import { kindReadiness } from './readiness.ts';
import {
  type FindObject,
  handedOver,
  objectsFor,
  type Readings,
  type ReadObjects,
  type Reference,
  referencesIn,
} from './reads.ts';
import type { Resource } from './resource.ts';
import { checkOf, type Rule, ruleCheckOf } from './rules.ts';
import { withDefaults } from './schema-defaults.ts';
import { childrenProblems, definitionProblems } from './shapes.ts';
import { type StructuralSchema, structuralSchema } from './structural-schema.ts';

/** One child as a kind wants it; the engine adds its own labels, the owner and a resource's namespace. */
export interface Child {
  readonly type: ChildType;
  readonly name: string;
  /**
   * Of a namespaced child of a cluster-scoped resource, which must have one; no other child has. If the
   * resource wants that Namespace too, the child waits for it.
   */
  readonly namespace?: string;
  /** Besides the labels of the engine. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Everything except apiVersion, kind and metadata. Ports need a protocol, Secret data is base64. */
  readonly body: JsonObject;
  /** Paths of fields that keep their live value when they are no longer wanted. */
  readonly handsOver?: readonly string[];
  /** Other children of the resource: this one is written only once they are as wanted. */
  readonly needs?: readonly ChildName[];
  /**
   * Its target: the Deployment of an autoscaler, the Service behind an Ingress. The child is written
   * only while the resource owns the target, and deleted once the target is foreign.
   */
  readonly actsOn?: ChildName;
  /** Secret data that is generated once. Its values are neither in `body` nor in any plan. */
  readonly generated?: Generated;
  /**
   * What to do about an object of this name that has no controller; default: `fail`, which reports
   * `ErrResourceExists`. It is adopted only if it has the three labels that the engine gives this child.
   */
  readonly onCollision?: 'fail' | 'adopt-if-unowned';
  /**
   * Set if the child is wanted but must not be written, with the reason. With `transient` the resource is
   * Reconciling, not Stalled: what is missing will appear by itself.
   */
  readonly blocked?: Blocked;
}

interface Blocked {
  readonly reason: string;
  readonly message: string;
  readonly transient?: boolean;
}

/** A child, with its body as its type has it. */
export const child = <Body extends object>(
  type: ChildType<Body>,
  wanted: Omit<Child, 'type' | 'body'> & { readonly body: NoInfer<Body> },
): Child => ({ type, ...wanted, body: wanted.body as JsonObject });

/** Another object of the resource, named as a child is. */
export interface ChildName {
  readonly type: ChildType;
  readonly name: string;
  readonly namespace?: string;
}

/**
 * Guarantees: a value is generated only if the Secret lacks it and nothing in `usedBy` exists, read by
 * name after the Secret was found to lack it. It is never changed or restored afterwards.
 * Caveats: if something in `usedBy` is created and the Secret deleted in the instant before the write,
 * that is not noticed.
 */
export interface Generated {
  /** Keys of the Secret's data. Each value has 32 random characters. */
  readonly keys: readonly string[];
  /** Objects that use the values: while one exists, lost values must be restored by hand. */
  readonly usedBy: readonly ChildName[];
}

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

/** A column of `kubectl get`, before Ready, Reason and Age, which every kind has. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
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
   * Deployment `availableReplicas`; of a CronJob `active` (how many Jobs), `lastScheduleTime` and
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
   * any that is no longer wanted, also within `PRUNE_LIMIT`, and never written. A type that is in
   * neither list is not read, so its children stay.
   */
  readonly formerly?: readonly ChildType[];
  /** What is read and never written: objects that a resource refers to. Stands before `children`, which is typed by it. */
  readonly reads?: Reads & Readings<Static<Spec>>;
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
  readonly reads: Readings<unknown>;
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

/**
 * Defines a custom resource: types, CRD, validation, RBAC, audit filter and samples follow from it.
 * Throws if the API server would refuse the definition, with its kind, the place and a remedy.
 */
export function defineKind<
  Spec extends TObject,
  Reads extends object = object,
  Status extends TProperties = TProperties,
>(
  definition: KindDefinition<Spec, Reads, Status>,
): Kind<{ readonly spec: Written<Static<Spec>> }, ReadResource<Spec, Status>> {
  const { spec: schema, status, refuse: _, children: __, reads: given, ...rest } = definition;
  const { kind, formerly = [], conditions = [], conditionsOf = () => [] } = definition;
  throwAny(kind, definitionProblems({ ...definition }));
  const structural = structuralSchema(schema, `${definition.kind}: spec`);
  checkDefinition(definition, {
    spec: structural,
    status: structuralSchema(Type.Object(status ?? {}), `${definition.kind}: status`),
  });
  const reads = (given ?? {}) as Readings<unknown>;
  return {
    versions: [],
    shortNames: [],
    categories: [],
    columns: [],
    rules: [],
    statusOf: () => ({}),
    notes: () => [],
    readiness: kindReadiness,
    ...rest,
    owns: [...definition.owns, ...formerly],
    formerly,
    reads,
    refersTo: handedOver(reads).map(([, { type }]) => type),
    conditions,
    conditionsOf: (found) => declaredConditions({ kind, conditions }, conditionsOf(found)),
    samples: definition.samples.map(({ name, spec }) => ({ name, spec: spec as JsonObject })),
    schema: { spec: schema, status: status ?? {} },
    ...wishesOf(definition, reads, structural),
  };
}

/** What a kind that reads a resource of this one receives. */
interface ReadResource<Spec extends TObject, Status extends TProperties> {
  readonly spec: Static<Spec>;
  /** With what the engine writes for every kind. */
  readonly status?: Static<TObject<Status>> & JsonObject;
}

/** What resources of the kind refer to and want. */
function wishesOf<Spec extends TObject, Reads extends object>(
  definition: KindDefinition<Spec, Reads>,
  reads: Readings<unknown>,
  structural: StructuralSchema,
): Pick<Kind, 'references' | 'desired'> {
  const { kind, children } = definition;
  const check = specCheckOf(definition, structural);
  /** The resource with its specification completed, and what it refers to. */
  const checked = (resource: Resource<unknown>) => {
    const found = check(resource);
    if ('invalid' in found) return found;
    const complete = { ...resource, spec: found.spec };
    const fields = referencesIn(reads, complete);
    return 'invalid' in fields ? fields : { complete, fields };
  };
  return {
    references(resource) {
      if (handedOver(reads).length === 0) return [];
      try {
        const found = checked(resource);
        return 'invalid' in found ? found : found.fields.flatMap(({ references }) => references);
      } catch (error) {
        throw ownError(kind, error);
      }
    },
    desired(resource, find = () => undefined) {
      let wanted: readonly Child[];
      try {
        const found = checked(resource);
        if ('invalid' in found) return found;
        const objects = objectsFor(found.fields, find) as ReadObjects<Reads>;
        wanted = children({ ...found.complete, reads: objects });
      } catch (error) {
        throw ownError(kind, error);
      }
      assertWanted(definition, wanted);
      return wanted;
    },
  };
}

/** Completes the specification of a resource, or says why it is invalid. */
function specCheckOf<Spec extends TObject>(
  { spec: schema, rules = [], refuse }: Pick<KindDefinition<Spec>, 'spec' | 'rules' | 'refuse'>,
  structural: StructuralSchema,
) {
  const checkResource = checkOf(rules);
  const checkFields = ruleCheckOf(structural);
  return function checkSpec({
    name,
    spec: stored,
  }: Resource<unknown>): { readonly spec: Static<Spec> } | { readonly invalid: string } {
    // A spec may have been stored before the CRD had its defaults.
    const spec = withDefaults(structural, stored ?? {});
    if (!Check(schema, spec)) return { invalid: describe(schema, spec) };
    const refusal =
      checkResource?.({ metadata: { name }, spec }, '') ??
      checkFields?.(spec, 'spec') ??
      refuse?.(spec);
    return refusal === undefined ? { spec } : { invalid: refusal };
  };
}

function throwAny(kind: string, problems: readonly string[]): void {
  if (problems.length > 0)
    throw new Error(problems.map((problem) => `${kind}: ${problem}`).join('\n'));
}

function assertWanted(
  definition: ResourceType & { readonly formerly?: readonly ChildType[] },
  wanted: readonly Child[],
): void {
  const { kind, formerly = [] } = definition;
  throwAny(kind, childrenProblems(wanted));
  for (const one of wanted) assertPlaced(definition, one);
  const former = wanted.find(({ type }) => formerly.some((one) => isSameType(one, type)));
  if (former !== undefined)
    throw new Error(
      `${kind}: children returned ${former.type.kind} ${former.name}, whose type is in formerly; move it to owns`,
    );
}

function assertPlaced(kind: ResourceType, { type, name, namespace }: Child): void {
  const isPlaced = isClusterScoped(kind) && !isClusterScoped(type);
  if (isPlaced === (namespace !== undefined)) return;
  const what = `${kind.kind}: children returned ${titleOf({ kind: type.kind, namespace, name })}`;
  if (isPlaced) throw new Error(`${what} without a namespace; set namespace beside name`);
  const why = isClusterScoped(type)
    ? `${type.kind} is cluster-scoped`
    : `the children of a ${kind.kind} are in its own`;
  throw new Error(`${what} with a namespace; remove it, as ${why}`);
}

/** What a kind's own code threw, with the kind and the innermost place in its source. */
function ownError(kind: string, error: unknown): Error {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const frames = [...stack.matchAll(/^ +at (?:.*\()?(.+?)(:\d+:\d+)\)?$/gm)];
  const engine = frames.findIndex(([text]) => /[ .](?:desired|namesIn|checkSpec) /.test(text));
  // What the engine says about a result has no place in the kind's source.
  if (engine === 0) return new Error(`${kind}: ${error}`, { cause: error });
  const file = frames[Math.max(engine - 1, 0)]?.[1];
  const [, , position] = frames.find(([, name]) => name === file) ?? [];
  const place = file === undefined ? '' : ` at ${file}${position}`;
  return new Error(`${kind}: ${error}${place}`, { cause: error });
}

/** More than any kind's spec has. */
const maxLevels = 64;
const maxErrors = 10;
const maxPath = 256;

const describe = (schema: TSchema, value: unknown): string =>
  isDeeperThan(maxLevels, value)
    ? `spec is nested deeper than ${maxLevels} levels`
    : Errors(schema, value)[1]
        .slice(0, maxErrors)
        .map(
          ({ instancePath, message }) =>
            `spec${instancePath.replaceAll('/', '.').slice(0, maxPath)} ${message}`,
        )
        .join('; ');
