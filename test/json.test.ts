import { expect, it } from 'vitest';
import { deepFreeze, pointerToken } from '../shared/json.ts';
import type { Json } from '../shared/kubernetes.ts';

it('pointerToken escapes a field for a JSON pointer', () => {
  expect(pointerToken('a~1/b')).toBe('a~01~1b');
});

it('deepFreeze freezes a value that is nested deeper than the stack allows', () => {
  const lowest = { changed: false };
  let value: Json = lowest;
  for (let depth = 0; depth < 100_000; depth++) value = depth % 2 === 0 ? [value] : { value };
  deepFreeze(value);
  expect(Object.isFrozen(lowest)).toBe(true);
});

it('deepFreeze freezes a value that contains itself', () => {
  const value: Record<string, unknown> = { inner: {} };
  value.self = value;
  expect(Object.isFrozen(deepFreeze(value).inner)).toBe(true);
});
