import type { FieldError } from '../../errors/errors.ts';
import { qualifiedName } from '../../objects/names.ts';
import { isMap, type JsonMap, listAt } from '../../objects/object.ts';
import { forbidden, invalid } from '../../schema/field-error.ts';
import { misnamed } from '../bounds.ts';

/** Keys whose values are taken from the pod itself, beside a selector that has to be there. */
export const labelKeysErrors = (term: JsonMap, path: string): FieldError[] => {
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
};

const keysErrors = (keys: readonly string[], selector: unknown, path: string): FieldError[] => {
  if (keys.length === 0) return [];
  if (!isMap(selector)) {
    return [forbidden(path, 'must not be specified when labelSelector is not set')];
  }
  return keys.flatMap((key, index) => misnamed(key, `${path}[${index}]`, qualifiedName));
};
