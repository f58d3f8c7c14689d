import { describe, expect, it } from 'vitest';
import { at, type Given, look, resident } from './doctor-activity-ground.ts';

interface Case {
  readonly reason: string;
  readonly given: Given;
  readonly want: readonly string[];
}

const wrote = { time: at('11:57:00'), what: 'status of Foo default/a' };
const silent =
  'warn ticks: the cluster cannot tell, as a tick that finds nothing to do writes nothing';
const unknown = 'warn audit events: unknown: no edit of the last 5 min tells';

const cases: Record<string, Case> = {
  Empty: {
    reason: 'an installation without resources has nothing to do, and shows nothing',
    given: {},
    want: ['ok last write: nothing here was written by serverless-reconciler yet', silent, unknown],
  },
  Unlisted: {
    reason: 'nothing follows from what could not be listed',
    given: { failures: [{ type: 'foos', message: 'cannot list foos', isForbidden: true }] },
    want: [],
  },
  Untouched: {
    reason: 'resources and no trace of us',
    given: { residents: [resident({ isWaiting: true, editedAt: at('11:59:30') })] },
    want: [
      'warn last write: nothing here was written by serverless-reconciler yet',
      `${silent}; 1 edited and not looked at yet`,
      'warn audit events: an edit was made just now: its answer may be on its way',
    ],
  },
  Converged: {
    reason: 'whoever has nothing to do leaves no trace: neither good nor bad',
    given: { residents: [resident({ answeredAt: at('09:00:02') })], lastWrite: wrote },
    want: [
      'ok last write: 3m ago, 2026-01-01T11:57:00Z: status of Foo default/a',
      silent,
      `${unknown}; the newest that tells: Foo default/a, edited 3h ago, was answered 2 s later`,
    ],
  },
};

const audits: Record<string, Case> = {
  Recent: {
    reason: 'a quick answer just now',
    given: { residents: [resident({ editedAt: at('11:58:00'), answeredAt: at('11:58:02') })] },
    want: [
      'ok audit events: Foo default/a, edited 2m ago, was answered 2 s later: as an audit event does, or by chance a tick or a resync by hand',
    ],
  },
  WorkedOnce: {
    reason: 'the newest edit counts, not the best: they came, and come no longer',
    given: {
      residents: [
        resident({ editedAt: at('11:56:00'), answeredAt: at('11:56:02') }),
        resident({
          name: 'Foo default/b',
          editedAt: at('11:57:00'),
          answeredAt: at('11:59:30'),
        }),
      ],
    },
    want: [
      'warn audit events: Foo default/b, edited 3m ago, was answered 150 s later: audit events seem not to arrive',
    ],
  },
  Waiting: {
    reason: 'who waits still waits today, however old the edit',
    given: {
      residents: [
        resident({ editedAt: at('11:40:00'), answeredAt: at('11:40:02') }),
        resident({ name: 'Foo default/b', editedAt: at('11:52:00'), isWaiting: true }),
      ],
    },
    want: [
      'warn audit events: Foo default/b, edited 8m ago, waits for a run: audit events seem not to arrive',
    ],
  },
  OneIsLeft: {
    reason: 'one that no run gets done says nothing against a newer one',
    given: {
      residents: [
        resident({ editedAt: at('11:50:00'), isWaiting: true }),
        resident({
          name: 'Foo default/b',
          editedAt: at('11:58:00'),
          answeredAt: at('11:58:01'),
        }),
      ],
    },
    want: [
      'ok audit events: Foo default/b, edited 2m ago, was answered 1 s later: as an audit event does, or by chance a tick or a resync by hand',
    ],
  },
  TicksAreAsFast: {
    reason: 'with a tick each ten seconds a quick answer is no evidence',
    given: {
      residents: [resident({ editedAt: at('11:58:00'), answeredAt: at('11:58:02') })],
      interval: '10s',
    },
    want: ['warn audit events: with a tick each 10s the cluster cannot tell'],
  },
  TicksAreNearlyAsFast: {
    reason: 'twenty seconds of two minutes are a tick as likely as not',
    given: {
      residents: [resident({ editedAt: at('11:58:00'), answeredAt: at('11:58:20') })],
      interval: '2m',
    },
    want: [
      'warn audit events: Foo default/a, edited 2m ago, was answered 20 s later: audit events seem not to arrive',
    ],
  },
  Going: {
    reason: 'of what is being deleted nothing is expected',
    given: { residents: [resident({ isDeleting: true, editedAt: at('11:58:00') })] },
    want: [unknown],
  },
};

const overdue = { residents: [resident({ isWaiting: true, editedAt: at('11:39:00') })] };
const ticks: Record<string, Case> = {
  Overdue: {
    reason: 'nobody looks: neither ticks nor audit events come',
    given: overdue,
    want: [
      'fail ticks: no run has looked at 1 within two intervals of 10m: Foo default/a, edited 21m ago',
    ],
  },
  NotYet: {
    reason: 'a tick each hour may still come',
    given: { ...overdue, interval: '1h' },
    want: [`${silent}; 1 edited and not looked at yet`],
  },
};

const told = (checks: ReturnType<typeof look>): readonly string[] =>
  checks.map(({ state, name, message }) => `${state} ${name}: ${message}`);

describe('activityChecks', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
    expect(told(look(given)), reason).toEqual(want);
  });

  it.each(Object.entries(ticks))('ticks: %s', (_, { reason, given, want }) => {
    const found = look(given).filter(({ name }) => name === 'ticks');
    expect(told(found), reason).toEqual(want);
  });

  it.each(Object.entries(audits))('audit events: %s', (_, { reason, given, want }) => {
    const found = look(given).filter(({ name }) => name === 'audit events');
    expect(told(found), reason).toEqual(want);
  });
});
