import fc from 'fast-check';
import { isMap } from '../../shared/canonical.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import {
  type StructuralSchema,
  structuralSchema,
} from '../../shared/kinds/schema/structural-schema.ts';
import type { Json, JsonObject } from '../../shared/kubernetes.ts';

/**
 * Generates specifications of a kind from its schema: each property present or absent, each value of an
 * enum, bounds and legal texts. Values of images, quantities and names are such as users write.
 *
 * Guarantees: each specification passes the schema and the rules of the kind.
 */
export function specificationsOf(kind: Kind): fc.Arbitrary<JsonObject> {
  const schema = structuralSchema(kind.schema.spec, kind.kind);
  const example = (kind.samples[0]?.spec ?? {}) as JsonObject;
  return valuesOf(schema, { name: '', example }).filter(
    validityOf(kind),
  ) as fc.Arbitrary<JsonObject>;
}

/** A change of a specification: sets the field at a path, or removes it without `to`; `-` appends to a list. */
export interface SpecificationEdit {
  readonly path: readonly string[];
  readonly to?: Json;
}

/** Generates edits of single fields and of items of lists, with values of another specification. */
export const editsOf = (kind: Kind): fc.Arbitrary<SpecificationEdit> =>
  specificationsOf(kind).chain((spec) => {
    const all = editsTo(spec, []);
    return all.length === 0 ? fc.constant({ path: [] }) : fc.constantFrom(...all);
  });

function editsTo(value: Json, path: readonly string[]): readonly SpecificationEdit[] {
  const inner = Array.isArray(value)
    ? (value as readonly Json[]).map((item, at) => [String(at), item] as const)
    : Object.entries(isMap(value) ? (value as JsonObject) : {});
  return inner.flatMap(([name, to]): readonly SpecificationEdit[] => {
    const at = [...path, name];
    const append = Array.isArray(value) ? [{ path: [...path, '-'], to: to as Json }] : [];
    return [{ path: at, to: to as Json }, { path: at }, ...append, ...editsTo(to as Json, at)];
  });
}

/** Returns the specification after an edit; the argument itself if the edit does not fit, or breaks a rule. */
export function editorOf(kind: Kind): (spec: JsonObject, edit: SpecificationEdit) => JsonObject {
  const isValid = validityOf(kind);
  return (spec, edit) => {
    const edited = editedAt(spec, edit.path, edit) as JsonObject;
    return isValid(edited) ? edited : spec;
  };
}

function editedAt(value: Json, [step, ...rest]: readonly string[], edit: SpecificationEdit): Json {
  if (step === undefined) return value;
  const isLast = rest.length === 0;
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    if (step === '-') return [...list, ...(edit.to === undefined ? [] : [edit.to])];
    return list.flatMap((item, at): readonly Json[] => {
      if (String(at) !== step) return [item];
      return isLast ? (edit.to === undefined ? [] : [edit.to]) : [editedAt(item, rest, edit)];
    });
  }
  if (!isMap(value)) return value;
  const { [step]: inner, ...others } = value as JsonObject;
  if (!isLast) return { ...others, [step]: editedAt(inner ?? {}, rest, edit) };
  return edit.to === undefined ? others : { ...others, [step]: edit.to };
}

/** Reports whether a specification passes the schema and the rules of a kind. */
function validityOf(kind: Kind): (spec: Json) => boolean {
  return (spec) =>
    !('invalid' in kind.desired({ name: 'one', namespace: 'default', uid: 'u', spec }));
}

interface Place {
  /** The property that holds the value, or the list that holds it. */
  readonly name: string;
  /** A value of a sample. */
  readonly example: Json | undefined;
}

function valuesOf(schema: StructuralSchema, place: Place): fc.Arbitrary<Json> {
  const { type, enum: choices } = schema;
  if (Array.isArray(choices)) return fc.constantFrom(...(choices as Json[]));
  if (schema['x-kubernetes-int-or-string'] !== undefined) return textOrNumber(schema);
  switch (type) {
    case 'object':
      return schema.additionalProperties === undefined
        ? objects(schema, place)
        : maps(schema.additionalProperties, place);
    case 'array':
      return lists(schema, place);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integers(schema);
    case 'string':
      return texts(schema, place);
    default:
      throw new Error(`${place.name}: no values are generated for the type ${type}`);
  }
}

