import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { own } from '../json/own.ts';
import type { Schema } from '../schema/schema.ts';
import { callCost, setContains } from './call-cost.ts';
import {
  callBaseCost,
  type Estimate,
  fixedSize,
  itemOf,
  kindOf,
  listCreateBaseCost,
  mapCreateBaseCost,
  selectAndIdentCost,
  sizeOf,
  sumOf,
  times,
  traversal,
} from './cost-estimate.ts';
import { fieldNamed, type Size } from './sizes.ts';

/** Variables by name. */
type Scope = Readonly<Record<string, Estimate>>;

const parser = new Environment({ enableOptionalTypes: true, unlistedVariablesAreDyn: true });

/**
 * Estimates the maximum cost of evaluating an expression, by the rules of cel-go, so that expressions that
 * the real server refuses as too expensive are refused here. Infinite if nothing bounds it.
 */
export function estimateCost(expression: string, self: Schema): number {
  const { ast } = parser.parse(expression);
  return estimate(ast, { self: { cost: 1, schema: self }, oldSelf: { cost: 1, schema: self } })
    .cost;
}

function estimate(node: ASTNode, scope: Scope): Estimate {
  switch (node.op) {
    case 'value':
      return literal(node.args);
    case 'id':
      return scope[node.args] ?? unplaced(scope);
    case '.':
      return select(estimate(node.args[0], scope), node.args[1]);
    case '.?':
      return { cost: estimate(node.args[0], scope).cost + selectAndIdentCost };
    case '[]':
    case '[?]':
      return index(estimate(node.args[0], scope), estimate(node.args[1], scope));
    case 'list':
      return list(node.args.map((item) => estimate(item, scope)));
    case 'map':
      return map(node.args.map((entry) => entry.map((part) => estimate(part, scope))));
    case '?:':
      return conditional(node.args.map((part) => estimate(part, scope)));
    case '&&':
    case '||':
      return { cost: sumOf(node.args.map((part) => estimate(part, scope))), kind: 'number' };
    case '!_':
    case '-_':
      return { cost: estimate(node.args, scope).cost + callBaseCost, kind: 'number' };
    case 'call':
      return call(node.args[0], undefined, { args: node.args[1], scope });
    case 'rcall':
      return call(node.args[0], node.args[1], { args: node.args[2], scope });
    default:
      return binary(
        node.op,
        node.args.map((part) => estimate(part, scope)),
      );
  }
}

/** Estimates a value without a known place in the object: the server assumes that it is as large as the object. */
function unplaced({ self }: Scope): Estimate {
  return { cost: 1, size: sizeOf({ cost: 1, schema: self?.schema }) };
}

function literal(value: unknown): Estimate {
  if (typeof value === 'string')
    return { cost: 0, kind: 'text', size: fixedSize([...value].length) };
  return { cost: 0, kind: 'number', size: fixedSize(1) };
}

function select(target: Estimate, name: string): Estimate {
  return { cost: target.cost + selectAndIdentCost, schema: fieldNamed(target.schema, name) };
}

function index(target: Estimate, key: Estimate): Estimate {
  const { items, additionalProperties } = target.schema ?? {};
  const values = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  return {
    cost: target.cost + key.cost + callBaseCost,
    schema: items ?? values,
    size: target.items?.size,
  };
}

function map(entries: readonly (readonly Estimate[])[]): Estimate {
  return {
    cost: sumOf(entries.flat()) + mapCreateBaseCost,
    kind: 'map',
    size: fixedSize(entries.length),
  };
}

function list(items: readonly Estimate[]): Estimate {
  const size = items.map(sizeOf).reduce<Size | undefined>(unionSize, undefined) ?? fixedSize(0);
  const [first] = items;
  return {
    cost: sumOf(items) + listCreateBaseCost,
    kind: 'list',
    size: fixedSize(items.length),
    items: { kind: first && kindOf(first), size },
  };
}

