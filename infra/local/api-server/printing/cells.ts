import { isObject, type JsonObject, numberAt, objectAt, objectsAt, textAt } from '../json/value.ts';
import { type Cell, cell } from './printer.ts';

/** Shows a count in the status; 0 if it is absent. */
export function statusCount(object: JsonObject, field: string): number {
  return numberAt(objectAt(object, 'status'), field) ?? 0;
}

/** Shows a count in the spec; 0 if it is absent. */
export function specCount(object: JsonObject, field: string): number {
  return numberAt(objectAt(object, 'spec'), field) ?? 0;
}

/** A column of integers. */
export function number(name: string, value: Cell['value']): Cell {
  return cell(name, value, { type: 'integer' });
}

/** Formats a label selector like kubectl. */
export function selectorText(selector: unknown): string {
  if (!isObject(selector)) return '<none>';
  const labels = isObject(selector.matchLabels) ? selector.matchLabels : selector;
  const text = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',');
  return text === '' ? '<none>' : text;
}

/** Shows the addresses of a load balancer. */
export function balancers(object: JsonObject): string {
  return objectsAt(objectAt(objectAt(object, 'status'), 'loadBalancer'), 'ingress')
    .map((one) => textAt(one, 'ip') || textAt(one, 'hostname'))
    .join(',');
}
