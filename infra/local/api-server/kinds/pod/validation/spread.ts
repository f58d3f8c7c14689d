import type { FieldError } from '../../../errors/field-error.ts';
import { duplicate, invalid, required } from '../../../errors/field-error.ts';
import { type JsonObject, numberAt, objectsAt, textAt } from '../../../json/value.ts';
import { notPositive, unlisted } from '../../../objects/field-rules.ts';
import { labelSelectorErrors } from '../../../objects/label-rules.ts';
import { labelKeysErrors } from './label-keys.ts';

const actions = ['DoNotSchedule', 'ScheduleAnyway'];
const knownPolicies = ['Honor', 'Ignore'];

/** Validates the topology spread constraints of a pod. */
export function spreadErrors(spec: JsonObject, path: string): FieldError[] {
  return objectsAt(spec, 'topologySpreadConstraints').flatMap((one, index, all) => {
    const field = `${path}.topologySpreadConstraints[${index}]`;
    const { topologyKey = '', whenUnsatisfiable: action } = one;
    const isRepeated = all
      .slice(index + 1)
      .some((later) => later.topologyKey === topologyKey && later.whenUnsatisfiable === action);
    return [
      ...notPositive(numberAt(one, 'maxSkew') ?? 0, `${field}.maxSkew`),
      ...(topologyKey === '' ? [required(`${field}.topologyKey`, 'can not be empty')] : []),
      ...unlisted(action, `${field}.whenUnsatisfiable`, actions),
      ...(isRepeated
        ? [duplicate(`${field}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${action}}`)]
        : []),
      ...domainErrors(one, `${field}.minDomains`),
      ...['nodeAffinityPolicy', 'nodeTaintsPolicy'].flatMap((policy) =>
        one[policy] === undefined ? [] : unlisted(one[policy], `${field}.${policy}`, knownPolicies),
      ),
      ...labelKeysErrors(one, field),
      ...labelSelectorErrors(one.labelSelector, `${field}.labelSelector`),
    ];
  });
}

function domainErrors(one: JsonObject, path: string): FieldError[] {
  const domains = numberAt(one, 'minDomains');
  const action = textAt(one, 'whenUnsatisfiable');
  if (domains === undefined) return [];
  const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  return [
    ...notPositive(domains, path),
    ...(action === 'DoNotSchedule' ? [] : [invalid(path, domains, why)]),
  ];
}
