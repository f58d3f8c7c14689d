import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutPage } from '../../shared/cluster/list-pieces.ts';
import { effort } from '../properties/runs.ts';

const cut = (text: string) => {
  const page = cutPage(Buffer.from(text));
  return page && { ...page, pieces: page.pieces.map(String) };
};

/** A list of a built-in type, as Go writes the fields of its struct. */
const builtIn = (items: unknown, metadata: object = { resourceVersion: '7' }): string =>
  `${JSON.stringify({ kind: 'ServiceList', apiVersion: 'v1', metadata, items })}\n`;

/** A list of custom resources, as Go writes a map. */
const custom = (
  items: unknown,
  metadata: object = { continue: '', resourceVersion: '7' },
): string =>
  `${JSON.stringify({ apiVersion: 'example.org/v1', items, kind: 'FooList', metadata })}\n`;

const lists = { builtIn, custom };
const names = Object.keys(lists) as readonly (keyof typeof lists)[];

const object = (name: string, more: object = {}) => ({
  ...{ apiVersion: 'example.org/v1', kind: 'Foo' },
  metadata: { name },
  ...more,
});

describe.each(names)('a page of a %s list', (name) => {
  const list = lists[name];

  test('is cut into its objects, whatever the version of the list and the token', () => {
    const objects = [object('a'), object('b', { spec: { x: [] } }), object('c')];
    for (const metadata of [
      { resourceVersion: '7', continue: 'x', remainingItemCount: 3 },
      { resourceVersion: '8' },
    ]) {
      const page = cut(list(objects, metadata));
      expect(page?.envelope).toMatchObject({ items: [], metadata });
      expect(page?.pieces).toEqual(objects.map((one) => JSON.stringify(one)));
    }
  });

  test('may be empty', () => {
    expect(cut(list([]))?.pieces).toEqual([]);
  });

  test('is cut within an object that contains a list of others like it, and then no piece of it is JSON', () => {
    const objects = [object('a', { status: { all: [object('x'), object('y'), object('z')] } })];
    const { pieces = [] } = cut(list([...objects, object('b')])) ?? {};
    expect(pieces.length).toBe(4);
    expect(pieces.map(isJson)).toEqual([false, true, false, true]);
  });

  test('is cut so that the pieces are its objects if they are JSON, whatever these contain', () => {
    const hostile = fc.oneof(
      fc.json(),
      fc.constantFrom('"items":[', ']', '],"kind":"x"', '\\"items\\":[', '{"items":[]}'),
      fc.constantFrom('},{"metadata":{', '"metadata":{', JSON.stringify(object('x'))),
    );
    const nested = fc.array(fc.constantFrom(object('x'), object('y'), { metadata: {} }), {
      maxLength: 3,
    });
    const any = fc.oneof(
      fc.jsonValue(),
      fc.record({ items: fc.array(hostile), metadata: fc.record({ items: fc.array(hostile) }) }),
      fc.dictionary(hostile, fc.oneof(hostile, fc.array(hostile))),
      fc.record({ metadata: fc.dictionary(hostile, hostile), spec: nested }),
      fc.record({ spec: nested, metadata: fc.dictionary(hostile, hostile) }),
      fc.record({ spec: hostile }).map((more) => object('a', more)),
      nested.map((all) => object('b', { all })),
    );
    let whole = 0;
    const property = fc.property(fc.array(any, { maxLength: 4 }), (objects) => {
      const text = list(objects);
      const { envelope, pieces = [] } = cut(text) ?? {};
      expect(envelope).toEqual(JSON.parse(list([])));
      expect(text).toContain(`"items":[${pieces.join(',')}]`);
      if (!pieces.every(isJson)) return;
      whole++;
      expect(pieces.map((piece) => JSON.parse(piece))).toEqual(JSON.parse(text).items);
    });
    const cases = effort(4000);
    fc.assert(property, cases);
    expect(whole).toBeGreaterThan(cases.numRuns / 4);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('a page whose objects cannot be cut out is parsed as a whole', () => {
  const metadata = '"metadata":{"resourceVersion":"7"}';
  test.each([
    ['an empty list as Go writes one', builtIn(null)],
    ['no list', '{"kind":"Status","metadata":{}}'],
    ['items that are named twice', `{${metadata},"items":[{"a":1}],"items":null}`],
    ['no JSON', 'not found'],
    ['nothing', ''],
    ['an answer that was broken off', builtIn([{ a: 1 }]).slice(0, -3)],
    ['without metadata', '{"items":[{"a":1}]}'],
    ['a field that no list has', `{"items":[{"a":1}],${metadata},"more":1}`],
    ['metadata behind the objects with a list of its own', '{"items":[1],"metadata":{"x":[2]}}'],
    ['metadata with an object', '{"metadata":{"x":{}},"items":[1]}'],
    ['other objects in front', `{"more":[{"items":[1]}],${metadata},"items":[2]}`],
    ['other objects behind', `{"items":[2],${metadata},"more":[{"items":[1]}]}`],
    ['with white space', JSON.stringify({ metadata: {}, items: [{ a: 1 }] }, null, 2)],
    ['a bracket in the token', '{"items":[1],"metadata":{"continue":"x]"}}'],
  ])('%s', (_, text) => {
    expect(cut(text)).toBeUndefined();
  });
});
