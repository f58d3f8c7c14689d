import { describe, expect, it } from 'vitest';
import { obstacleIn } from '../../shared/plan/observed/conditions.ts';
import { observeResource } from '../support/observe.ts';
import { website } from '../support/resources.ts';

const { generation } = observeResource(website());
const condition = (type: string, status: string, reason: string, at = generation) => ({
  type,
  status,
  reason,
  message: 'why',
  observedGeneration: at,
  lastTransitionTime: '2026-11-21T12:00:00Z',
});
const why = (state: string, reason: string) => ({ state, reason, message: 'why' });

describe('the obstacle that the last run met', () => {
  it.each([
    {
      reason: 'only an edit can repair a stalled resource',
      given: [condition('Stalled', 'True', 'Held')],
      want: why('Blocked', 'Held'),
    },
    {
      reason: 'the stall is over',
      given: [condition('Stalled', 'False', 'Held')],
      want: undefined,
    },
    {
      reason: 'the condition is about another generation',
      given: [condition('Stalled', 'True', 'Held', generation + 1)],
      want: undefined,
    },
    {
      reason: 'only a resync may end a fight',
      given: [condition('Stalled', 'False', 'Held'), condition('Ready', 'False', 'Contested')],
      want: why('Contested', 'Contested'),
    },
    {
      reason: 'a child that is not ready yet is no obstacle',
      given: [condition('Ready', 'False', 'Progressing')],
      want: undefined,
    },
    { reason: 'no run has reported yet', given: undefined, want: undefined },
  ])('$want, because $reason', ({ given, want }) => {
    const status = given === undefined ? undefined : { conditions: given };
    expect(obstacleIn(observeResource(website({ status } as never)))).toEqual(want);
  });
});
