import type { FieldError } from './field-error.ts';

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
