import fc from 'fast-check';
import { Compile } from 'typebox/schema';
import { isMap, isSameJson } from '../../shared/canonical.ts';
import { present, valueAt } from '../../shared/json.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { withRules } from '../../shared/kinds/schema/rules.ts';
import { structuralSchema } from '../../shared/kinds/schema/structural-schema.ts';
import {
  brokenRule,
  placesIn,
  type StructuralSchema,
  withDefaults,
} from '../../shared/kinds/schema/walk.ts';
import type { Json, JsonObject } from '../../shared/kubernetes.ts';
import { valuesOf } from './values.ts';

/** Sets the field at a path to `to`, or removes it if `to` is absent. */
export interface SpecificationEdit {
  readonly path: readonly string[];
  readonly to?: Json;
}

/**
 * Generates specs that satisfy the schema and the rules, except rules only in CEL (without `holds`). The kind's
 * `refuse` may still refuse them. If a generated spec is invalid, yields the first sample with as many of the generated
 * fields as keep it valid.
 */
export function specificationsOf(kind: Kind): fc.Arbitrary<JsonObject> {
  const schema = schemaOf(kind);
  const [sample = {}] = samplesOf(kind);
  const isValid = validityOf(kind, schema);
  const whole = valuesOf(schema, { name: '', known: samplesOf(kind) }) as fc.Arbitrary<JsonObject>;
  return fc.oneof(fc.constantFrom(sample, ...samplesOf(kind)), whole).map((generated) => {
    if (isValid(generated)) return generated;
    let kept = sample;
    for (const [field, value] of Object.entries(generated)) {
      const next = { ...kept, [field]: value };
      if (isValid(next)) kept = next;
    }
    return kept;
  });
}

/**
 * Generates edits of single fields, including fields in objects and in the first item of a list. An edit has no
 * effect if the spec lacks the object around the field.
 */
export function editsOf(
  kind: Kind,
  passedOn: readonly string[] = [],
): fc.Arbitrary<SpecificationEdit> {
  const fields = fieldEditsOf(kind, passedOn);
  return fields.length === 0 ? fc.constant({ path: ['none'] }) : fc.oneof(...fields);
}

/** Omits the fields in `passedOn` and all fields below them. */
export const fieldEditsOf = (
  kind: Kind,
  passedOn: readonly string[],
): readonly fc.Arbitrary<SpecificationEdit>[] => ownFieldsOf(kind, passedOn).map(editOf);

const ownFieldsOf = (kind: Kind, passedOn: readonly string[]): readonly Field[] =>
  fieldsOf(schemaOf(kind), [], samplesOf(kind)).filter(
    ({ path }) => !passedOn.some((field) => `${path.join('.')}.`.startsWith(`${field}.`)),
  );

/** The returned function returns the same spec if the edit changes nothing or makes the spec invalid. */
export function editorOf(kind: Kind): (spec: JsonObject, edit: SpecificationEdit) => JsonObject {
  const isValid = validityOf(kind, schemaOf(kind));
  return (spec, edit) => {
    const edited = editedAt(spec, edit.path, edit) as JsonObject;
    const isSame = isSameJson(edited, spec);
    return isSame || !isValid(edited) ? spec : edited;
  };
}

interface Field {
  readonly path: readonly string[];
  readonly schema: StructuralSchema;
  readonly isRequired: boolean;
  readonly known: readonly Json[];
}

const schemaOf = (kind: Kind): StructuralSchema => structuralSchema(kind.schema.spec, kind.kind);

const samplesOf = ({ samples }: Kind): readonly JsonObject[] => samples.map(({ spec }) => spec);

const sampleName = ({ samples: [sample] }: Kind): string => sample?.name ?? 'sample';

/** Returns a function that checks a spec against the schema and all rules that have `holds`. */
function validityOf(kind: Kind, schema: StructuralSchema): (spec: JsonObject) => boolean {
  const validator = Compile(kind.schema.spec);
  const ofResource = withRules(...kind.rules);
  const metadata = { name: sampleName(kind) };
  return (given) => {
    const spec = withDefaults(schema, given) as JsonObject;
    if (!validator.Check(spec)) return false;
    const resource = { schema: ofResource, value: { metadata, spec }, path: '' };
    return brokenRule([...placesIn(schema, spec, 'spec'), resource]) === undefined;
  };
}

