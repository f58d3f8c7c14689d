/**
 * A validation rule. The API server evaluates `rule`, in CEL, on every write. `holds` is the same rule in
 * TypeScript, for specs that were stored under an older CRD. A rule that compares with `oldSelf` has no `holds`.
 *
 * Caveats: in CEL, optional fields need `has()`, and lists need `maxItems`.
 */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  /** The field that the error names, relative to the value with the rule, such as `.maxReplicas`. */
  readonly fieldPath?: string;
  /** Receives the value with the rule, after the schema has accepted it. */
  readonly holds?: (self: never) => boolean;
}

/** Returns schema options that attach rules to a schema, as in `Type.Object({…}, withRules(…))`. */
export const withRules = (...rules: readonly Rule[]) => ({ 'x-kubernetes-validations': rules });

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
