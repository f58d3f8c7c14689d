import { expect, it } from 'vitest';
import { appliedAnnotation } from '../../shared/kinds/names.ts';
import type { KubeObject } from '../../shared/kubernetes.ts';
import { readStamp } from '../../shared/plan/observed/stamp.ts';

const fields = '0123456789abcdef';
const reads = 'fedcba9876543210';

it.each([
  ['of the fields', `2.${fields}`, { generation: 2, fields, reads: undefined }],
  ['of what is read, too', `1.${fields}.${reads}`, { generation: 1, fields, reads }],
  ['none', undefined, undefined],
  ['a text of others', 'yes', undefined],
  ['a longer one, as of others', `1.${fields}.${reads}.${reads}`, undefined],
  ['one in capitals, which no run writes', `1.${fields.toUpperCase()}`, undefined],
])('%s', (_, text, stamp) => {
  const annotations = text === undefined ? { other: 'x' } : { [appliedAnnotation]: text };
  const live = { metadata: { annotations } } as unknown as KubeObject;
  expect(readStamp(live)).toEqual(stamp);
});
