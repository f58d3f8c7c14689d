import { own } from '../json/own.ts';
import { isObject } from '../json/value.ts';

/** Reads the values at a path of a printer column or a scale from an object. */
export type JsonPath = (object: unknown) => unknown[];

type Step = (values: unknown[]) => unknown[];

/**
 * Compiles `.spec.a`, `.items[0].b`, `.conditions[?(@.type=="Ready")].status`, `['a.b']`, `[*]`. Throws a
 * SyntaxError for any other path.
 */
export function compileJsonPath(path: string): JsonPath {
  const steps = parse(path.replace(/^\{|\}$/g, '').replace(/^\$/, ''));
  return (object) => steps.reduce((values, step) => step(values), [object]);
}

const patterns: readonly (readonly [RegExp, (match: RegExpExecArray) => Step])[] = [
  [/^\.?\[\?\(@((?:\.[\w\\./-]+)+)\s*(==|!=)\s*(?:"([^"]*)"|'([^']*)'|([\w.-]+))\)\]/, filterStep],
  [/^\.?\[['"]([^'"]+)['"]\]/, (match) => fieldStep(match[1] ?? '')],
  [/^\.?\[(\d+)\]/, (match) => indexStep(Number(match[1]))],
  [/^\.?\[\*\]|^\.\*/, () => (values) => values.flatMap(allOf)],
  [/^\.((?:\\\.|[^.[\\])+)/, (match) => fieldStep((match[1] ?? '').replaceAll('\\.', '.'))],
];

function parse(path: string): Step[] {
  const steps: Step[] = [];
  let rest = path;
  while (rest !== '' && rest !== '.') {
    const found = patterns
      .map(([pattern, make]) => ({ match: pattern.exec(rest), make }))
      .find(({ match }) => match !== null);
    if (!found?.match) throw new SyntaxError(`notSupported JSON path: ${path}`);
    steps.push(found.make(found.match));
    rest = rest.slice(found.match[0].length);
  }
  return steps;
}

function present(value: unknown): unknown[] {
  return value === undefined ? [] : [value];
}

function fieldStep(field: string): Step {
  return (values) => values.flatMap((value) => (isObject(value) ? present(own(value, field)) : []));
}

function indexStep(index: number): Step {
  return (values) => values.flatMap((value) => (Array.isArray(value) ? present(value[index]) : []));
}

function allOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

function filterStep(match: RegExpExecArray): Step {
  const [, path = '', operator, double, single, bare] = match;
  const read = compileJsonPath(path);
  const wanted = double ?? single ?? bare ?? '';
  return (values) =>
    values
      .flatMap(allOf)
      .filter((item) => (String(read(item)[0] ?? '') === wanted) === (operator === '=='));
}
