import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../shared/kubernetes.ts';
import type { Finding } from '../../shared/plan/finding.ts';
import { isNew, mayWait } from '../../shared/plan/unwritten.ts';
import { observeResource } from '../support/observe.ts';
import { createdAt, foo } from '../support/resources.ts';

const condition = (type: string, status: string) => ({
  ...{ type, status, reason: 'Any', message: '' },
  ...{ observedGeneration: 1, lastTransitionTime: createdAt },
});

describe('a new resource', () => {
  const statuses: readonly [string, unknown, boolean][] = [
    ['has no status', undefined, true],
    ['may have conditions of others', { conditions: [condition('Synced', 'True')] }, true],
    ['may have fields of others', { observedGeneration: 1, note: 'x' }, true],
    [
      'is not one that a run reported as Ready',
      { conditions: [condition('Ready', 'True')] },
      false,
    ],
    ['is not one that was not Ready', { conditions: [condition('Ready', 'False')] }, false],
    ['is not one that is suspended', { conditions: [condition('Ready', 'Unknown')] }, false],
  ];
  it.each(statuses)('%s', (_, status, want) => {
    expect(isNew(observeResource({ ...foo(), status } as KubeObject))).toBe(want);
  });
});

describe('a status may wait', () => {
  const summaryOf = (state: 'Reconciling' | 'Stalled', reason: string): Finding['summary'] => ({
    ...{ state, reason, message: 'why' },
  });
  const cases: readonly [string, Finding['summary'], boolean, boolean][] = [
    ['while children only progress', summaryOf('Reconciling', 'Progressing'), true, true],
    ['not while something is left to do', summaryOf('Reconciling', 'Progressing'), false, false],
    ['not once it is Ready', { state: 'Ready' }, true, false],
    ['not if a tick has to repair it', summaryOf('Reconciling', 'Contested'), true, false],
    ['not if admission rewrote it', summaryOf('Reconciling', 'RewrittenOnAdmission'), true, false],
    ['not if it needs its author', summaryOf('Stalled', 'Progressing'), true, false],
  ];
  it.each(cases)('%s', (_, summary, acted, want) => {
    expect(mayWait({ summary, acted, wanted: [], leftovers: [] })).toBe(want);
  });
});
