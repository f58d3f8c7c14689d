import { own } from '../json/own.ts';
import { type Requirement, readRequirements } from './requirement.ts';

export type LabelTest = (labels: Readonly<Record<string, string>>) => boolean;

/** Parses `a=b,c!=d,e in (f,g),h notin (i),j,!k`; malformed text is a 400. */
export function parseLabelSelector(text: string): LabelTest {
  const tests = readRequirements(text).map(testOf);
  return (labels) => tests.every((test) => test(labels));
}

function testOf({ key, operator, values }: Requirement): LabelTest {
  switch (operator) {
    case 'exists':
      return (labels) => Object.hasOwn(labels, key);
    case '!':
      return (labels) => !Object.hasOwn(labels, key);
    case '<':
    case '>':
      return ordering(key, operator === '<', Number(values[0]));
    default:
      return membership(key, new Set(values), ['in', '=', '=='].includes(operator));
  }
}

function membership(key: string, values: ReadonlySet<string>, wanted: boolean): LabelTest {
  return wanted
    ? (labels) => Object.hasOwn(labels, key) && values.has(labels[key] ?? '')
    : (labels) => !Object.hasOwn(labels, key) || !values.has(labels[key] ?? '');
}

function ordering(key: string, less: boolean, bound: number): LabelTest {
  return (labels) => {
    const value = own(labels, key);
    if (value === undefined || !/^-?\d+$/.test(value)) return false;
    return less ? Number(value) < bound : Number(value) > bound;
  };
}

interface SelectorTerm {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Builds the test of a `metav1.LabelSelector`; an empty selector matches everything. */
export function labelTestOf(selector: {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly SelectorTerm[];
}): LabelTest {
  const tests = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) =>
      membership(key, new Set([value]), true),
    ),
    ...(selector.matchExpressions ?? []).map(termTest),
  ];
  return (labels) => tests.every((test) => test(labels));
}

function termTest({ key, operator, values = [] }: SelectorTerm): LabelTest {
  if (operator === 'Exists') return (labels) => Object.hasOwn(labels, key);
  if (operator === 'DoesNotExist') return (labels) => !Object.hasOwn(labels, key);
  return membership(key, new Set(values), operator === 'In');
}