const deepest = 5;

function fieldsOf(
  schema: StructuralSchema,
  path: readonly string[],
  known: readonly Json[],
): readonly Field[] {
  const within = (step: string): readonly Json[] =>
    known.flatMap((one) => (isMap(one) && one[step] !== undefined ? [one[step]] : []));
  const steps: readonly [string, StructuralSchema, readonly Json[]][] =
    schema.items === undefined
      ? Object.entries(schema.properties ?? {}).map(([name, of]) => [name, of, within(name)])
      : [['0', schema.items, known.flatMap((one) => (Array.isArray(one) ? one : []))]];
  if (path.length >= deepest) return [];
  return steps.flatMap(([step, of, values]) => {
    const inner = [...path, step];
    const isRequired = schema.items !== undefined || (schema.required ?? []).includes(step);
    return [{ path: inner, schema: of, isRequired, known: values }, ...fieldsOf(of, inner, values)];
  });
}

function editOf({ path, schema, isRequired, known }: Field): fc.Arbitrary<SpecificationEdit> {
  const name = path.findLast((step) => step !== '0') ?? '';
  const set = valuesOf(schema, { name, known }).map((to) => ({ path, to }));
  return isRequired ? set : fc.oneof(fc.constant({ path }), { arbitrary: set, weight: 4 });
}

/** Changes nothing if an object or a list item around the field is missing. */
function editedAt(
  value: Json | undefined,
  path: readonly string[],
  edit: Pick<SpecificationEdit, 'to'>,
): Json {
  const [step = '', ...rest] = path;
  if (Array.isArray(value)) {
    const [first, ...others] = value as readonly Json[];
    if (first === undefined) return value;
    return [rest.length === 0 ? (edit.to ?? first) : editedAt(first, rest, edit), ...others];
  }
  if (!isMap(value)) return value ?? null;
  const { [step]: inner, ...others } = value;
  if (rest.length > 0 && inner === undefined) return value;
  const to = rest.length > 0 ? editedAt(inner, rest, edit) : edit.to;
  return { ...others, ...present({ [step]: to }) };
}

/** Numbers and list lengths to try: a kind might return too many children for them. */
const sizes = [10, 100, 1001];

export function growthOf(
  kind: Kind,
  passedOn: readonly string[],
): readonly fc.Arbitrary<JsonObject>[] {
  const edit = editorOf(kind);
  const [sample = {}] = samplesOf(kind);
  return ownFieldsOf(kind, passedOn).flatMap(({ path, schema, known }) => {
    const { maxItems, maximum } = schema as {
      readonly maxItems?: number;
      readonly maximum?: number;
    };
    const isCounted = ['array', 'integer'].includes(schema.type ?? '');
    const most = (schema.type === 'array' ? maxItems : maximum) ?? Number.POSITIVE_INFINITY;
    return sizes
      .filter((size) => isCounted && size <= most)
      .map((size) => {
        const grown = valuesOf(
          schema.type === 'array'
            ? { ...schema, minItems: size, maxItems: size }
            : { ...schema, enum: [size] },
          { name: path.at(-1) ?? '', known },
        );
        return grown.map((to) => edit(sample, { path, to }));
      });
  });
}

/** Paths of spec fields that a kind passes on to its children without checking the values. */
type PassedOn = readonly string[];

export const passesOn = (fields: PassedOn, spec: JsonObject): boolean =>
  fields.some((field) => valueAt(spec, ...field.split('.')) !== undefined);

export const withoutPassedOn = (fields: PassedOn, spec: JsonObject): JsonObject =>
  fields.reduce((rest, field) => editedAt(rest, field.split('.'), {}) as JsonObject, spec);

export const isPassedOn = (fields: PassedOn, path: readonly string[]): boolean =>
  fields.some((field) => {
    const steps = field.split('.');
    return steps.slice(0, path.length).every((step, at) => step === path[at]);
  });
