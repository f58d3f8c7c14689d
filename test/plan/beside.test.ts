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
  ['nothing is beside an empty text', undefined, undefined],
  [
    'something is beside one',
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
  ['something is beside a value that is not an empty text', ['metadata.annotations'], undefined],
])('%s', (_, beside, want) => {
  const child = { ours: beside === undefined ? ours : { ...ours, beside } };
  expect(filledBeside(fields, child)).toEqual(want);
});
