import { expect, it } from 'vitest';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { isComparisonDue } from '../../shared/plan/status/run-record.ts';
import { observeResource } from '../support/observe.ts';
import { foo } from '../support/resources.ts';

const compared = { lastApplied: { children: [''], comparedAt: '2026-11-21T10:38:35Z' } };

it.each<[string, string, JsonObject, boolean]>([
  ['is due a day after the last one', '2026-11-22T10:38:35Z', compared, true],
  ['is not due within a day', '2026-11-22T09:38:35Z', compared, false],
  ['is due if the last one is in the future', '2026-11-21T10:38:34Z', compared, true],
  ['is not due for a resource without records', '2026-11-22T10:38:35Z', {}, false],
])('a comparison of the children %s', (_, time, status, want) => {
  expect(isComparisonDue(observeResource(foo({ status })), new Date(time))).toBe(want);
});
