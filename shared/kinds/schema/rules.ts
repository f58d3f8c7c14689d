/**
 * A validation rule. The API server evaluates `rule`, in CEL, on every write. `holds` is the same rule in
 * TypeScript, to check specs that were stored under an older CRD. A rule that compares with `oldSelf` has no
 * `holds`.
 *
 * Caveats: in CEL, optional fields need `has()`, and lists need `maxItems`.
 */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  /** The field that the error names, relative to the rule, such as `.maxReplicas`. */
  readonly fieldPath?: string;
  /** Receives the value that the rule is attached to, after the schema has accepted it. */
  readonly holds?: (self: never) => boolean;
}

const keyword = 'x-kubernetes-validations';

/** Returns schema options that attach rules to a schema, as in `Type.Object({…}, withRules(…))`. */
export const withRules = (...rules: readonly Rule[]) => ({ [keyword]: rules });

/** Returns the first violated rule in a value that the schema accepts, with its path; undefined if none is. */
type RuleValidator = (value: unknown, path: string) => string | undefined;

/** Returns a check of all rules in a structural schema; undefined if it has none. Null satisfies every rule. */
export function ruleValidatorOf(schema: Nested): RuleValidator | undefined {
  const { [keyword]: rules = [], properties = {}, additionalProperties, items } = schema;
  const checks = [
    validatorOf(rules),
    ...Object.entries(properties).map(([name, inner]) =>
      validatorOfField(name, ruleValidatorOf(inner)),
    ),
    validatorOfEach(
      additionalProperties && ruleValidatorOf(additionalProperties),
      (name) => `.${name}`,
    ),
    validatorOfEach(items && ruleValidatorOf(items), (at) => `[${at}]`),
  ].filter((check) => check !== undefined);
  if (checks.length === 0) return undefined;
  return (value, path) => (value === null ? undefined : firstOf(checks, value, path));
}

/** Returns a check of these rules on one value; undefined if there are no rules. */
export function validatorOf(rules: readonly Rule[]): RuleValidator | undefined {
  const checked = rules.filter(({ holds }) => holds !== undefined);
  if (checked.length === 0) return undefined;
  return (value, path) => {
    const broken = checked.find(({ holds }) => holds?.(value as never) === false);
    if (broken === undefined) return undefined;
    const where = `${path}${broken.fieldPath ?? ''}`;
    return where === '' ? broken.message : `${where}: ${broken.message}`;
  };
}

const validatorOfField = (
  name: string,
  check: RuleValidator | undefined,
): RuleValidator | undefined =>
  check &&
  ((value, path) => {
    const field = (value as Readonly<Record<string, unknown>>)[name];
    return field === undefined ? undefined : check(field, `${path}.${name}`);
  });

/** Returns a check of all items of a list, or of all fields of a map. */
const validatorOfEach = (
  check: RuleValidator | undefined,
  step: (key: string) => string,
): RuleValidator | undefined =>
  check &&
  ((value, path) => {
    for (const [key, item] of Object.entries(value as object)) {
      const broken = check(item, `${path}${step(key)}`);
      if (broken !== undefined) return broken;
    }
    return undefined;
  });

function firstOf(
  checks: readonly RuleValidator[],
  value: unknown,
  path: string,
): string | undefined {
  for (const check of checks) {
    const broken = check(value, path);
    if (broken !== undefined) return broken;
  }
  return undefined;
}

interface Nested {
  readonly [keyword]?: readonly Rule[];
  readonly properties?: Readonly<Record<string, Nested>>;
  readonly additionalProperties?: Nested;
  readonly items?: Nested;
}

/** Makes a field immutable. Attach the rule to its parent; the field must be required or have a default. */
export const immutable = (field: string, parent = ''): Rule => ({
  rule: `self.${field} == oldSelf.${field}`,
  message: `${parent}${field} is immutable`,
  fieldPath: `.${field}`,
});

/** Makes an optional field immutable, so that it can be neither added nor removed later. */
export const immutableOptional = (field: string, parent = ''): Rule => ({
  ...immutable(field, parent),
  rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
});

/** Limits the length of metadata.name. Only for a kind's own `rules`. */
export const nameAtMost = (length: number): Rule => ({
  rule: `size(self.metadata.name) <= ${length}`,
  holds: ({ metadata }: { readonly metadata: { readonly name: string } }) =>
    metadata.name.length <= length,
  message: `metadata.name must have at most ${length} characters`,
});
