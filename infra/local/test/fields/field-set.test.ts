import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  type FieldSet,
  fieldSet,
  has,
  intersection,
  leaves,
  parseFieldSet,
  recursiveDifference,
  union,
} from '../../api-server/fields/field-set.ts';
import { inOrder, pathText } from '../../api-server/fields/path-element.ts';
import { pathsOf } from '../../api-server/fields/set-paths.ts';

const element = fc.constantFrom(
  'f:a',
  'f:b',
  'k:{"n":1}',
  'k:{"n":10}',
  'k:{"n":9}',
  'v:"x"',
  'i:0',
);
const path = fc.array(element, { minLength: 1, maxLength: 3 });
const set = fc.array(path, { maxLength: 8 }).map((paths) => fieldSet(...paths));
const texts = (fields: FieldSet): Set<string> =>
  new Set(pathsOf(fields).map((one) => JSON.stringify(one)));
const startsWith = (one: string, other: string): boolean =>
  one.startsWith(`${other.slice(0, -1)},`) || one === other;

describe('sets of fields', () => {
  it('behave as sets of paths', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const [left, right] = [texts(a), texts(b)];
        const leftIf = (keep: (text: string) => boolean) => new Set([...left].filter(keep));
        expect(texts(union(a, b))).toEqual(new Set([...left, ...right]));
        expect(texts(intersection(a, b))).toEqual(leftIf((one) => right.has(one)));
        expect(texts(difference(a, b))).toEqual(leftIf((one) => !right.has(one)));
        const isBelow = (one: string) => [...right].some((two) => startsWith(one, two));
        expect(texts(recursiveDifference(a, b))).toEqual(leftIf((one) => !isBelow(one)));
      }),
    );
  });

  it('are in the server’s order, whatever their source', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        for (const result of [union(a, b), intersection(a, b), difference(a, b)]) {
          const elements = Object.keys(result);
          expect(elements).toEqual(inOrder(elements.toReversed()));
        }
      }),
    );
  });

  it('know their members', () => {
    fc.assert(
      fc.property(set, path, (fields, one) => {
        expect(has(fields, one)).toBe(texts(fields).has(JSON.stringify(one)));
      }),
    );
  });

  it('are read back as they are written', () => {
    fc.assert(
      fc.property(set, (fields) => {
        const read = parseFieldSet(JSON.parse(JSON.stringify(fields)));
        expect(JSON.stringify(read)).toBe(JSON.stringify(fields));
      }),
    );
  });
});

const parsed: Record<string, { reason: string; given: unknown; want: unknown }> = {
  Order: {
    reason: 'elements are sorted, keys as numbers',
    given: { 'k:{"p":443}': {}, 'f:b': {}, 'k:{"p":80}': {}, 'f:a': {} },
    want: ['f:a', 'f:b', 'k:{"p":80}', 'k:{"p":443}'],
  },
  Spelling: {
    reason: 'keys are spelled as the server does',
    given: { 'k:{ "protocol": "TCP", "port": 80 }': {}, 'v: "<"': {} },
    want: ['k:{"port":80,"protocol":"TCP"}', 'v:"\\u003c"'],
  },
  UnknownTypes: {
    reason: 'elements of unknown type are dropped',
    given: { 'x:a': {}, 'f:a': {} },
    want: ['f:a'],
  },
};

describe.each(Object.entries(parsed))('parsing: %s', (_, { reason, given, want }) => {
  it(reason, () => {
    expect(Object.keys(parseFieldSet(given))).toEqual(want);
  });
});

describe('leaves', () => {
  it('are the members with none below them', () => {
    const fields = fieldSet(['f:a'], ['f:a', 'f:b'], ['f:c']);
    expect(pathsOf(leaves(fields))).toEqual([['f:c'], ['f:a', 'f:b']]);
  });
});

describe('the text of a path', () => {
  it('shows keys, values and indexes as conflicts do', () => {
    const given = ['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}', 'f:tags', 'v:"x"', 'i:2'];
    expect(pathText(given)).toBe('.spec.ports[port=80,protocol="TCP"].tags[="x"][2]');
  });
});
