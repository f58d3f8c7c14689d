import { describe, expect, it } from 'vitest';
import { activityChecks } from '../../infra/cli/doctor/activity.ts';
import type { Inventory, Resident } from '../../infra/cli/doctor/inventory.ts';

const now = new Date('2026-01-01T12:00:00Z');
const at = (clock: string): string => `2026-01-01T${clock}Z`;

const resident = (over: Partial<Resident> = {}): Resident => ({
  name: 'Foo default/a',
  createdAt: at('09:00:00'),
  editedAt: at('09:00:00'),
  isDeleting: false,
  isSuspended: false,
  isSeen: true,
  isReady: true,
  stalled: undefined,
  refused: undefined,
  blocked: [],
  answeredAt: undefined,
  ...over,
});

interface Case {
  readonly reason: string;
  readonly given: Partial<Inventory>;
  readonly want: readonly string[];
}

const nothingYet = 'nothing here was written by serverless-reconciler yet';
const untold =
  'warn audit events: cannot be told from here: no resource has been answered by a child yet';
const seen = 'ok ticks: every edit has been looked at';
const wrote = { time: at('11:57:00'), what: 'status of Foo default/a' };
const told =
  'ok last write: 3m ago, 2026-01-01T11:57:00Z: status of Foo default/a; a tick that finds nothing to do leaves no trace but in the logs';

const cases: Record<string, Case> = {
  Empty: {
    reason: 'an installation without resources has nothing to do',
    given: {},
    want: [`ok last write: ${nothingYet}`, untold],
  },
  Unlisted: {
    reason: 'nothing follows from what could not be listed',
    given: { failures: [{ type: 'foos', message: 'cannot list foos', isForbidden: true }] },
    want: [],
  },
  Untouched: {
    reason: 'resources and no trace of us',
    given: { residents: [resident({ isSeen: false, editedAt: at('11:59:00') })] },
    want: [
      `warn last write: ${nothingYet}`,
      'ok ticks: 1 edited just now and not looked at yet',
      untold,
    ],
  },
  Overdue: {
    reason: 'nobody looks: neither ticks nor audit events come',
    given: {
      residents: [resident({ isSeen: false, editedAt: at('11:20:00') }), resident()],
      lastWrite: wrote,
    },
    want: [
      told,
      'fail ticks: no run has looked at 1 for more than 10 min: Foo default/a, edited 40m ago',
      untold,
    ],
  },
  SuspendedOrGoing: {
    reason: 'what is suspended or being deleted is rightly left alone',
    given: {
      residents: [
        resident({ isSeen: false, isSuspended: true }),
        resident({ isSeen: false, isDeleting: true }),
      ],
      lastWrite: wrote,
    },
    want: [told, seen, untold],
  },
  Prompt: {
    reason: 'the best of the newest counts: any of the others may have met a busy moment',
    given: {
      residents: [
        resident({ answeredAt: at('09:04:00') }),
        resident({
          name: 'Foo default/b',
          createdAt: at('10:00:00'),
          answeredAt: at('10:00:02'),
        }),
      ],
      lastWrite: wrote,
    },
    want: [
      told,
      seen,
      'ok audit events: Foo default/b had its first child 2 s after it was made: as fast as an audit event, or a tick just then',
    ],
  },
  Slow: {
    reason: 'never faster than a tick',
    given: { residents: [resident({ answeredAt: at('09:04:00') })], lastWrite: wrote },
    want: [
      told,
      seen,
      'warn audit events: Foo default/a had its first child 240 s after it was made, the best of the newest 1: that is a tick, so audit events seem not to arrive',
    ],
  },
  Adopted: {
    reason: 'a child older than its resource tells nothing',
    given: { residents: [resident({ answeredAt: at('08:00:00') })], lastWrite: wrote },
    want: [told, seen, untold],
  },
};

describe('activityChecks', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
    const inventory = { residents: [], failures: [], lastWrite: undefined, ...given };
    const found = activityChecks(inventory, now);
    expect(
      found.map(({ state, name, message }) => `${state} ${name}: ${message}`),
      reason,
    ).toEqual(want);
  });
});
