import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../shared/plan/drift/contest.ts';
import type { LastApplied } from '../../shared/plan/observed/applied.ts';
import type { ObservedResource } from '../../shared/plan/observed/observed-resource.ts';
import type { ResourceStatus } from '../../shared/plan/observed/recorded-status.ts';
import { fightDetectorFor } from '../../shared/resource/plan-resource.ts';
import type { Policy, Run } from '../../shared/run/run.ts';
import { ref } from '../support/decisions.ts';
import { observeResource } from '../support/observe.ts';
import { foo as live } from '../support/resources.ts';

const now = '2026-11-22T12:00:00Z';
const ago = (seconds: number) => new Date(Date.parse(now) - seconds * 1000).toISOString();
const [other, child] = [ref('Deployment', 'b'), ref('Deployment', 'a')];

interface Given extends Partial<Policy> {
  readonly recorded?: Partial<LastApplied>;
  readonly status?: ResourceStatus;
  readonly resource?: Partial<ObservedResource>;
}

const given = observeResource(live());

function detectorFor({ recorded, status, resource, trigger = 'audit' }: Given) {
  const run = { clients: { now: () => new Date(now) }, policy: { trigger } } as Run;
  const lastApplied = recorded && { children: ['', ''], ...recorded };
  const children = [other, child];
  return fightDetectorFor(run, {
    ...given,
    status: { ...given.status, children, ...(lastApplied ? { lastApplied } : {}), ...status },
    ...resource,
  });
}

const creation: Attempt = { verb: 'create', child, observed: undefined, differences: [] };
const isLeft = (of: Given): boolean => detectorFor(of)?.(creation) !== undefined;
const repairs = [{ child: 1, at: ago(10) }];

describe('no fight is detected', () => {
  it.each<[string, Given]>([
    ['by a resync', { recorded: { repairs }, trigger: 'resync' }],
    [
      'for a generation that no run has tried',
      { recorded: { repairs }, resource: { generation: 99 } },
    ],
  ])('%s', (_, of) => {
    expect(detectorFor(of)).toBeUndefined();
  });
});

describe('a repair', () => {
  it.each<[string, Given, boolean]>([
    ['if the status records a recent repair of the same field', { recorded: { repairs } }, true],
    ['not if the status records no repair', {}, false],
    [
      'not 30 s after the recorded repair',
      { recorded: { repairs: [{ child: 1, at: ago(31) }] } },
      false,
    ],
    [
      'not if the status records a repair of another child',
      { recorded: { repairs: [{ child: 0, at: ago(10) }] } },
      false,
    ],
    [
      'even if the status has no conditions',
      { recorded: { repairs }, status: { conditions: [] } },
      true,
    ],
  ])('is left to a resync: %s', (_, of, want) => {
    expect(isLeft(of)).toBe(want);
  });

  it('of managedFields is left to a resync or its request message', () => {
    const attempt = {
      ...creation,
      verb: 'consolidate',
      observed: { ours: undefined, others: [] } as never,
    } as const;
    expect(detectorFor({})?.(attempt)).toMatch(/only by the scheduled resync/);
    expect(detectorFor({ trigger: 'request' })?.(attempt)).toBeUndefined();
  });
});
