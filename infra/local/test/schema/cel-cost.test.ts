import { describe, expect, it } from 'vitest';
import { estimateCost } from '../../api-server/cel/cost.ts';
import { asResource } from '../../api-server/cel/types.ts';
import type { Schema } from '../../api-server/schema/schema.ts';

const text = (maxLength: number): Schema => ({ type: 'string', maxLength });
const count: Schema = { type: 'integer' };

const self: Schema = {
  type: 'object',
  properties: {
    a: text(10),
    b: text(20),
    open: { type: 'string' },
    n: count,
    l: { type: 'array', maxItems: 5, items: count },
    s: { type: 'array', maxItems: 5, items: text(7) },
    m: { type: 'object', maxProperties: 4, additionalProperties: text(6) },
    os: {
      type: 'array',
      maxItems: 3,
      items: {
        type: 'object',
        properties: { k: text(8), w: { type: 'array', maxItems: 2, items: text(9) } },
      },
    },
  },
};

/** cel-go's estimates of the maximum cost of expressions. */
const cases: Record<string, number> = {
  'self.n > 1': 3,
  "self.a == 'x'": 3,
  'self.a == self.b': 8,
  "self.a.matches('^[a-z]+$')": 12,
  "self.open.matches('^[a-z]+$')": 629148,
  'self.a.contains(self.b)': 36,
  'self.l.all(x, x > 1)': 28,
  "self.s.exists(x, x == 'a')": 33,
  'self.l.filter(x, x > 1).size() > 1': 90,
  'self.s.map(x, x.size()).sum() > 3': 89,
  'self.os.all(o, o.w.all(x, x.size() < 3))': 57,
  'self.os.all(o, self.os.exists(q, q.k == o.k))': 129,
  "self.s.all(x, self.m.exists(k, k == x && self.m[k].startsWith('a')))": 253,
};

describe.each(Object.entries(cases))('the cost of %s', (expression, want) => {
  it(`is ${want}`, () => {
    expect(estimateCost(expression, self)).toBe(want);
  });
});

it('is infinite without a bound', () => {
  expect(estimateCost('self.os.map(o, o.k).isSorted()', self)).toBe(Number.POSITIVE_INFINITY);
});

it('knows the type and the names of resources', () => {
  const template: Schema = { type: 'object', 'x-kubernetes-embedded-resource': true };
  const resource = asResource({ type: 'object', properties: { template } });
  expect(estimateCost("'the name ' + self.metadata.name + ' is reserved'", resource)).toBe(629152);
  expect(estimateCost("self.template.kind.contains('x')", resource)).toBe(314576);
});
