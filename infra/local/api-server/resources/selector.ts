import type { FieldError } from '../errors/errors.ts';
import { isSemanticallyEqual } from '../objects/equality.ts';
import { type KubeObject, mapAt } from '../objects/object.ts';
import { invalid, required } from '../schema/field-error.ts';
import { labelTestOf } from '../selectors/label-selector.ts';
import { labelSelectorErrors } from './label-rules.ts';

/** What is wrong between a workload's selector and the labels of its pods. */
export const selectorErrors = (object: KubeObject): FieldError[] => {
  const spec = mapAt(object, 'spec');
  const selector = mapAt(spec, 'selector');
  const labels = mapAt(mapAt(mapAt(spec, 'template'), 'metadata'), 'labels');
  const mismatch = invalid(
    'spec.template.metadata.labels',
    labels,
    '`selector` does not match template `labels`',
  );
  if (spec.selector === undefined) return [required('spec.selector'), mismatch];
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
};

export const selectorImmutable = (object: KubeObject, old: KubeObject): FieldError[] => {
  const { selector } = mapAt(object, 'spec');
  if (isSemanticallyEqual(selector, mapAt(old, 'spec').selector)) return [];
  return [invalid('spec.selector', selector, 'field is immutable')];
};
