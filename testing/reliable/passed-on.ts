import { valueAt } from '../../shared/json.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { editedAt } from '../specifications.ts';

/** Spec fields that a kind passes on to its children, so that it is not to blame for their values. */
type PassedOn = readonly string[];

/** Reports whether a spec sets such a field. */
export const passesOn = (fields: PassedOn, spec: JsonObject): boolean =>
  fields.some((field) => valueAt(spec, ...field.split('.')) !== undefined);

/** Returns the spec without these fields. */
export const withoutPassedOn = (fields: PassedOn, spec: JsonObject): JsonObject =>
  fields.reduce((rest, field) => editedAt(rest, field.split('.'), {}) as JsonObject, spec);

/** Reports whether an edit at this path changes such a field. */
export const isPassedOn = (fields: PassedOn, path: readonly string[]): boolean =>
  fields.some((field) => {
    const steps = field.split('.');
    return steps.slice(0, path.length).every((step, at) => step === path[at]);
  });
