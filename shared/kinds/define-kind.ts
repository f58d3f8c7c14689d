import type { Static, TObject, TProperties, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Value } from 'typebox/value';
import { isDeeperThan } from '../canonical.ts';
import {
  groupResource,
  type JsonObject,
  type ObjectRef,
  type ResourceType,
} from '../kubernetes.ts';
import type { ChildType } from './child-types.ts';
import { checkOf, type Rule, ruleCheckOf } from './rules.ts';

/** All that a resource's children may depend on. */
export interface Resource<Spec> {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly spec: Spec;
}

/** One child as a kind wants it: its labels, owner and namespace are added by the engine. */
export interface Child {
  readonly type: ChildType;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Everything beside apiVersion, kind and metadata. Ports carry a protocol, Secret data is base64. */
  readonly body: JsonObject;
  /** Field paths that keep their live value when they are no longer wanted. */
  readonly handsOver?: readonly string[];
  /** Other children of the resource: this one is written only while they are as wanted. */
  readonly needs?: readonly ChildName[];
  /**
   * What it acts on: the target of an autoscaler, the Service behind an Ingress. Written only while
   * that is the resource's own, and deleted once it is another's.
   */
  readonly actsOn?: ChildName;
  /** Of a Secret: data that is generated once. Its values are not part of `body`, nor of any plan. */
  readonly generated?: Generated;
  /** What is done about an object of this name without a controller; the default is `fail`. */
  readonly onCollision?: 'fail' | 'adopt-if-unowned';
  /** Why it cannot be written now, though it is wanted. */
  readonly blocked?: { readonly reason: string; readonly message: string };
}

/** Another object in the resource's namespace. */
export interface ChildName {
  readonly type: ResourceType;
  readonly name: string;
}

/**
 * Guarantees: a value is generated only if no live Secret has one and none of `usedBy` exists, both read
 * after the Secret was seen to be absent; it is never changed and never restored.
 * Caveats: `usedBy` created and the Secret deleted in the instant before the write go unnoticed.
 */
export interface Generated {
  /** Keys of the Secret's data; each gets 32 random characters. */
  readonly keys: readonly string[];
  /** What relies on the values: while any of it exists, lost values have to be restored by hand. */
  readonly usedBy: readonly ChildName[];
}

/** One field of a child that a run changed; `from` or `to` is undefined where the field is absent. */
export interface Change {
  readonly child: ObjectRef;
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** The result of a run for one resource, as far as its Kubernetes Events depend on it. */
export interface Progress {
  /** No run had seen the generation before. */
  readonly newGeneration: boolean;
  /** Everything wanted is written, and was not when the status was last written. */
  readonly completed: boolean;
  readonly changes: readonly Change[];
}

export interface Note {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
}

/** What a run found about one resource, as far as the kind's own status fields may depend on it. */
export interface StatusInput {
  readonly name: string;
  readonly namespace: string;
  readonly state: 'Ready' | 'Reconciling' | 'Stalled';
  /** The live children that are wanted, in their order, with what each reports of itself. */
  readonly children: readonly (ObjectRef & { readonly facts: JsonObject })[];
}

export interface KindDefinition<Spec extends TObject> extends ResourceType {
  readonly shortNames?: readonly string[];
  readonly spec: Spec;
  /** Status fields beside observedGeneration, children and conditions. */
  readonly status?: TProperties;
  readonly columns?: readonly Column[];
  /** Rules on the whole resource (`self.spec…`, `self.metadata.name`). */
  readonly rules?: readonly Rule[];
  readonly samples: readonly { readonly name: string; readonly spec: Static<Spec> | JsonObject }[];
  readonly owns: readonly ChildType[];
  /** Read by name, never written: the objects that hold `generated` data. */
  readonly reads?: readonly ResourceType[];
  /** Why a spec that the schema and the rules accept cannot be acted on, or undefined. */
  readonly refuse?: (spec: Static<Spec>) => string | undefined;
  /** Pure: depends on nothing but its argument. */
  readonly children: (resource: Resource<Static<Spec>>) => readonly Child[];
  readonly statusOf?: (found: StatusInput) => JsonObject;
  readonly notes?: (progress: Progress) => readonly Note[];
}

/** A custom resource kind with its spec type hidden. */
export interface Kind extends ResourceType {
  readonly shortNames: readonly string[];
  readonly schema: { readonly spec: TObject; readonly status: TProperties };
  readonly columns: readonly Column[];
  readonly rules: readonly Rule[];
  readonly samples: readonly { readonly name: string; readonly spec: JsonObject }[];
  readonly owns: readonly ChildType[];
  readonly reads: readonly ResourceType[];
  /** The wanted children, or why the spec is refused (a spec that an older schema accepted). */
  readonly desired: (
    resource: Resource<unknown>,
  ) => readonly Child[] | { readonly invalid: string };
  readonly statusOf: (found: StatusInput) => JsonObject;
  readonly notes: (progress: Progress) => readonly Note[];
}

/** Whether `word` names the kind: `Foo`, `foos`, `foos.example.com` or a short name. */
export const isNamed = (kind: Kind, word: string): boolean =>
  [kind.kind, kind.plural, groupResource(kind), ...kind.shortNames].some(
    (name) => name.toLowerCase() === word.toLowerCase(),
  );

/** One custom resource in one expression: types, CRD, validation, RBAC, audit filter and sample follow from it. */
export function defineKind<Spec extends TObject>(definition: KindDefinition<Spec>): Kind {
  const { spec: schema, status, refuse, children, ...rest } = definition;
  const validator = Compile(schema);
  const checkResource = checkOf(definition.rules ?? []);
  const checkSpec = ruleCheckOf(schema);
  return {
    shortNames: [],
    columns: [],
    rules: [],
    reads: [],
    statusOf: () => ({}),
    notes: () => [],
    ...rest,
    samples: definition.samples.map(({ name, spec }) => ({ name, spec: spec as JsonObject })),
    schema: { spec: schema, status: status ?? {} },
    desired(resource) {
      const isGood = validator.Check(resource.spec);
      if (!isGood && isDeeperThan(maxLevels, resource.spec))
        return { invalid: `spec is nested deeper than ${maxLevels} levels` };
      const spec = isGood ? resource.spec : defaulted(schema, resource.spec);
      if (!validator.Check(spec)) return { invalid: describe(schema, spec) };
      const refusal =
        checkResource?.({ metadata: { name: resource.name }, spec }, '') ??
        checkSpec?.(spec, 'spec') ??
        refuse?.(spec);
      return refusal === undefined ? children({ ...resource, spec }) : { invalid: refusal };
    },
  };
}

/** For a spec that was stored before a field or its default was added. */
const defaulted = (schema: TSchema, spec: unknown): unknown =>
  Value.Default(schema, Value.Clone(spec ?? {}));

/** More than any kind's spec has. */
const maxLevels = 64;
const maxErrors = 10;
const maxPath = 256;

const describe = (schema: TSchema, value: unknown): string =>
  Value.Errors(schema, value)
    .slice(0, maxErrors)
    .map(
      ({ instancePath, message }) =>
        `spec${instancePath.replaceAll('/', '.').slice(0, maxPath)} ${message}`,
    )
    .join('; ');
