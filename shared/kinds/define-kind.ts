import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { Compile, Errors } from 'typebox/schema';
import { isDeeperThan, maxDepth, withoutUndefined } from '../canonical.ts';
import type { JsonObject } from '../kubernetes.ts';
import { once } from '../once.ts';
import { truncate } from '../printable.ts';
import { checkedChildren, type Returning } from './checks/children.ts';
import { definitionProblems } from './checks/definition.ts';
import type { NewCondition } from './condition-types.ts';
import type { Findings, Kind, KindDefinition, StatusInput, Written } from './kind.ts';
import { callOwn, definitionErrors, InvalidSpec, orInvalid, throwAny } from './own-code.ts';
import { kindReadiness } from './readiness.ts';
import {
  namedReads,
  objectsFor,
  type ReadDefinitions,
  type ReadObjects,
  type Resource,
} from './reads.ts';
import { referencesIn } from './references/references-in.ts';
import { withRules } from './schema/rules.ts';
import { structuralSchema } from './schema/structural-schema.ts';
import {
  brokenRule,
  inexactInteger,
  otherValue,
  placesIn,
  type StructuralSchema,
  unknownField,
  withDefaults,
} from './schema/walk.ts';

/**
 * Defines a custom resource. Its types, CRD, validation, RBAC, audit filter and samples are derived from the
 * definition. An error for an invalid definition names the kind, the location and the remedy.
 */
export function defineKind<
  Spec extends TObject,
  Reads extends object = object,
  Status extends TProperties = TProperties,
>(
  definition: KindDefinition<Spec, Reads, Status>,
): Kind<{ readonly spec: Written<Static<Spec>> }, ReadResource<Spec, Status>> {
  const { spec: schema, status, refuse: _, children: __, finalize: ___, ...more } = definition;
  const { reads: given, ...rest } = more;
  const { kind, formerly = [], conditions = [], notes } = definition;
  const structural = translated(schema, `${kind}: spec`);
  const reads = (given ?? {}) as ReadDefinitions<unknown>;
  const { inputOf, ...desired } = desiredStateOf(definition, reads, structural);
  const defined: Kind<{ readonly spec: Written<Static<Spec>> }, ReadResource<Spec, Status>> = {
    versions: [],
    shortNames: [],
    categories: [],
    columns: [],
    rules: [],
    finalizeSeconds: 3600,
    readiness: kindReadiness,
    ...rest,
    owns: [...definition.owns, ...formerly],
    formerly,
    reads,
    refersTo: namedReads(reads).map(([, { type }]) => type),
    conditions,
    samples: definition.samples.map(({ name, spec }) => ({ name, spec: spec as JsonObject })),
    schema: { spec: schema, status: status ?? {} },
    ...desired,
    ownStatus: ownStatusOf(definition, inputOf),
    notes: (progress) => (notes && callOwn(kind, notes, progress)) ?? [],
  };
  throwAny(kind, definitionProblems(defined));
  const origin = new Error();
  Error.captureStackTrace(origin, defineKind);
  definitionErrors.set(defined, origin);
  return defined;
}

/** A resource as other kinds read it. */
interface ReadResource<Spec extends TObject, Status extends TProperties> {
  readonly spec: Static<Spec>;
  /** Also has the fields that the engine writes for every kind. */
  readonly status?: Static<TObject<Status>> & JsonObject;
}

function desiredStateOf<Spec extends TObject, Reads extends object>(
  definition: KindDefinition<Spec, Reads>,
  reads: ReadDefinitions<unknown>,
  structural: StructuralSchema,
): Pick<Kind, 'references' | 'desired' | 'finalize'> & {
  readonly inputOf: (found: Findings) => StatusInput<Static<Spec>, Reads>;
} {
  const { kind, children, finalize } = definition;
  const check = specCheckOf(definition, structural);
  const checked = (resource: Resource<unknown>) => {
    const complete = withSpec(resource, check(resource));
    return { complete, fields: referencesIn(reads, { kind: definition, resource: complete }) };
  };
  const childrenFrom =
    (returned: Returning, call: typeof children): Kind['desired'] =>
    (resource, find = () => undefined, isPast = () => false) =>
      orInvalid(() => {
        const { complete, fields } = checked(resource);
        const reads = objectsFor(fields, find, resource.namespace) as ReadObjects<Reads>;
        const returnedChildren = callOwn(kind, call, Object.assign(complete, { reads, isPast }));
        return checkedChildren(definition, returned, returnedChildren);
      });
  return {
    references: (resource) =>
      namedReads(reads).length === 0
        ? []
        : orInvalid(() => checked(resource).fields.flatMap(({ references }) => references)),
    desired: childrenFrom('children', children),
    ...(finalize && { finalize: childrenFrom('finalize', finalize) }),
    inputOf({ state, children, finder, isPast, ...resource }) {
      const { name, namespace, createdAt, labels } = resource;
      const found = orInvalid(() => checked(resource));
      const common = { name, namespace, createdAt, labels, state, children, isPast };
      if ('invalid' in found) return { ...common, spec: undefined, reads: undefined };
      const find = finder();
      const reads = find && (objectsFor(found.fields, find, namespace) as ReadObjects<Reads>);
      return { ...common, spec: found.complete.spec, reads };
    },
  };
}

