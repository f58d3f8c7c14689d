import { own } from '../json/own.ts';
import {
  callBaseCost,
  type Estimate,
  itemOf,
  kindOf,
  listCreateBaseCost,
  regexStringLengthCostFactor,
  sizeOf,
  stringTraversalCostFactor,
  sumOf,
  times,
  traversal,
} from './cost-estimate.ts';
import type { Size } from './sizes.ts';

/** The cost that a call adds to that of its operands, and the properties of its result. */
interface CallEstimate extends Estimate {}

type Call = (target: Estimate, args: readonly Estimate[]) => CallEstimate;

/** The cost of a function or method call, operands included. */
export function callCost(
  name: string,
  target: Estimate | undefined,
  args: readonly Estimate[],
): Estimate {
  const operands = sumOf(args) + (target?.cost ?? 0);
  const [first] = args;
  const subject = target ?? first;
  const known = own(calls, name);
  const estimate = subject === undefined ? undefined : known?.(subject, args);
  if (estimate === undefined)
    return { cost: operands + callBaseCost, kind: own(resultKinds, name) };
  return { ...estimate, cost: operands + estimate.cost };
}

const resultKinds: Readonly<Record<string, Estimate['kind']>> = {
  size: 'number',
  int: 'number',
  double: 'number',
  bool: 'number',
  timestamp: 'number',
  duration: 'number',
  string: 'text',
  charAt: 'text',
};

const once: Call = (subject) => ({ cost: traversal(sizeOf(subject).max) });
const nominal: Call = () => ({ cost: callBaseCost, kind: 'number' });
const sameText: Call = (subject) => ({
  cost: traversal(sizeOf(subject).max),
  kind: 'text',
  size: sizeOf(subject),
});

/** The cost of traversing a list or a text. */
const elements: Call = (subject) => {
  const { max } = sizeOf(subject);
  if (kindOf(subject) === 'text') return { cost: traversal(max), kind: 'number' };
  const item = itemOf(subject);
  const each = kindOf(item) === 'text' ? 1 + traversal(sizeOf(item).max) : 1;
  return { cost: times(max, each), kind: 'number' };
};

const expression: Call = (subject, [pattern]) => {
  const text = traversal(sizeOf(subject).max + 1);
  const states = traversal(
    pattern === undefined ? 0 : sizeOf(pattern).max,
    regexStringLengthCostFactor,
  );
  return { cost: times(text, states) };
};

const search: Call = (subject, args) => ({
  ...expression(subject, args),
  size: { min: 0, max: sizeOf(subject).max },
});

function allocating(factor: number, size: Size): CallEstimate {
  return {
    cost: traversal(size.max, factor) + listCreateBaseCost + callBaseCost,
    kind: 'list',
    size,
  };
}

function compareAll(textFactor: number): Call {
  return (subject) => {
    const { min, max } = sizeOf(subject);
    const factor = kindOf(itemOf(subject)) === 'text' ? textFactor : comparisonCostFactor;
    return allocating(factor, { min: min * min, max: max * max });
  };
}

function crossLists(factor: number): Call {
  return (_, [a, b]) => {
    const product = a && b ? times(sizeOf(a).max, sizeOf(b).max) : 0;
    return { cost: traversal(product, factor) + callBaseCost, kind: 'number' };
  };
}

/** Text is read once and written once. */
const rewriteCostFactor = 2 * stringTraversalCostFactor;
/** Items of a list are compared two by two. */
const comparisonCostFactor = 2;

const replace: Call = (subject, [from, to]) => {
  const size = sizeOf(subject);
  const cost = traversal(size.max, rewriteCostFactor);
  if (from === undefined || to === undefined) return { cost, kind: 'text' };
  const [old, fresh] = [sizeOf(from), sizeOf(to)];
  // The longest result: the shortest text replaced by the longest, as often as it fits.
  const count = old.min === 0 ? size.max + 1 : Math.ceil(size.max / old.min);
  const longest =
    old.min > 0 && fresh.max <= old.min
      ? size.max
      : times(count, fresh.max) + (old.min === 0 ? size.max : 0);
  return { cost, kind: 'text', size: { min: 0, max: longest } };
};

const join: Call = (subject, [separator]) => {
  const { max } = sizeOf(subject);
  const item = itemOf(subject);
  const between = separator === undefined ? 0 : times(sizeOf(separator).max, Math.max(0, max - 1));
  const size = times(max, sizeOf(item).max) + between;
  return { cost: traversal(size), kind: 'text', size: { min: 0, max: size } };
};

const calls: Readonly<Record<string, Call>> = {
  contains: (subject, [part]) => {
    const [a, b] = [subject, part ?? { cost: 0 }].map((one) => traversal(sizeOf(one).max));
    return { cost: times(a ?? 0, b ?? 0), kind: 'number' };
  },
  startsWith: (_, [part]) => ({ cost: part ? traversal(sizeOf(part).max) : 0, kind: 'number' }),
  endsWith: (_, [part]) => ({ cost: part ? traversal(sizeOf(part).max) : 0, kind: 'number' }),
  matches: (subject, args) => ({ ...expression(subject, args), kind: 'number' }),
  find: search,
  findAll: search,
  format: once,
  lowerAscii: sameText,
  upperAscii: sameText,
  substring: sameText,
  trim: sameText,
  replace,
  split: (subject) => {
    const { max } = sizeOf(subject);
    const items = { kind: 'text' as const };
    return { cost: traversal(max, rewriteCostFactor), kind: 'list', size: { min: 0, max }, items };
  },
  join,
  isSorted: elements,
  sum: elements,
  min: elements,
  max: elements,
  indexOf: elements,
  lastIndexOf: elements,
  sort: compareAll(comparisonCostFactor + stringTraversalCostFactor),
  distinct: compareAll(comparisonCostFactor),
  reverse: (subject) => allocating(1, sizeOf(subject)),
  slice: (subject) => allocating(1, sizeOf(subject)),
  equivalent: crossLists(comparisonCostFactor),
  intersects: crossLists(1),
  dyn: ({ schema, size }) => ({ cost: 1, schema, size }),
  quantity: once,
  isQuantity: once,
  isIP: once,
  sign: nominal,
  isInteger: nominal,
  asInteger: nominal,
  asApproximateFloat: nominal,
  isLessThan: nominal,
  isGreaterThan: nominal,
  compareTo: nominal,
  add: nominal,
  sub: nominal,
};

/** The overload that takes two lists, not two strings. */
export function setContains(args: readonly Estimate[]): Estimate {
  const estimate = crossLists(1)({ cost: 0 }, args);
  return { ...estimate, cost: estimate.cost + sumOf(args) };
}
