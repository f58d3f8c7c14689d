import { type FieldError, forbidden, invalid, required, tooLong } from '../errors/field-error.ts';
import { isObject, type JsonObject, listAt, objectAt, objectsAt, textAt } from '../json/value.ts';
import { misnamed } from './field-rules.ts';
import { labelValue, qualifiedName } from './names.ts';

/** Labels, or what has to be one: each key and value that cannot be. */
export function labelErrors(labels: JsonObject, path: string): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...misnamed(key, path, qualifiedName),
    ...misnamed(String(value ?? ''), path, labelValue),
  ]);
}

const maxAnnotationsBytes = 256 * 1024;

/** Validates annotations: their keys, which may have capitals anywhere, and their size. */
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

/** Validates the form of a label selector; none is right. */
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

/** Some operators need values, others bear none. */
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
