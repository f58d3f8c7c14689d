import { expect, it } from 'vitest';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { filledBeside } from '../../shared/plan/drift/beside.ts';

const shape = JSON.stringify({ listKeys: { 'spec.env': ['name'] }, leafMaps: [] });
const ours = { manager: 'm', time: undefined, values: '', shape };
const fields = {
  spec: {
    note: '',
    env: [
      { name: 'A', value: '' },
      { name: 'B', value: '' },
    ],
  },
};

it.each<[string, readonly string[] | undefined, JsonObject | undefined]>([
  ['an empty text without an exclusive field beside it needs no value', undefined, undefined],
  [
    'an empty text with an exclusive field beside it gets a value',
    ['spec.env[name="A"].valueFrom'],
    {
      spec: {
        note: '',
        env: [
          { name: 'A', value: 'x' },
          { name: 'B', value: '' },
        ],
      },
    },
  ],
  [
    'a field beside a value other than an empty text changes nothing',
    ['metadata.annotations'],
    undefined,
  ],
])('%s', (_, beside, want) => {
  const child = { ours: beside === undefined ? ours : { ...ours, beside } };
  expect(filledBeside(fields, child)).toEqual(want);
});
