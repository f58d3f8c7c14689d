import type { FieldError } from '../../../errors/field-error.ts';
import { invalid, notSupported } from '../../../errors/field-error.ts';
import { type JsonObject, objectsAt, textAt } from '../../../json/value.ts';
import { misnamed, unlisted } from '../../../objects/field-rules.ts';
import { labelValue, qualifiedName } from '../../../objects/names.ts';

/** Validates the tolerations of a pod. */
export function tolerationErrors(spec: JsonObject, path: string): FieldError[] {
  return objectsAt(spec, 'tolerations').flatMap((toleration, index) => {
    const field = `${path}.tolerations[${index}]`;
    const key = textAt(toleration, 'key');
    const effect = textAt(toleration, 'effect');
    const operator = textAt(toleration, 'operator');
    const forAll =
      'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    const timed = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    return [
      ...(key === '' ? [] : misnamed(key, `${field}.key`, qualifiedName)),
      ...(key === '' && operator !== 'Exists'
        ? [invalid(`${field}.operator`, operator, forAll)]
        : []),
      ...(toleration.tolerationSeconds !== undefined && effect !== 'NoExecute'
        ? [invalid(`${field}.effect`, effect, timed)]
        : []),
      ...operatorErrors(operator, textAt(toleration, 'value'), `${field}.operator`),
      ...(effect === '' ? [] : unlisted(effect, `${field}.effect`, effects)),
    ];
  });
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function operatorErrors(operator: string, value: string, path: string): FieldError[] {
  switch (operator) {
    case '':
    case 'Equal': {
      const why = labelValue(value);
      return why.length === 0 ? [] : [invalid(path, value, why.join(';'))];
    }
    case 'Exists':
      return value === ''
        ? []
        : [invalid(path, value, "value must be empty when `operator` is 'Exists'")];
    // Known to the server, but disabled by a feature gate.
    case 'Lt':
    case 'Gt':
      return [notSupported(path, operator, ['Equal', 'Exists', 'Lt', 'Gt'])];
    default:
      return [notSupported(path, operator, ['Equal', 'Exists'])];
  }
}
