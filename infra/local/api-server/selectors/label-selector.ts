import { badRequest } from '../errors/errors.ts';
import { labelValue, qualifiedName } from '../objects/names.ts';
import { type Requirement, readRequirements } from './requirement.ts';

export type LabelTest = (labels: Readonly<Record<string, string>>) => boolean;

/** Reads `a=b,c!=d,e in (f,g),h notin (i),j,!k`; malformed text is a 400. */
export const parseLabelSelector = (text: string): LabelTest => {
  if (text.trim() === '') return () => true;
  const tests = readRequirements(text).map((requirement) => {
    assertLegal(requirement);
    return testOf(requirement);
  });
  return (labels) => tests.every((test) => test(labels));
};

const assertLegal = ({ key, operator, values }: Requirement): void => {
  const prefix = 'unable to parse requirement:';
  for (const why of qualifiedName(key)) {
    throw badRequest(`${prefix} key: Invalid value: ${JSON.stringify(key)}: ${why}`);
  }
  if (operator === '<' || operator === '>') return;
  for (const [index, value] of values.entries()) {
    for (const why of labelValue(value)) {
      throw badRequest(
        `${prefix} values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${why}`,
      );
    }
  }
};

const testOf = ({ key, operator, values }: Requirement): LabelTest => {
  switch (operator) {
    case 'exists':
      return (labels) => key in labels;
    case '!':
      return (labels) => !(key in labels);
    case '<':
    case '>':
      return ordering(key, operator === '<', Number(values[0]));
    default:
      return membership(key, new Set(values), ['in', '=', '=='].includes(operator));
  }
};

const membership = (key: string, values: ReadonlySet<string>, wanted: boolean): LabelTest =>
  wanted
    ? (labels) => labels[key] !== undefined && values.has(labels[key])
    : (labels) => labels[key] === undefined || !values.has(labels[key]);

const ordering =
  (key: string, less: boolean, bound: number): LabelTest =>
  (labels) => {
    const value = labels[key];
    if (value === undefined || !/^-?\d+$/.test(value)) return false;
    return less ? Number(value) < bound : Number(value) > bound;
  };

interface SelectorTerm {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** The test of a `metav1.LabelSelector`; an empty selector matches everything. */
export const labelTestOf = (selector: {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly SelectorTerm[];
}): LabelTest => {
  const tests = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) =>
      membership(key, new Set([value]), true),
    ),
    ...(selector.matchExpressions ?? []).map(termTest),
  ];
  return (labels) => tests.every((test) => test(labels));
};

const termTest = ({ key, operator, values = [] }: SelectorTerm): LabelTest => {
  if (operator === 'Exists') return (labels) => key in labels;
  if (operator === 'DoesNotExist') return (labels) => !(key in labels);
  return membership(key, new Set(values), operator === 'In');
};
