import { stackSafe } from '../json/stack-safe.ts';
import { isObject } from '../json/value.ts';
import { formOf, itemElement } from './list-items.ts';
import {
  isUntyped,
  type ListType,
  type MapType,
  type MergeType,
  type ScalarType,
} from './merge-type.ts';
import { fieldElement, type PathElement, pathText } from './path-element.ts';

interface Problem {
  readonly path: string;
  readonly message: string;
}

/**
 * Explains, in the server's words, why an object cannot be applied; undefined if it can. A live object must
 * match the schema, too, but may have duplicates in some lists.
 */
export function typingProblem(
  object: unknown,
  type: MergeType,
  duplicates: 'allowed' | 'refused',
): string | undefined {
  const problems: Problem[] = [];
  checkValue(object, type, { path: [], problems, duplicates });
  const lines = problems.map(({ path, message }) =>
    path === '' ? message : `${path}: ${message}`,
  );
  return lines.length < 2 ? lines[0] : ['errors:', ...lines.map((line) => `  ${line}`)].join('\n');
}

interface Walk {
  readonly path: PathElement[];
  readonly problems: Problem[];
  readonly duplicates: 'allowed' | 'refused';
}

function report({ path, problems }: Walk, message: string): void {
  problems.push({ path: pathText(path), message });
}

function checkValue(value: unknown, type: MergeType, walk: Walk): void {
  if (isUntyped(type)) return;
  switch (formOf(type, value)) {
    case 'scalar':
      checkScalar(value, type.scalar, walk);
      break;
    case 'list':
      if (type.list !== undefined) checkList(value, type.list, walk);
      break;
    default:
      if (type.map !== undefined) checkMap(value, type.map, walk);
  }
}

const goTypes: Readonly<Record<string, string>> = { string: 'string', boolean: 'bool' };

function checkScalar(value: unknown, scalar: ScalarType | undefined, walk: Walk): void {
  if (value === null || scalar === undefined) return;
  if (scalar === 'numeric') {
    if (typeof value === 'number') return;
    const found = goTypes[typeof value] ?? (Array.isArray(value) ? '[]interface {}' : goMap);
    report(walk, `expected numeric (int or float), got ${found}`);
  } else if (scalar === 'string') {
    if (typeof value !== 'string') report(walk, `expected string, got ${shown(value, true)}`);
  } else if (scalar === 'boolean') {
    if (typeof value !== 'boolean') report(walk, `expected boolean, got ${shown(value, false)}`);
  } else if (typeof value === 'object') {
    report(walk, `expected any scalar, got ${shown(value, false)}`);
  }
}

const goMap = 'map[string]interface {}';

function shown(value: unknown, inGoSyntax: boolean): string {
  return inGoSyntax ? `&value.valueUnstructured{Value:${goSyntax(value)}}` : `&{${goText(value)}}`;
}

const goSyntax = stackSafe((value: unknown): string => {
  if (Array.isArray(value))
    return `[]interface {}{${value.map((item) => goSyntax(item)).join(', ')}}`;
  if (isObject(value)) {
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `${goMap}{${fields.map(([name, field]) => `${JSON.stringify(name)}:${goSyntax(field)}`).join(', ')}}`;
  }
  return value === null ? 'interface {}(nil)' : JSON.stringify(value);
}, '');

const goText = stackSafe((value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map((item) => goText(item)).join(' ')}]`;
  if (isObject(value)) {
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `map[${fields.map(([name, field]) => `${name}:${goText(field)}`).join(' ')}]`;
  }
  return value === null ? '<nil>' : String(value);
}, '');

function checkList(value: unknown, list: ListType, walk: Walk): void {
  if (value === null) return;
  if (!Array.isArray(value)) {
    report(walk, `expected list, got ${shown(value, false)}`);
    return;
  }
  const seen = new Set<PathElement>();
  for (const [index, item] of value.entries()) {
    const element = list.atomic ? `i:${index}` : itemElement(list, item);
    if (typeof element !== 'string') {
      report(walk, `element ${index}: ${element.problem}`);
      return;
    }
    if (seen.has(element) && walk.duplicates === 'refused')
      report(walk, `duplicate entries for key ${pathText([element])}`);
    seen.add(element);
    walk.path.push(element);
    checkValue(item, list.element, walk);
    walk.path.pop();
  }
}

function checkMap(value: unknown, map: MapType, walk: Walk): void {
  if (value === null) return;
  if (!isObject(value)) {
    report(walk, `expected map, got ${shown(value, false)}`);
    return;
  }
  for (const name in value) {
    const type = map.fields.get(name) ?? map.element;
    walk.path.push(fieldElement(name));
    if (type === undefined) report(walk, 'field not declared in schema');
    else checkValue(value[name], type, walk);
    walk.path.pop();
    // Stops at the first unknown field of a map, as the server does.
    if (type === undefined) return;
  }
}