/** Keeps `labels` a getter, so that the engine notices when a kind reads it. */
const withSpec = <Spec>(resource: Resource<unknown>, spec: Spec): Resource<Spec> => ({
  name: resource.name,
  namespace: resource.namespace,
  uid: resource.uid,
  createdAt: resource.createdAt,
  spec,
  get labels() {
    return resource.labels;
  },
});

/** Adds the defaults. */
function specCheckOf<Spec extends TObject>(
  definition: Pick<KindDefinition<Spec>, 'kind' | 'spec' | 'rules' | 'refuse'>,
  structural: StructuralSchema,
): (resource: Resource<unknown>) => Static<Spec> {
  const { kind, spec: schema, rules = [], refuse } = definition;
  const ofResource = withRules(...rules);
  /** Compiles only when first needed, because compiling takes a few milliseconds. */
  const validator = once(() => Compile(schema));
  const isValid = (spec: unknown): spec is Static<Spec> => validator().Check(spec);
  return ({ name, spec: stored }) => {
    // Adds the defaults that an older CRD may lack.
    const spec = withDefaults(structural, stored ?? {});
    if (!isValid(spec)) throw new InvalidSpec(describeErrors(schema, spec, 'spec'));
    const places = placesIn(structural, spec, 'spec');
    const refusal =
      inexactInteger(places) ??
      brokenRule([{ schema: ofResource, value: { metadata: { name }, spec }, path: '' }]) ??
      brokenRule(places) ??
      (refuse && callOwn(kind, refuse, spec));
    if (refusal !== undefined) throw new InvalidSpec(refusal);
    return spec;
  };
}

/** Makes the error's stack trace begin at the call to `defineKind`, however deep the schema is. */
function translated(schema: TSchema, path: string): StructuralSchema {
  try {
    return structuralSchema(schema, path);
  } catch (error) {
    Error.captureStackTrace(error as Error, defineKind);
    throw error;
  }
}

function ownStatusOf<Spec extends TObject, Reads extends object>(
  definition: KindDefinition<Spec, Reads>,
  inputOf: (found: Findings) => StatusInput<Static<Spec>, Reads>,
): Kind['ownStatus'] {
  const { kind, status = {}, statusOf, conditions: types = [], conditionsOf } = definition;
  const completed = statusCompleterOf(kind, status);
  return (found) => {
    const isPlain = (statusOf ?? conditionsOf) === undefined && Object.keys(status).length === 0;
    if (isPlain) return { fields: {}, conditions: [] };
    const input = inputOf(found);
    const fields = completed((statusOf && callOwn(kind, statusOf, input)) ?? {});
    const conditions = (conditionsOf && callOwn(kind, conditionsOf, input)) ?? [];
    if (typeof fields === 'string') throw new Error(`${kind}: ${fields}`);
    const problem = conditionsProblem(conditions, types);
    if (problem !== undefined) throw new Error(`${kind}: ${problem}`);
    return { fields, conditions };
  };
}

function conditionsProblem(conditions: readonly NewCondition[], allowed: readonly string[]) {
  const types = conditions.map(({ type }) => type);
  const other = types.find((type) => !allowed.includes(type));
  if (other !== undefined) return `conditionsOf() returned "${other}"; list it in \`conditions\``;
  const repeated = types.find((type, at) => types.indexOf(type) < at);
  if (repeated !== undefined) return `conditionsOf() returned "${repeated}" twice; return it once`;
  // A message may be undefined, because by default TypeScript accepts one such as `messages[0]`.
  const mute = conditions.find(({ reason, message }) => !reason || message === undefined);
  return mute && `conditionsOf() returned "${mute.type}" without a reason or message`;
}

/** Returns a function that adds the schema's defaults to a status, as the server would; it returns a string if invalid. */
function statusCompleterOf(kind: string, properties: TProperties) {
  const fields = Type.Partial(Type.Object(properties));
  const structural = translated(fields, `${kind}: status`);
  const validator = once(() => Compile(fields));
  const path = 'statusOf()';
  return (returned: JsonObject): string | JsonObject => {
    if (isDeeperThan(maxDepth, returned)) return describeErrors(fields, returned, path);
    const places = placesIn(structural, returned, path);
    const other = otherValue(places);
    if (other !== undefined) return other;
    const unknown = unknownField(places);
    if (unknown !== undefined) return `${unknown} is not in the kind's status; declare it there`;
    const given = withoutUndefined(returned);
    const status = withDefaults(structural, given) as JsonObject;
    return validator().Check(status)
      ? (brokenRule(places) ?? status)
      : `${describeErrors(fields, status, path)}; it returned ${truncate(JSON.stringify(given), 200)}`;
  };
}

function describeErrors(schema: TSchema, value: unknown, path: string): string {
  if (isDeeperThan(maxDepth, value)) return `${path} is nested deeper than ${maxDepth} levels`;
  const [, errors] = Errors(schema, value);
  return errors
    .slice(0, 10)
    .map(
      ({ instancePath: at, message }) =>
        `${path}${at.replaceAll('/', '.').slice(0, 256)} ${message}`,
    )
    .join('; ');
}