function unionSize(a: Size | undefined, b: Size): Size {
  return a === undefined ? b : { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

function conditional([test, yes, no]: readonly Estimate[]): Estimate {
  if (test === undefined || yes === undefined || no === undefined) return { cost: 0 };
  return {
    cost: test.cost + Math.max(yes.cost, no.cost),
    kind: yes.kind,
    size: unionSize(sizeOf(yes), sizeOf(no)),
  };
}

function binary(operator: string, [left, right]: readonly Estimate[]): Estimate {
  if (left === undefined || right === undefined) return { cost: 0 };
  const args = left.cost + right.cost;
  const [a, b] = [sizeOf(left), sizeOf(right)];
  const isNumber = (one: Estimate): boolean => kindOf(one) === 'number';
  if (operator === '==' || operator === '!=') {
    return { cost: args + traversal(Math.min(a.max, b.max)), kind: 'number' };
  }
  if (operator === 'in') {
    const isObject = kindOf(right) === 'map';
    return { cost: args + (isObject ? callBaseCost : b.max), kind: 'number' };
  }
  if (isNumber(left) || isNumber(right)) return { cost: args + callBaseCost, kind: 'number' };
  if (operator !== '+') {
    const isOpen = kindOf(left) === undefined || kindOf(right) === undefined;
    const text = traversal(Math.min(a.max, b.max));
    return { cost: args + Math.max(isOpen ? callBaseCost : 0, text), kind: 'number' };
  }
  const size = { min: a.min + b.min, max: a.max + b.max };
  const isList = kindOf(left) === 'list';
  return { cost: args + (isList ? callBaseCost : traversal(size.max)), kind: kindOf(left), size };
}

interface Arguments {
  readonly args: readonly ASTNode[];
  readonly scope: Scope;
}

function call(name: string, receiver: ASTNode | undefined, { args, scope }: Arguments): Estimate {
  const [first] = args;
  if (name === 'has' && first?.op === '.') {
    return { cost: estimate(first.args[0], scope).cost, kind: 'number' };
  }
  const isSets = receiver?.op === 'id' && receiver.args === 'sets';
  if (isSets && name === 'contains') return setContains(args.map((part) => estimate(part, scope)));
  const target = receiver && !isSets ? estimate(receiver, scope) : undefined;
  const loop = target && first?.op === 'id' ? own(loops, name) : undefined;
  if (target !== undefined && first?.op === 'id' && loop !== undefined) {
    const placed = itemOf(target);
    const isPlaced = placed.schema !== undefined || placed.size !== undefined;
    const item = isPlaced ? placed : { ...unplaced(scope), kind: placed.kind };
    const inner = { ...scope, [first.args]: item };
    return loop({ range: target, item, parts: args.slice(1).map((part) => estimate(part, inner)) });
  }
  return callCost(
    name,
    target,
    args.map((part) => estimate(part, scope)),
  );
}

interface Loop {
  readonly range: Estimate;
  readonly item: Estimate;
  readonly parts: readonly Estimate[];
}

function repeated({ range, parts }: Loop, macro: keyof typeof stepCost): number {
  const { max } = sizeOf(range);
  return range.cost + wholeCost[macro] + times(max, sumOf(parts) + stepCost[macro]);
}

/**
 * The cost that cel-go's expansion of a macro adds to each step of its loop (reading the accumulator,
 * evaluating condition and step, building a list of one item), and once to the whole (the initial accumulator
 * and the result).
 */
const stepCost = {
  all: 3,
  exists: 4,
  existsOne: 2,
  filter: listCreateBaseCost + 3,
  map: listCreateBaseCost + 2,
};
const wholeCost = {
  all: 1,
  exists: 1,
  existsOne: 2,
  filter: listCreateBaseCost + 1,
  map: listCreateBaseCost + 1,
};

/** The macros. */
const loops: Readonly<Record<string, (loop: Loop) => Estimate>> = {
  all: (loop) => ({
    cost: repeated(loop, 'all'),
    kind: 'number',
    size: fixedSize(1),
  }),
  exists: (loop) => ({
    cost: repeated(loop, 'exists'),
    kind: 'number',
    size: fixedSize(1),
  }),
  exists_one: (loop) => ({
    cost: repeated(loop, 'existsOne'),
    kind: 'number',
    size: fixedSize(1),
  }),
  filter: (loop) => ({
    cost: repeated(loop, 'filter'),
    kind: 'list',
    size: sizeOf(loop.range),
    items: { kind: kindOf(loop.item), size: { ...sizeOf(loop.item), min: 0 } },
  }),
  map: (loop) => {
    const made = loop.parts.at(-1) ?? { cost: 0 };
    return {
      cost: repeated(loop, 'map'),
      kind: 'list',
      size: sizeOf(loop.range),
      items: { kind: kindOf(made), size: { ...sizeOf(made), min: 0 } },
    };
  },
};