function objects(
  { properties = {}, required = [] }: StructuralSchema,
  { example }: Place,
): fc.Arbitrary<Json> {
  const examples: JsonObject = isMap(example) ? example : {};
  const values = Object.entries(properties).map(
    ([name, inner]) =>
      [name, valuesOf(inner, { name, example: examples[name] ?? inner.default })] as const,
  );
  const requiredKeys = required.filter((name) => properties[name]?.default === undefined);
  return fc.record(Object.fromEntries(values), { requiredKeys }) as fc.Arbitrary<Json>;
}

/** Names of resources that a container may request. */
const amounts = ['cpu', 'memory', 'ephemeral-storage'];

const maps = (schema: StructuralSchema, { name }: Place): fc.Arbitrary<Json> =>
  fc.dictionary(
    fc.constantFrom(...(/requests|limits/.test(name) ? amounts : ['a', 'b', 'c/d'])),
    valuesOf(schema, { name, example: undefined }),
    { maxKeys: 3 },
  );

function lists(schema: StructuralSchema, { name, example }: Place): fc.Arbitrary<Json> {
  const { items = {}, minItems = 0, maxItems = 5 } = schema;
  const inner = valuesOf(items, {
    name,
    example: Array.isArray(example) ? example.at(-1) : undefined,
  });
  return fc.array(inner, { minLength: Number(minItems), maxLength: Math.min(Number(maxItems), 5) });
}

const textOrNumber = ({ pattern }: StructuralSchema): fc.Arbitrary<Json> =>
  fc
    .constantFrom<Json[]>(1, 2, '1', '1000m', '0.5', '2Gi', '2048Mi', '1e3')
    .filter(
      (value) =>
        typeof value === 'number' ||
        pattern === undefined ||
        new RegExp(String(pattern)).test(value as string),
    );

function integers({ minimum = 0, maximum = 100 }: StructuralSchema): fc.Arbitrary<number> {
  const [least, most] = [Number(minimum), Number(maximum)];
  const small = fc.integer({ min: least, max: Math.min(most, least + 3) });
  return fc.oneof({ weight: 8, arbitrary: small }, { weight: 1, arbitrary: fc.constant(most) });
}

/** Values by the name of their property. */
const meanings: readonly (readonly [RegExp, readonly string[]])[] = [
  [/image$/i, ['', ':1', ':2', ':latest', `@sha256:${'0'.repeat(64)}`]],
  [/name$/i, ['a', 'b', 'a-b', '0', 'x'.repeat(63)]],
  [/size|capacity|memory/i, ['1Gi', '1024Mi', '2Gi']],
];

const hostile = ['', ' ', 'a', 'A_1', 'two words', 'ü ☃ 🦀', '$(HOME)', '"\n', 'x'.repeat(100)];

function texts(schema: StructuralSchema, { name, example }: Place): fc.Arbitrary<string> {
  const { pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  const expression = pattern === undefined ? undefined : new RegExp(String(pattern), 'u');
  const isLegal = (text: string): boolean =>
    (expression === undefined || expression.test(text)) &&
    [...text].length >= Number(minLength) &&
    [...text].length <= Number(maxLength);
  const [meaning, known = []] = meanings.find(([names]) => names.test(name)) ?? [];
  const given = typeof example === 'string' ? [example] : [];
  const repository = given[0]?.replace(/[:@][^/]*$/, '') ?? 'example.com/a';
  const usual = [
    ...given,
    ...known.map((one) => (meaning?.test('image') ? repository + one : one)),
  ].filter(isLegal);
  const odd = hostile.filter(isLegal);
  return fc.oneof(
    ...(usual.length === 0 ? [] : [{ weight: 6, arbitrary: fc.constantFrom(...usual) }]),
    ...(expression === undefined
      ? []
      : [{ weight: 3, arbitrary: fc.stringMatching(new RegExp(String(pattern))).filter(isLegal) }]),
    ...(odd.length === 0 ? [] : [{ weight: 2, arbitrary: fc.constantFrom(...odd) }]),
  );
}
