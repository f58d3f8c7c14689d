/**
 * A validation rule. The API server evaluates `rule`, in CEL, on writes. `holds` is the same rule in TypeScript, for
 * specs that were stored under an older CRD. Omit `holds` if the rule compares with `oldSelf`.
 *
 * Caveats: in CEL, optional fields need `has()`, as do fields of an object that has a default; lists need `maxItems`.
 */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  /** The field that the error names, relative to the value with the rule, such as `.maxReplicas`. */
  readonly fieldPath?: string;
  /** Receives the value that has the rule, once the schema has accepted the value. */
  readonly holds?: (self: never) => boolean;
}

/** Returns schema options that attach rules to a schema, as in `Type.Object({…}, withRules(…))`. */
export const withRules = (...rules: readonly Rule[]) => ({ 'x-kubernetes-validations': rules });

/**
 * Makes a field immutable. Attach the rule to the field's parent. The field must be required or have a default.
 * `parent` is only a prefix of the name in the error message, as in `immutable('size', 'storage.')`.
 */
export const immutable = (field: string, parent = ''): Rule => ({
  rule: `self.${field} == oldSelf.${field}`,
  message: `${parent}${field} is immutable`,
  fieldPath: `.${field}`,
});

/** Makes an optional field immutable: it cannot be added or removed later. */
export const immutableOptional = (field: string, parent = ''): Rule => ({
  ...immutable(field, parent),
  rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
});

/** Limits the length of metadata.name. Use it only in a kind's `rules`. */
export const nameAtMost = (length: number): Rule => ({
  rule: `size(self.metadata.name) <= ${length}`,
  holds: ({ metadata }: { readonly metadata: { readonly name: string } }) =>
    metadata.name.length <= length,
  message: `metadata.name must have at most ${length} characters`,
});
