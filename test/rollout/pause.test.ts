import { expect, it } from 'vitest';
import { rolloutPauseOf } from '../../shared/rollout/pause.ts';

const values: Readonly<Record<string, { paused: boolean; resumedAt?: string; reason: string }>> = {
  paused: { paused: true, reason: 'a value that the command writes' },
  '2026-11-22T12:00:00Z': {
    paused: false,
    resumedAt: '2026-11-22T12:00:00Z',
    reason: 'a value that the command writes',
  },
  '': { paused: true, reason: 'an unknown value pauses the rollout' },
  '5': { paused: true, reason: 'a date that only JavaScript accepts pauses the rollout' },
  '2026-13-22T12:00:00Z': { paused: true, reason: 'an invalid month pauses the rollout' },
};

it.each(Object.entries(values))(
  'rolloutPauseOf reads the annotation %j',
  (value, { reason, paused, resumedAt = '' }) => {
    const annotations = { 'serverless-reconciler/rollout': value };
    expect(rolloutPauseOf({ annotations }), reason).toEqual({ paused, resumedAt });
  },
);

it.each([undefined, {}])('a definition without the annotation (%j) is not paused', (annotations) =>
  expect(rolloutPauseOf(annotations === undefined ? {} : { annotations })).toEqual({
    paused: false,
    resumedAt: '',
  }),
);
