import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outlineOf } from '../../shared/cluster/page-digest.ts';
import { effort } from '../properties/runs.ts';

const outline = (text: string) => outlineOf(Buffer.from(text));

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

describe.each(names)('a page of a %s list', (name) => {
  const list = lists[name];

  test('is known by its objects, whatever the version of the list and the token', () => {
    const one = [{ metadata: { name: 'a' } }];
    const first = outline(
      list(one, { resourceVersion: '7', continue: 'x', remainingItemCount: 3 }),
    );
    expect(first?.envelope).toMatchObject({ items: [], metadata: { continue: 'x' } });
    expect(outline(list(one, { resourceVersion: '8' }))?.digest).toBe(first?.digest);
  });

  test('is another, if anything of an object is', () => {
    const digests = [
      [],
      [{ a: 1 }],
      [{ a: 2 }],
      [{ a: '1' }],
      [{ a: 1 }, { a: 1 }],
      [{ a: 1, b: [] }],
      [{ b: [], a: 1 }],
      [{ 'items":[': 1 }],
    ].map((items) => outline(list(items))?.digest);
    expect(new Set(digests).size).toBe(digests.length);
    expect(digests).not.toContain(undefined);
  });

  test('is cut out exactly, whatever the objects contain', () => {
    const hostile = fc.oneof(
      fc.json(),
      fc.constantFrom('"items":[', ']', '],"kind":"x"', '\\"items\\":[', '{"items":[]}'),
    );
    const object = fc.oneof(
      fc.jsonValue(),
      fc.record({ items: fc.array(hostile), metadata: fc.record({ items: fc.array(hostile) }) }),
      fc.dictionary(hostile, fc.oneof(hostile, fc.array(hostile))),
    );
    const items = fc.array(object, { maxLength: 4 });
    const property = fc.property(items, items, (some, others) => {
      const [a, b] = [outline(list(some)), outline(list(others))];
      expect(a?.envelope).toEqual(JSON.parse(list([])));
      const isSame = JSON.stringify(some) === JSON.stringify(others);
      expect(a?.digest === b?.digest).toBe(isSame);
    });
    fc.assert(property, effort(2000));
  });
});

describe('a page whose objects cannot be cut out has no outline, and is parsed', () => {
  const metadata = '"metadata":{"resourceVersion":"7"}';
  test.each([
    ['an empty list as Go writes one', builtIn(null)],
    ['no list', '{"kind":"Status","metadata":{}}'],
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
    expect(outline(text)).toBeUndefined();
  });
});
