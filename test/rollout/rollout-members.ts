import { present } from '../../shared/json.ts';
import type { RolloutPolicy } from '../../shared/kinds/rollout-budget.ts';
import type { MarkReason } from '../../shared/plan/observed/rollout-mark.ts';
import { type Fleet, type Member, newFleet } from '../../shared/rollout/fleet.ts';
import { foo } from '../../systems/foo.ts';

export const minute = (at: number): string =>
  new Date(Date.UTC(2026, 10, 22, 12, at)).toISOString();
export const now = new Date(minute(30));
export const policy: RolloutPolicy = { budget: () => 3, timeoutMs: 600_000, failures: 0 };

export interface Given {
  readonly reason?: MarkReason;
  /** The minute of its mark; the resource has waited since minute 10. */
  readonly at?: number;
  readonly since?: number;
  readonly notReady?: true;
  readonly idle?: true;
  readonly first?: true;
}

function member(uid: string, given: Given): Member {
  const { reason, at = 25, since = 10, notReady, idle = false, first } = given;
  const [namespace = '', name = ''] = uid.includes('/') ? uid.split('/') : ['n', uid];
  const times = { since: minute(at), statusSince: minute(since) };
  const rollout = reason && { reason, ...times, target: undefined };
  return {
    uid,
    createdAt: '2026-01-01T00:00:00Z',
    namespace,
    name,
    resourceVersion: '1',
    generation: 1,
    strayStatus: false,
    deleting: false,
    observeOnly: false,
    suspended: idle,
    ...present({ rollout, first }),
    ready: notReady !== true,
  };
}

export function fleetOf(given: Readonly<Record<string, Given>>, lastDone = ''): Fleet {
  const members = Object.entries(given).map(([name, one]) => [name, member(name, one)] as const);
  const done = lastDone === '' ? [] : [lastDone];
  return { ...newFleet(foo), resources: 30, members: new Map(members), done };
}

export const waiting: Given = { reason: 'Waiting' };
export const four = { a: waiting, b: waiting, c: waiting, d: waiting };
export const proven = minute(20);
