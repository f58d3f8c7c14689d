import type { FieldError } from '../../errors/errors.ts';
import { type JsonMap, mapsAt, numberAt, textAt } from '../../objects/object.ts';
import { duplicate, invalid, required } from '../../schema/field-error.ts';
import { notPositive, unlisted } from '../bounds.ts';
import { labelSelectorErrors } from '../label-rules.ts';
import { labelKeysErrors } from './label-keys.ts';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const POLICIES = ['Honor', 'Ignore'];

/** What is wrong with how the pods of one kind are spread over the nodes. */
export const spreadErrors = (spec: JsonMap, path: string): FieldError[] =>
  mapsAt(spec, 'topologySpreadConstraints').flatMap((one, index, all) => {
    const field = `${path}.topologySpreadConstraints[${index}]`;
    const { topologyKey = '', whenUnsatisfiable: action } = one;
    const isRepeated = all
      .slice(index + 1)
      .some((later) => later.topologyKey === topologyKey && later.whenUnsatisfiable === action);
    return [
      ...notPositive(numberAt(one, 'maxSkew') ?? 0, `${field}.maxSkew`),
      ...(topologyKey === '' ? [required(`${field}.topologyKey`, 'can not be empty')] : []),
      ...unlisted(action, `${field}.whenUnsatisfiable`, ACTIONS),
      ...(isRepeated
        ? [duplicate(`${field}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${action}}`)]
        : []),
      ...domainErrors(one, `${field}.minDomains`),
      ...['nodeAffinityPolicy', 'nodeTaintsPolicy'].flatMap((policy) =>
        one[policy] === undefined ? [] : unlisted(one[policy], `${field}.${policy}`, POLICIES),
      ),
      ...labelKeysErrors(one, field),
      ...labelSelectorErrors(one.labelSelector, `${field}.labelSelector`),
    ];
  });

const domainErrors = (one: JsonMap, path: string): FieldError[] => {
  const domains = numberAt(one, 'minDomains');
  const action = textAt(one, 'whenUnsatisfiable');
  if (domains === undefined) return [];
  const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  return [
    ...notPositive(domains, path),
    ...(action === 'DoNotSchedule' ? [] : [invalid(path, domains, why)]),
  ];
};
