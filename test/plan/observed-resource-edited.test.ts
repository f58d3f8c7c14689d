import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../shared/kubernetes.ts';
import { suspended } from '../../shared/plan/observed/conditions.ts';
import { isEdited, isUntried } from '../../shared/plan/observed/observed-resource.ts';
import { casesOf } from '../support/cases.ts';
import { observeResource } from '../support/observe.ts';
import { foo } from '../support/resources.ts';

const ready = {
  type: 'Ready',
  status: 'False',
  reason: 'Conflict',
  message: '',
  observedGeneration: 2,
  lastTransitionTime: '2026-11-21T10:38:35Z',
};

/** A Foo of generation 2. */
const withStatus = (status: object): KubeObject => ({
  ...foo({ metadata: { generation: 2 } }),
  status: status as KubeObject,
});

const cases: Record<
  string,
  { reason: string; given: KubeObject; edited: boolean; untried: boolean }
> = {
  New: {
    reason: 'no run has reported this generation',
    given: { ...foo({ metadata: { generation: 1 } }), status: undefined },
    edited: true,
    untried: true,
  },
  ActedOn: {
    reason: 'this generation was acted on',
    given: withStatus({ observedGeneration: 2, conditions: [ready] }),
    edited: false,
    untried: false,
  },
  Older: {
    reason: 'only the previous generation was acted on',
    given: withStatus({
      observedGeneration: 1,
      conditions: [{ ...ready, observedGeneration: 1 }],
    }),
    edited: true,
    untried: true,
  },
  Tried: {
    reason: 'a run reported this generation, but did not complete it',
    given: withStatus({ observedGeneration: 1, conditions: [ready] }),
    edited: true,
    untried: false,
  },
  OtherCondition: {
    reason: 'another condition does not prove that a run tried this generation',
    given: withStatus({ observedGeneration: 1, conditions: [{ ...ready, type: 'Stalled' }] }),
    edited: true,
    untried: true,
  },
  Suspended: {
    reason: 'no run tried this generation while the resource was suspended',
    given: withStatus({
      observedGeneration: 1,
      conditions: [{ ...ready, reason: suspended.reason }],
    }),
    edited: true,
    untried: true,
  },
};

describe.each(casesOf(cases))('%s', (_, { given, edited, untried }) => {
  const resource = observeResource(given);

  it('isEdited', () => {
    expect(isEdited(resource)).toBe(edited);
  });

  it('isUntried', () => {
    expect(isUntried(resource)).toBe(untried);
  });
});
