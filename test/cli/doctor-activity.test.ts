import { describe, expect, it } from 'vitest';
import { at, check, fooFacts, type Given } from './doctor-activity-facts.ts';

interface Case {
  readonly reason: string;
  readonly given: Given;
  readonly want: readonly string[];
}

const lastWrite = { time: at('11:57:00'), what: 'status of Foo default/a' };
const silent =
  'warn ticks: cannot be determined from the cluster, as a tick that finds nothing to do writes nothing';
const unknown = 'warn audit events: unknown: no edit in the last 5 min is conclusive';

const cases: Record<string, Case> = {
  Empty: {
    reason: 'without resources there is nothing to do, and no trace',
    given: {},
    want: [
      'ok last write: serverless-reconciler has not written anything here yet',
      silent,
      unknown,
    ],
  },
  Unlisted: {
    reason: 'a failed list allows no conclusion',
    given: { failures: [{ type: 'foos', message: 'cannot list foos', isForbidden: true }] },
    want: [],
  },
  Untouched: {
    reason: 'resources, and no trace of a run',
    given: { resources: [fooFacts({ isWaiting: true, editedAt: at('11:59:30') })] },
    want: [
      'warn last write: serverless-reconciler has not written anything here yet',
      `${silent}; 1 edited and not reconciled yet`,
      'warn audit events: a resource was edited just now, and its run may be under way',
    ],
  },
  Converged: {
    reason: 'a run with nothing to do leaves no trace, so neither ok nor fail',
    given: { resources: [fooFacts({ answeredAt: at('09:00:02') })], lastWrite },
    want: [
      'ok last write: 3m ago, 2026-01-01T11:57:00Z: status of Foo default/a',
      silent,
      `${unknown}; the newest conclusive one: Foo default/a, edited 3h ago, was reconciled 2 s later`,
    ],
  },
};

const audits: Record<string, Case> = {
  Recent: {
    reason: 'a recent edit was reconciled quickly',
    given: { resources: [fooFacts({ editedAt: at('11:58:00'), answeredAt: at('11:58:02') })] },
    want: [
      'ok audit events: Foo default/a, edited 2m ago, was reconciled 2 s later: consistent with an audit event, or by chance with a tick or a manual resync',
    ],
  },
  WorkedOnce: {
    reason: 'the newest edit counts, not the fastest: audit events have stopped arriving',
    given: {
      resources: [
        fooFacts({ editedAt: at('11:56:00'), answeredAt: at('11:56:02') }),
        fooFacts({
          name: 'Foo default/b',
          editedAt: at('11:57:00'),
          answeredAt: at('11:59:30'),
        }),
      ],
    },
    want: [
      'warn audit events: Foo default/b, edited 3m ago, was reconciled 150 s later: audit events seem not to arrive',
    ],
  },
  Waiting: {
    reason: 'an edit that is still waiting counts, however old it is',
    given: {
      resources: [
        fooFacts({ editedAt: at('11:40:00'), answeredAt: at('11:40:02') }),
        fooFacts({ name: 'Foo default/b', editedAt: at('11:52:00'), isWaiting: true }),
      ],
    },
    want: [
      'warn audit events: Foo default/b, edited 8m ago, is waiting for a run: audit events seem not to arrive',
    ],
  },
  OneIsLeft: {
    reason: 'a resource that no run completes does not outweigh a newer edit',
    given: {
      resources: [
        fooFacts({ editedAt: at('11:50:00'), isWaiting: true }),
        fooFacts({
          name: 'Foo default/b',
          editedAt: at('11:58:00'),
          answeredAt: at('11:58:01'),
        }),
      ],
    },
    want: [
      'ok audit events: Foo default/b, edited 2m ago, was reconciled 1 s later: consistent with an audit event, or by chance with a tick or a manual resync',
    ],
  },
  TicksAreAsFast: {
    reason: 'with a tick every ten seconds a quick reaction proves nothing',
    given: {
      resources: [fooFacts({ editedAt: at('11:58:00'), answeredAt: at('11:58:02') })],
      interval: '10s',
    },
    want: ['warn audit events: cannot be determined with a tick every 10s'],
  },
  TicksAreNearlyAsFast: {
    reason: 'within twenty seconds of a two-minute interval it may well be a tick',
    given: {
      resources: [fooFacts({ editedAt: at('11:58:00'), answeredAt: at('11:58:20') })],
      interval: '2m',
    },
    want: [
      'warn audit events: Foo default/a, edited 2m ago, was reconciled 20 s later: audit events seem not to arrive',
    ],
  },
  Going: {
    reason: 'resources being deleted are ignored',
    given: { resources: [fooFacts({ isDeleting: true, editedAt: at('11:58:00') })] },
    want: [unknown],
  },
};

const overdue = { resources: [fooFacts({ isWaiting: true, editedAt: at('11:39:00') })] };
const ticks: Record<string, Case> = {
  Overdue: {
    reason: 'neither ticks nor audit events arrive',
    given: overdue,
    want: [
      'fail ticks: no run has reconciled 1 within two intervals of 10m: Foo default/a, edited 21m ago',
    ],
  },
  NotYet: {
    reason: 'an hourly tick may still be due',
    given: { ...overdue, interval: '1h' },
    want: [`${silent}; 1 edited and not reconciled yet`],
  },
};

const lines = (checks: ReturnType<typeof check>): readonly string[] =>
  checks.map(({ state, name, message }) => `${state} ${name}: ${message}`);

describe('activityChecks', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
    expect(lines(check(given)), reason).toEqual(want);
  });

  it.each(Object.entries(ticks))('ticks: %s', (_, { reason, given, want }) => {
    const found = check(given).filter(({ name }) => name === 'ticks');
    expect(lines(found), reason).toEqual(want);
  });

  it.each(Object.entries(audits))('audit events: %s', (_, { reason, given, want }) => {
    const found = check(given).filter(({ name }) => name === 'audit events');
    expect(lines(found), reason).toEqual(want);
  });
});
