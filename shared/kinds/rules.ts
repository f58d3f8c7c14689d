import type { Rule } from './define-kind.ts';

/** Options of a schema: CEL rules that the API server enforces. */
export const heldTo = (...rules: readonly Rule[]) => ({ 'x-kubernetes-validations': rules });

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
  message: tooLong(length),
});

/** The same for a resource that an older definition accepted. */
export const refuseLongName = (name: string, length: number): string | undefined =>
  name.length > length ? tooLong(length) : undefined;

const tooLong = (length: number): string => `metadata.name must have at most ${length} characters`;
