import { type FieldError, invalid } from '../errors/field-error.ts';
import { objectAt } from '../json/value.ts';
import { negative, shareErrors, unlisted, wholeErrors } from '../objects/field-rules.ts';
import { labelSelectorErrors } from '../objects/label-rules.ts';
import type { KubeObject } from '../objects/object.ts';
import { number, statusCount } from '../printing/cells.ts';
import { ageCell, cell, printer } from '../printing/printer.ts';
import { type Strategy, specChanged } from '../resources/strategy.ts';
import type { KindEntry } from './kind.ts';

const disruptionBudget: Strategy = {
  // Accepts every name that is a path segment, as the real server does.
  nameRule: () => [],
  allowUnconditionalUpdate: false,
  replacesSchemaValidation: true,
  isNewGeneration: specChanged,
  validate: budgetErrors,
};

function budgetErrors(object: KubeObject): FieldError[] {
  const { minAvailable, maxUnavailable, ...rest } = objectAt(object, 'spec');
  const { selector = null, unhealthyPodEvictionPolicy: policy } = rest;
  // Shows the server's own structure.
  const shown = {
    MinAvailable: minAvailable ?? null,
    Selector: selector,
    MaxUnavailable: maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: policy ?? null,
  };
  const both = 'minAvailable and maxUnavailable cannot be both set';
  return [
    ...(minAvailable === undefined || maxUnavailable === undefined
      ? []
      : [invalid('spec', shown, both)]),
    ...shareErrors(minAvailable, 'spec.minAvailable'),
    ...wholeErrors(minAvailable, 'spec.minAvailable'),
    ...shareErrors(maxUnavailable, 'spec.maxUnavailable'),
    ...wholeErrors(maxUnavailable, 'spec.maxUnavailable'),
    ...labelSelectorErrors(selector, 'spec.selector'),
    ...(policy === undefined
      ? []
      : unlisted(policy, 'spec.unhealthyPodEvictionPolicy', ['AlwaysAllow', 'IfHealthyBudget'])),
    ...negative(objectAt(object, 'status'), 'status', counts),
  ];
}

const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];

function bound(name: string, field: string) {
  return cell(name, (object) => String(objectAt(object, 'spec')[field] ?? 'N/A'));
}

export const disruptionBudgetKind: KindEntry = {
  group: 'policy',
  kind: 'PodDisruptionBudget',
  strategy: disruptionBudget,
  printer: printer([
    bound('Min Available', 'minAvailable'),
    bound('Max Unavailable', 'maxUnavailable'),
    number('Allowed Disruptions', (object) => statusCount(object, 'disruptionsAllowed')),
    ageCell,
  ]),
};
