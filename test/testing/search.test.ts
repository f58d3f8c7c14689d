import { expect, it } from 'vitest';
import { breach, laws } from '../../testing/law.ts';
import { narrowed } from '../../testing/reliable/search.ts';

const bounded = breach(laws.bounded, 'A Shop', ['too many']);
const found = { value: 'abc', breach: bounded };

/** Breaks one law for a text with an a, another for a text with a b. */
const judge = (text: string): void => {
  if (text.includes('a')) throw breach(laws.pure, 'A Shop', [text]);
  if (text.includes('b')) throw breach(laws.bounded, 'A Shop', [text]);
};

it('narrows a counterexample to the first smaller value that breaks the same law', async () => {
  const { value, breach } = await narrowed(found, ['', 'a', 'c', 'bc', 'b'], judge);
  expect({ value, law: breach.law }).toEqual({ value: 'bc', law: laws.bounded });
});

it('keeps a counterexample of which no smaller value breaks the same law', async () => {
  expect(await narrowed(found, ['', 'a', 'c'], judge)).toBe(found);
});
