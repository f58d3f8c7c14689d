import { type FieldError, forbidden, invalid, required, tooLong } from '../errors/field-error.ts';
import { isObject, type JsonObject, listAt, objectAt, objectsAt, textAt } from '../json/value.ts';
import { misnamed } from './field-rules.ts';
import { labelValue, qualifiedName } from './names.ts';

/** Validates labels, or other maps of the same form: keys and values. */
export function labelErrors(labels: JsonObject, path: string): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...misnamed(key, path, qualifiedName),
    ...misnamed(String(value ?? ''), path, labelValue),
  ]);
}

const maxAnnotationsBytes = 256 * 1024;

/** Validates annotations: their keys, which may be upper case, and their total size. */
export function annotationErrors(annotations: unknown, path: string): FieldError[] {
  const entries = isObject(annotations) ? Object.entries(annotations) : [];
  const size = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value ?? '')),
    0,
  );
  return [
    ...entries.flatMap(([key]) =>
      qualifiedName(key.toLowerCase()).map((why) => invalid(path, key, why)),
    ),
    ...(size > maxAnnotationsBytes ? [tooLong(path, maxAnnotationsBytes)] : []),
  ];
}

/** Validates the form of a label selector; none is valid. */
export function labelSelectorErrors(selector: unknown, path: string): FieldError[] {
  if (!isObject(selector)) return [];
  return [
    ...labelErrors(objectAt(selector, 'matchLabels'), `${path}.matchLabels`),
    ...objectsAt(selector, 'matchExpressions').flatMap((expression, index) =>
      expressionErrors(expression, `${path}.matchExpressions[${index}]`),
    ),
  ];
}

function expressionErrors(expression: JsonObject, path: string): FieldError[] {
  const { operator = '' } = expression;
  const isKnown = presence.includes(String(operator)) || membership.includes(String(operator));
  return [
    ...countErrors(expression, path),
    ...(isKnown ? [] : [invalid(`${path}.operator`, operator, 'not a valid selector operator')]),
    ...keyAndValueErrors(expression, path),
  ];
}

const presence = ['Exists', 'DoesNotExist'];
const membership = ['In', 'NotIn'];

/** Requires values for some operators and refuses them for others. */
export function countErrors(expression: JsonObject, path: string): FieldError[] {
  const operator = textAt(expression, 'operator');
  const count = listAt(expression, 'values').length;
  const field = `${path}.values`;
  if (membership.includes(operator) && count === 0) {
    return [required(field, "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if (presence.includes(operator) && count > 0) {
    return [forbidden(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
  }
  return [];
}

export function keyAndValueErrors(expression: JsonObject, path: string): FieldError[] {
  return [
    ...misnamed(textAt(expression, 'key'), `${path}.key`, qualifiedName),
    ...listAt(expression, 'values').flatMap((value, index) =>
      misnamed(String(value), `${path}.values[${index}]`, labelValue),
    ),
  ];
}
