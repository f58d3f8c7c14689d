import { expect, it } from 'vitest';
import { because } from '../../infra/origin-text.ts';
import { origins } from '../../shared/plan/decision/origin.ts';

it('each origin of a change has a different text', () => {
  expect(origins.map(because)).toEqual([
    'because the resource was edited',
    'because others changed it',
    'because a label of the resource or an object that it reads has changed, a time has come, or a certificate had to be renewed',
    "because the kind's code has changed",
  ]);
});
