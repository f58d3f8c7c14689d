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
export const withRules = (...rules: readonly Rule[]) => ({ [keyword]: rules });

/** The first broken rule of a value that the schema accepts, with its place; undefined where all hold. */
export type RuleCheck = (value: unknown, path: string) => string | undefined;

/** Checks the rules anywhere in a schema; undefined where it has none to check. */
export function ruleCheckOf(schema: TSchema): RuleCheck | undefined {
  const { [keyword]: rules = [], properties = {}, items } = schema as Nested;
  const checks = [
    checkOf(rules),
    ...Object.entries(properties).map(([name, inner]) => checkOfField(name, ruleCheckOf(inner))),
    checkOfItems(items && ruleCheckOf(items)),
  ].filter((check) => check !== undefined);
  return checks.length === 0 ? undefined : (value, path) => firstOf(checks, value, path);
}

/** Checks rules on the value itself. */
export function checkOf(rules: readonly Rule[]): RuleCheck | undefined {
  const checked = rules.filter(({ holds }) => holds !== undefined);
  if (checked.length === 0) return undefined;
  return (value, path) => {
    const broken = checked.find(({ holds }) => holds?.(value as never) === false);
    if (broken === undefined) return undefined;
    const place = `${path}${broken.fieldPath ?? ''}`;
    return place === '' ? broken.message : `${place}: ${broken.message}`;
  };
}

const checkOfField = (name: string, check: RuleCheck | undefined): RuleCheck | undefined =>
  check &&
  ((value, path) => {
    const field = (value as Readonly<Record<string, unknown>>)[name];
    return field === undefined ? undefined : check(field, `${path}.${name}`);
  });

const checkOfItems = (check: RuleCheck | undefined): RuleCheck | undefined =>
  check &&
  ((value, path) => {
    for (const [at, item] of (value as readonly unknown[]).entries()) {
      const broken = check(item, `${path}[${at}]`);
      if (broken !== undefined) return broken;
    }
    return undefined;
  });

function firstOf(checks: readonly RuleCheck[], value: unknown, path: string): string | undefined {
  for (const check of checks) {
    const broken = check(value, path);
    if (broken !== undefined) return broken;
  }
  return undefined;
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
