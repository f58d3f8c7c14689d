import type { FieldError } from '../../errors/field-error.ts';
import { invalid, required } from '../../errors/field-error.ts';
import { isObject, objectAt } from '../../json/value.ts';
import { isSemanticallyEqual } from '../../objects/equality.ts';
import { labelSelectorErrors } from '../../objects/label-rules.ts';
import type { KubeObject } from '../../objects/object.ts';
import { labelTestOf } from '../../selectors/label-selector.ts';

/** Checks that a workload's selector matches the labels of its pods. */
export function selectorErrors(object: KubeObject): FieldError[] {
  const spec = objectAt(object, 'spec');
  const selector = objectAt(spec, 'selector');
  const labels = objectAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels');
  const mismatch = invalid(
    'spec.template.metadata.labels',
    labels,
    '`selector` does not match template `labels`',
  );
  if (!isObject(spec.selector)) return [required('spec.selector'), mismatch];
  if (Object.keys(selector).length === 0) {
    return [
      invalid(
        'spec.selector',
        selector,
        `empty selector is invalid for ${object.kind.toLowerCase()}`,
      ),
    ];
  }
  const wrong = labelSelectorErrors(selector, 'spec.selector');
  if (wrong.length > 0) {
    const why = object.kind === 'StatefulSet' ? '' : 'invalid label selector';
    return [...wrong, invalid('spec.selector', selector, why)];
  }
  if (labelTestOf(selector)(labels as Record<string, string>)) return [];
  return [mismatch];
}

export function selectorImmutable(object: KubeObject, old: KubeObject): FieldError[] {
  const { selector } = objectAt(object, 'spec');
  if (isSemanticallyEqual(selector, objectAt(old, 'spec').selector)) return [];
  return [invalid('spec.selector', selector, 'field is immutable')];
}
