import { type ASTNode, type Environment, EvaluationError } from '@marcbachmann/cel-js';
import { goRegExp } from '../go/regexp.ts';
import { isObject } from '../json/value.ts';
import type { CelType } from './types.ts';

type CheckError = ReturnType<Environment['check']>['error'];

interface Problem {
  readonly text: string;
  readonly at: number;
}

/** Explains why an expression does not compile, in cel-go's words as far as they are known. */
export function checkProblem(expression: string, error: CheckError): string {
  return located(expression, describe(error));
}

function describe(error: CheckError): Problem {
  const { code = '', summary = '', range, node } = error ?? {};
  const at = range?.start ?? 0;
  const [, name = ''] = /: (.+)$/.exec(summary) ?? [];
  if (code === 'no_such_key') return { text: `undefined field '${name}'`, at: at - 1 };
  if (code === 'unknown_variable') return { text: undeclared(name), at };
  if (code === 'no_such_overload') return operatorProblem(summary, node, at);
  if (code === 'no_matching_overload') return callProblem(summary, node, at);
  const [, found] = /predicate must return bool, got '(.+)'$/.exec(summary) ?? [];
  if (found !== undefined) return { text: `expected type 'bool' but found '${found}'`, at };
  return { text: code === 'unexpected_token' ? `Syntax error: ${summary}` : summary, at };
}

function undeclared(name: string): string {
  return `undeclared reference to '${name}' (in container '')`;
}

function operatorProblem(summary: string, node: unknown, at: number): Problem {
  const [, left = '', operator = '', right = ''] =
    /: (.+) (==|!=|<=?|>=?|in|[-+*/%]) (.+)$/.exec(summary) ?? [];
  const [, sign, operand] = /^no such overload: ([!-])(.+)$/.exec(summary) ?? [];
  if (operator === '' && sign !== undefined) {
    return { text: `found no matching overload for '${sign}_' applied to '(${operand})'`, at };
  }
  if (operator === '') return { text: summary, at };
  const name = operator === 'in' ? '@in' : `_${operator}_`;
  const [first] = isNode(node) && Array.isArray(node.args) ? node.args : [];
  const position = isNode(node) && isNode(first) ? node.input.indexOf(operator, first.end) : at;
  return {
    text: `found no matching overload for '${name}' applied to '(${left}, ${right})'`,
    at: position,
  };
}

// The library does not distinguish an unknown function from a wrong overload.
function callProblem(summary: string, node: unknown, at: number): Problem {
  const [, receiver = '', name = '', types = ''] =
    /'(?:(.+)\.)?(\w+)\((.*)\)'$/.exec(summary) ?? [];
  const target = isNode(node) && node.op === 'rcall' ? node.args[1].end : at;
  const paren = isNode(node) ? node.input.indexOf('(', target) : at;
  if (name === '' || !known.has(name)) return { text: undeclared(name), at: paren };
  const applied = receiver === '' ? `(${types})` : `${receiver}.(${types})`;
  const named = applied.replaceAll(/\bQuantity\b/g, 'kubernetes.Quantity');
  return { text: `found no matching overload for '${name}' applied to '${named}'`, at: paren };
}

/** Functions that exist, perhaps with other argument types. */
const known = new Set(
  'size contains startsWith endsWith matches split join replace substring indexOf lastIndexOf lowerAscii upperAscii trim charAt format find findAll isSorted sum min max sort reverse distinct slice int uint double string bool bytes timestamp duration type dyn quantity isQuantity isIP sign isGreaterThan isLessThan compareTo asApproximateFloat asInteger isInteger add sub getFullYear getMonth getDate getDayOfMonth getDayOfWeek getDayOfYear getHours getMinutes getSeconds getMilliseconds'.split(
    ' ',
  ),
);

/** Finds a problem that Kubernetes reports and the library accepts. */
export function gapProblem(expression: string, ast: ASTNode, self: CelType): string | undefined {
  for (const node of nodesOf(ast)) {
    const problem = gapAt(node, self);
    if (problem !== undefined) return located(expression, problem);
  }
  return undefined;
}

function gapAt({ op, args }: ASTNode, self: CelType): Problem | undefined {
  if (op === 'rcall') {
    const [name, receiver, [first]] = args;
    if (name === 'bind' && receiver.op === 'id' && receiver.args === 'cel') {
      return { text: undeclared('cel'), at: receiver.start };
    }
    const isPattern = name === 'matches' && first?.op === 'value' && typeof first.args === 'string';
    if (isPattern && 'problem' in goRegExp(String(first.args))) {
      return { text: 'invalid matches argument', at: first.start };
    }
  }
  const [tested] = op === 'call' && args[0] === 'has' ? args[1] : [];
  return tested && undefinedField(tested, self);
}

/** Returns the first field of a path from `self` that its type lacks. */
function undefinedField(node: ASTNode, self: CelType): Problem | undefined {
  const path: string[] = [];
  let at = node;
  while (at.op === '.') {
    path.unshift(at.args[1]);
    at = at.args[0];
  }
  if (at.op !== 'id' || at.args !== 'self') return undefined;
  let type: CelType | undefined = self;
  for (const field of path) {
    if (type?.fields === undefined) return undefined;
    type = type.fields.get(field);
    if (type === undefined) {
      return { text: `undefined field '${field}'`, at: node.input.lastIndexOf('(', node.start) };
    }
  }
  return undefined;
}

function isNode(value: unknown): value is ASTNode {
  return isObject(value) && 'op' in value;
}

export function nodesOf(node: ASTNode): ASTNode[] {
  const inside = (value: unknown): ASTNode[] => {
    if (isNode(value)) return nodesOf(value);
    return Array.isArray(value) ? value.flatMap(inside) : [];
  };
  return [node, ...inside(node.args)];
}

function located(expression: string, { text, at }: Problem): string {
  const before = expression.slice(0, Math.max(0, at)).split('\n');
  const line = expression.split('\n')[before.length - 1] ?? '';
  const column = before.at(-1)?.length ?? 0;
  return `ERROR: <input>:${before.length}:${column + 1}: ${text}\n | ${line}\n | ${'.'.repeat(column)}^`;
}

/** Translates a run-time error of CEL into cel-go's words, as far as they are known. */
export function evaluationProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const summary = error instanceof EvaluationError ? error.summary : error.message;
  const [, index] = /index out of bounds, index (-?\d+)/.exec(summary) ?? [];
  if (index !== undefined) return `index out of bounds: ${index}`;
  return summary.charAt(0).toLowerCase() + summary.slice(1);
}
