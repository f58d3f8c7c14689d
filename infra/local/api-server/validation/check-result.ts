import type { FieldError } from '../errors/field-error.ts';
import type { Definitions, Schema } from '../schema/schema.ts';
import type { Correlation } from './correlation.ts';

/** What is checked, where it stands, and what stood there before. */
export interface Checked {
  readonly value: unknown;
  readonly schema: Schema;
  readonly path: string;
  readonly definitions: Definitions;
  /** Undefined if there is no old value to compare with. */
  readonly old?: Correlation | undefined;
  /** Of a built-in kind, whose required fields have zero values where absent. */
  readonly builtIn: boolean;
}

/**
 * What checking a value came to. `matches` counts the checks made; of several alternatives that all
 * fail, the server reports the one that got furthest.
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

/** The same error is reported once, however often it is found. */
export function addErrors(result: CheckResult, errors: readonly FieldError[]): void {
  for (const error of errors) {
    const { field, message } = error;
    const isKnown = result.errors.some((one) => one.field === field && one.message === message);
    if (!isKnown) result.errors.push(error);
  }
}
