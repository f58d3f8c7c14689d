import type { FieldError } from '../../../errors/field-error.ts';
import { forbidden, invalid } from '../../../errors/field-error.ts';
import { isObject, type JsonObject, listAt } from '../../../json/value.ts';
import { misnamed } from '../../../objects/field-rules.ts';
import { qualifiedName } from '../../../objects/names.ts';

/** Validates keys whose values are taken from the pod's own labels; they need a selector. */
export function labelKeysErrors(term: JsonObject, path: string): FieldError[] {
  const matching = listAt(term, 'matchLabelKeys').map(String);
  const other = listAt(term, 'mismatchLabelKeys').map(String);
  return [
    ...keysErrors(matching, term.labelSelector, `${path}.matchLabelKeys`),
    ...keysErrors(other, term.labelSelector, `${path}.mismatchLabelKeys`),
    ...matching.flatMap((key, index) =>
      other.includes(key)
        ? [
            invalid(
              `${path}.matchLabelKeys[${index}]`,
              key,
              'exists in both matchLabelKeys and mismatchLabelKeys',
            ),
          ]
        : [],
    ),
  ];
}

function keysErrors(keys: readonly string[], selector: unknown, path: string): FieldError[] {
  if (keys.length === 0) return [];
  if (!isObject(selector)) {
    return [forbidden(path, 'must not be specified when labelSelector is not set')];
  }
  return keys.flatMap((key, index) => misnamed(key, `${path}[${index}]`, qualifiedName));
}
