import { labelValue, qualifiedName } from '../objects/names.ts';
import { isMap, type JsonMap, listAt, mapAt, mapsAt, textAt } from '../objects/object.ts';
import { type FieldError, forbidden, invalid, required, tooLong } from '../schema/field-error.ts';
import { misnamed } from './bounds.ts';

/** Labels, or what has to be one: each key and value that cannot be. */
export const labelErrors = (labels: JsonMap, path: string): FieldError[] =>
  Object.entries(labels).flatMap(([key, value]) => [
    ...misnamed(key, path, qualifiedName),
    ...misnamed(String(value ?? ''), path, labelValue),
  ]);

const MOST_ANNOTATIONS = 256 * 1024;

/** What is wrong with annotations: their keys, which may have capitals anywhere, and their size. */
export const annotationErrors = (annotations: unknown, path: string): FieldError[] => {
  const entries = isMap(annotations) ? Object.entries(annotations) : [];
  const size = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value ?? '')),
    0,
  );
  return [
    ...entries.flatMap(([key]) =>
      qualifiedName(key.toLowerCase()).map((why) => invalid(path, key, why)),
    ),
    ...(size > MOST_ANNOTATIONS ? [tooLong(path, MOST_ANNOTATIONS)] : []),
  ];
};

/** What is wrong with the form of a label selector; none is right. */
export const labelSelectorErrors = (selector: unknown, path: string): FieldError[] => {
  if (!isMap(selector)) return [];
  return [
    ...labelErrors(mapAt(selector, 'matchLabels'), `${path}.matchLabels`),
    ...mapsAt(selector, 'matchExpressions').flatMap((expression, index) =>
      expressionErrors(expression, `${path}.matchExpressions[${index}]`),
    ),
  ];
};

const expressionErrors = (expression: JsonMap, path: string): FieldError[] => {
  const { operator = '' } = expression;
  const isKnown = PRESENCE.includes(String(operator)) || MEMBERSHIP.includes(String(operator));
  return [
    ...countErrors(expression, path),
    ...(isKnown ? [] : [invalid(`${path}.operator`, operator, 'not a valid selector operator')]),
    ...keyAndValueErrors(expression, path),
  ];
};

const PRESENCE = ['Exists', 'DoesNotExist'];
const MEMBERSHIP = ['In', 'NotIn'];

/** Some operators need values, others bear none. */
export const countErrors = (expression: JsonMap, path: string): FieldError[] => {
  const operator = textAt(expression, 'operator');
  const count = listAt(expression, 'values').length;
  const field = `${path}.values`;
  if (MEMBERSHIP.includes(operator) && count === 0) {
    return [required(field, "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if (PRESENCE.includes(operator) && count > 0) {
    return [forbidden(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
  }
  return [];
};

export const keyAndValueErrors = (expression: JsonMap, path: string): FieldError[] => [
  ...misnamed(textAt(expression, 'key'), `${path}.key`, qualifiedName),
  ...listAt(expression, 'values').flatMap((value, index) =>
    misnamed(String(value), `${path}.values[${index}]`, labelValue),
  ),
];
