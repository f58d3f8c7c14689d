import { isObject, type JsonObject, listAt } from '../json/value.ts';
import type { Attributes } from './attributes.ts';

type Asked = Pick<Attributes, 'verb' | 'group' | 'resource' | 'subresource' | 'name'>;

function has(rule: JsonObject, field: string, value: string): boolean {
  const values = listAt(rule, field);
  return values.includes('*') || values.includes(value);
}

/** Reports whether a rule allows a verb on a resource. */
export function covers(rule: JsonObject, attributes: Asked): boolean {
  const { verb, group, resource, subresource, name } = attributes;
  if (!isObject(rule) || !has(rule, 'verbs', verb) || !has(rule, 'apiGroups', group)) return false;
  const names = listAt(rule, 'resourceNames');
  if (names.length > 0 && !names.includes(name)) return false;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return (
    has(rule, 'resources', whole) ||
    (subresource !== '' && listAt(rule, 'resources').includes(`*/${subresource}`))
  );
}
