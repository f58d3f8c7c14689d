import { type FieldError, invalid, noField } from '../errors/field-error.ts';
import { refName, type Schema } from '../schema/schema.ts';
import type { Checked } from './check-result.ts';
import { addErrors, addResult, type CheckResult, emptyResult } from './check-result.ts';

type Check = (checked: Checked) => CheckResult;

export const hasAlternatives = ({ anyOf, oneOf, allOf, not }: Schema): boolean =>
  (anyOf ?? oneOf ?? allOf ?? not) !== undefined;

/** Checks anyOf, oneOf, allOf and not. */
export function checkAlternatives(checked: Checked, check: Check): CheckResult {
  const { anyOf, oneOf, allOf, not } = checked.schema;
  const result = emptyResult();
  const results = (schemas: readonly Schema[]): CheckResult[] =>
    schemas.map((schema) => check({ ...checked, schema }));
  if (anyOf !== undefined && anyOf.length > 0) checkAnyOf(checked, results(anyOf), result);
  if (oneOf !== undefined && oneOf.length > 0) checkOneOf(checked, results(oneOf), result);
  const isReference = refName(checked.schema) !== undefined;
  if (allOf !== undefined && allOf.length > 0 && !isReference) {
    checkAllOf(checked, results(allOf), result);
  }
  if (not !== undefined && isValid(check({ ...checked, schema: not }))) {
    addErrors(result, [whole(checked, 'must not validate the schema (not)')]);
  }
  result.matches += 1;
  return result;
}

function checkAnyOf(checked: Checked, results: CheckResult[], result: CheckResult): void {
  const valid = results.find(isValid);
  if (valid === undefined) {
    addErrors(result, [whole(checked, 'must validate at least one schema (anyOf)')]);
  }
  const reported = valid ?? furthest(results);
  if (reported !== undefined) addResult(result, reported);
}

function checkOneOf(checked: Checked, results: CheckResult[], result: CheckResult): void {
  const valid = results.filter(isValid);
  const [only] = valid;
  if (only !== undefined && valid.length === 1) {
    addResult(result, only);
    return;
  }
  const found = valid.length === 0 ? 'none valid' : `${valid.length} valid alternatives`;
  const text = `must validate one and only one schema (oneOf). Found ${found}`;
  addErrors(result, [whole(checked, text)]);
  // Also reports how the alternatives after a valid alternative failed, as the server does.
  const reported = valid.length === 0 ? furthest(results) : undefined;
  if (reported !== undefined) addResult(result, reported);
}

function checkAllOf(checked: Checked, results: CheckResult[], result: CheckResult): void {
  for (const one of results) addResult(result, one);
  const valid = results.filter(isValid);
  if (valid.length === results.length) return;
  const none = valid.length === 0 ? '. None validated' : '';
  addErrors(result, [whole(checked, `must validate all the schemas (allOf)${none}`)]);
}

function isValid({ errors }: CheckResult): boolean {
  return errors.length === 0;
}

function furthest(results: readonly CheckResult[]): CheckResult | undefined {
  return results.reduce<CheckResult | undefined>(
    (best, one) => (best === undefined || one.matches > best.matches ? one : best),
    undefined,
  );
}

// The server reports these errors without a path.
function whole({ path }: Checked, text: string): FieldError {
  return invalid(noField, '', `${JSON.stringify(path)} ${text}`);
}
