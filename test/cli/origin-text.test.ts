import { expect, it } from 'vitest';
import { because } from '../../infra/origin-text.ts';
import { origins } from '../../shared/plan/decision/origin.ts';

it('each origin of a change has a different text', () => {
  expect(origins.map(because)).toEqual([
    'because the resource was edited',
    'because others changed it',
    "because the resource's labels or an object that it reads changed, a time that its kind asks about has come, or a certificate had to be renewed",
    "because the kind's code has changed",
  ]);
});
