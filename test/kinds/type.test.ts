import * as typebox from 'typebox';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { Type } from '../../shared/kinds/type.ts';

describe('Type', () => {
  const { Record: _, ...others } = Type;

  it.each(Object.entries(others))('has %s of TypeBox', (name, builder) => {
    expect(builder).toBe(typebox.Type[name as keyof typeof typebox.Type]);
  });

  const text = Type.String();
  const named = Type.Object({ a: Type.Optional(Type.Integer({ default: 1 })) });
  const keys = {
    any: text,
    limited: Type.String({ maxLength: 3 }),
    ofPattern: Type.String({ pattern: '^a' }),
    ofRegExp: Type.String({ pattern: /^a/ }),
    withoutPattern: Type.String({ pattern: undefined as never }),
  };
  const options = [undefined, {}, { maxProperties: 2, default: {} }, { patternProperties: {} }];

  it.each(
    Object.entries(keys).flatMap(([name, key]) =>
      options.map((given) => ({ name, key, given, shown: JSON.stringify(given) })),
    ),
  )('makes the Record of TypeBox: keys $name, options $shown', ({ key, given }) => {
    for (const value of [text, named, Type.Record(text, named)])
      expect(described(Type.Record(key, value, given))).toEqual(
        described(typebox.Record(key, value, given)),
      );
  });

  it('gives a Record the type that TypeBox gives it', () => {
    const own = Type.Record(text, named);
    const theirs = typebox.Record(text, named);
    expectTypeOf(own).toEqualTypeOf(theirs);
    expectTypeOf<typebox.Static<typeof own>>().toEqualTypeOf<Record<string, { a?: number }>>();
  });

  it('refuses keys of a Record that are no texts', () => {
    const names = Type.Union([Type.Literal('a'), Type.Literal('b')]);
    // @ts-expect-error: not Type.String()
    expect(() => Type.Record(names, text)).toThrow(
      'Type.Record: the keys must be Type.String(); use Type.Object for known keys',
    );
  });
});

/** With what is not enumerable, where TypeBox keeps the kind. */
const described = (value: unknown): unknown =>
  typeof value !== 'object' || value === null
    ? value
    : Object.entries(Object.getOwnPropertyDescriptors(value)).map(([name, one]) => [
        name,
        { ...one, value: described(one.value) },
      ]);
