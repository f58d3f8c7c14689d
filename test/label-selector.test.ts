import { parseLabelSelector } from '@serverless-reconciler/local-cluster/label-selectors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isSelected,
  type LabelSelector,
  requirementsOf,
  selectorText,
} from '../shared/label-selector.ts';
import { effort } from './properties/runs.ts';

const required = (selector: LabelSelector) => {
  const found = requirementsOf(selector);
  if (typeof found === 'string') throw new Error(found);
  return found;
};

const expression = (operator: string, ...values: readonly string[]): LabelSelector => ({
  matchExpressions: [{ key: 'tier', operator, values }],
});

describe('a label selector', () => {
  it.each<[string, LabelSelector, string]>([
    ['selects everything if it is empty', {}, ''],
    ['requires the values of labels', { matchLabels: { b: '2', a: '' } }, 'a=,b=2'],
    ['allows several values', expression('In', 'a', 'b'), 'tier in (a,b)'],
    ['excludes values', expression('NotIn', 'a'), 'tier notin (a)'],
    ['requires a label', expression('Exists'), 'tier'],
    ['excludes a label', expression('DoesNotExist'), '!tier'],
    [
      'combines requirements in a fixed order',
      { matchLabels: { 'example.org/app': 'shop' }, ...expression('Exists') },
      'example.org/app=shop,tier',
    ],
  ])('%s', (_, selector, text) => {
    expect(selectorText(required(selector))).toBe(text);
  });

  it.each<[string, LabelSelector, string]>([
    [
      'a key that ends the selector',
      { matchLabels: { 'a,b': 'c' } },
      '"a,b" is not a valid label key',
    ],
    ['an illegal value', { matchLabels: { a: 'x)y' } }, '"x)y" is not a valid label value'],
    ['an unknown operator', expression('Gt', '1'), '"Gt" is not an operator'],
    ['In without values', expression('In'), 'operator In of label tier needs values'],
    [
      'Exists with values',
      expression('Exists', 'a'),
      'operator Exists of label tier takes no values',
    ],
    [
      'a text that is too long for a URL',
      {
        matchLabels: Object.fromEntries(
          Array.from({ length: 99 }, (_, at) => [`${'k'.repeat(50)}${at}`, 'v']),
        ),
      },
      'it is longer than 2000 characters',
    ],
  ])('is refused for %s', (_, selector, problem) => {
    expect(requirementsOf(selector)).toEqual(expect.stringContaining(problem));
  });

  it('selects the same objects as the API server', () => {
    const key = fc.constantFrom('a', 'b', 'example.org/c');
    const value = fc.constantFrom('', 'x', 'y');
    const one = fc.oneof(
      fc.record({
        key,
        operator: fc.constantFrom('In', 'NotIn'),
        values: fc.array(value, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
    );
    const selectors = fc.record({
      matchLabels: fc.dictionary(key, value, { maxKeys: 2 }),
      matchExpressions: fc.array(one, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(selectors, fc.dictionary(key, value), (selector, labels) => {
        const requirements = required(selector);
        const byServer = parseLabelSelector(selectorText(requirements))(labels);
        expect(isSelected(requirements, labels)).toBe(byServer);
      }),
      effort(1000),
    );
  });
});
