import type { TSchema } from 'typebox';

/**
 * A validation rule. The API server evaluates `rule`, in CEL, on every write; `holds` is the same rule for
 * what was stored under an older definition, and is left out of one that compares with `oldSelf`.
 *
 * Caveats: CEL guards optional fields with `has()`, and lists in it carry `maxItems`.
 */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  /** The field below the rule's place that the error names, as `.maxReplicas`. */
  readonly fieldPath?: string;
  /** Of the value at the rule's place, which the schema has accepted. */
  readonly holds?: (self: never) => boolean;
}

const keyword = 'x-kubernetes-validations';

/** Options of a schema: rules on the value that it describes. */
export const heldTo = (...rules: readonly Rule[]) => ({ [keyword]: rules });

/** The first rule that a value accepted by the schema breaks, with its place; undefined where all hold. */
export function brokenRule(schema: TSchema, value: unknown, path: string): string | undefined {
  const { [keyword]: rules = [], properties = {}, items } = schema as Nested;
  const broken = brokenOf(rules, value, path);
  if (broken !== undefined) return broken;
  const inner = Array.isArray(value)
    ? value.map((item, at) => ({ schema: items, value: item, path: `${path}[${at}]` }))
    : Object.entries(properties).map(([name, schema]) => ({
        ...{ schema, value: (value as Readonly<Record<string, unknown>>)[name] },
        path: `${path}.${name}`,
      }));
  for (const { schema, value, path } of inner) {
    const found = schema && value !== undefined ? brokenRule(schema, value, path) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first of these rules that a value breaks. */
export function brokenOf(rules: readonly Rule[], value: unknown, path = ''): string | undefined {
  const broken = rules.find(({ holds }) => holds?.(value as never) === false);
  if (broken === undefined) return undefined;
  const place = `${path}${broken.fieldPath ?? ''}`;
  return place === '' ? broken.message : `${place}: ${broken.message}`;
}

interface Nested {
  readonly [keyword]?: readonly Rule[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
}

/** On the parent of a field that is always present: required, or with a default. */
export const immutable = (field: string, parent = ''): Rule => ({
  rule: `self.${field} == oldSelf.${field}`,
  message: `${parent}${field} is immutable`,
  fieldPath: `.${field}`,
});

/** The same for a field that may be left out, but not be added or removed later. */
export const immutableOptional = (field: string, parent = ''): Rule => ({
  ...immutable(field, parent),
  rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
});

/** On the whole resource. */
export const nameAtMost = (length: number): Rule => ({
  rule: `size(self.metadata.name) <= ${length}`,
  holds: ({ metadata }: { readonly metadata: { readonly name: string } }) =>
    metadata.name.length <= length,
  message: `metadata.name must have at most ${length} characters`,
});
