import type { FieldError } from '../errors/field-error.ts';
import type { Definitions, Schema } from '../schema/schema.ts';
import type { Correlation } from './correlation.ts';

/** The value to check, its path, and the value that it replaces. */
export interface Checked {
  readonly value: unknown;
  readonly schema: Schema;
  readonly path: string;
  readonly definitions: Definitions;
  /** Undefined if there is no old value to compare with. */
  readonly old?: Correlation | undefined;
  /** True for a built-in kind, in which an absent required field has its zero value. */
  readonly builtIn: boolean;
}

/**
 * The result of checking a value. `matches` counts the checks made: if all alternatives fail, the server
 * reports the one with the most.
 */
export interface CheckResult {
  readonly errors: FieldError[];
  matches: number;
}

export function emptyResult(): CheckResult {
  return { errors: [], matches: 0 };
}

export function addResult(result: CheckResult, { errors, matches }: CheckResult): void {
  addErrors(result, errors);
  result.matches += matches;
}

/** Reports each error only once. */
export function addErrors(result: CheckResult, errors: readonly FieldError[]): void {
  for (const error of errors) {
    const { field, message } = error;
    const isKnown = result.errors.some((one) => one.field === field && one.message === message);
    if (!isKnown) result.errors.push(error);
  }
}
