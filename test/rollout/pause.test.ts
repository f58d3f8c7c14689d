import { expect, it } from 'vitest';
import { rolloutPauseOf } from '../../shared/rollout/pause.ts';

const values: Readonly<Record<string, { paused: boolean; resumedAt?: string; reason: string }>> = {
  paused: { paused: true, reason: 'the command writes it' },
  '2026-11-22T12:00:00Z': {
    paused: false,
    resumedAt: '2026-11-22T12:00:00Z',
    reason: 'the command writes it',
  },
  '': { paused: true, reason: 'an unknown value begins nothing' },
  '5': { paused: true, reason: 'JavaScript takes it for a date, but it is no time' },
  '2026-13-22T12:00:00Z': { paused: true, reason: 'there is no such month' },
};

it.each(Object.entries(values))('%j', (value, { reason, paused, resumedAt = '' }) => {
  const annotations = { 'serverless-reconciler/rollout': value };
  expect(rolloutPauseOf({ annotations }), reason).toEqual({ paused, resumedAt });
});

it.each([undefined, {}])('a definition without the annotation (%j) is not paused', (annotations) =>
  expect(rolloutPauseOf(annotations === undefined ? {} : { annotations })).toEqual({
    paused: false,
    resumedAt: '',
  }),
);
