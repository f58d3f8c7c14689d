import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../shared/kubernetes.ts';
import { isRecent, maybeContested } from '../../shared/plan/contest.ts';
import { drift } from '../../shared/plan/drift.ts';
import { observeChild } from '../../shared/plan/observed.ts';
import { websiteDeployment } from '../support/children.ts';
import { databaseSecret, secretWants } from '../support/children-of-database.ts';
import { applied, edited, scaled } from '../support/edits.ts';
import { website } from '../support/resources.ts';
import { applyBody, wantedFields } from '../support/worlds.ts';

const wanted = wantedFields(website(), 'Deployment');

/** Scaled, repaired at 12:00:00, then scaled again. */
const repaired = (() => {
  const live = scaled(websiteDeployment(), 5);
  const at = '2026-11-21T12:00:00Z';
  return applied(live, { by: 'serverless-reconciler', at }, applyBody(live, wanted));
})();
const scaledAt = (at: string): KubeObject =>
  edited(repaired, { by: 'hpa', at }, ({ spec }) => {
    spec.replicas = 7;
  });

interface Case {
  readonly reason: string;
  readonly live: KubeObject;
  readonly now: string;
  readonly want: boolean;
}

const soon = '2026-11-21T12:00:05Z';
const cases: Record<string, Case> = {
  TakenBack: {
    reason: 'the writer was at it 3 s after us',
    live: scaledAt('2026-11-21T12:00:03Z'),
    now: soon,
    want: true,
  },
  LateWriter: {
    reason: '30 s is long enough to be another matter',
    live: scaledAt('2026-11-21T12:00:30Z'),
    now: '2026-11-21T12:00:31Z',
    want: false,
  },
  SeenLate: {
    reason: 'when it is seen does not count, when it was written does',
    live: scaledAt('2026-11-21T12:00:03Z'),
    now: '2026-11-21T13:00:00Z',
    want: true,
  },
  NoTime: {
    reason: 'a writer without a time was there now at the latest',
    live: scaled(repaired, 7),
    now: soon,
    want: true,
  },
  NoTimeLate: {
    reason: 'and long after us it is another matter',
    live: scaled(repaired, 7),
    now: '2026-11-21T12:00:30Z',
    want: false,
  },
  CreatedOrRepaired: {
    reason: 'created and repaired within one second looks as merely created',
    live: edited(websiteDeployment(), { by: 'kubectl', at: '2026-11-21T10:38:36Z' }, ({ spec }) => {
      spec.replicas = 7;
    }),
    now: '2026-11-21T10:38:37Z',
    want: true,
  },
  Cleared: {
    reason: 'when we last wrote is not known',
    live: edited(repaired, { by: 'kubectl' }, ({ metadata }) => {
      metadata.managedFields = [{}];
    }),
    now: soon,
    want: false,
  },
  Untouched: { reason: 'no drift, no fight', live: repaired, now: soon, want: false },
};

describe('maybeContested', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, live, now, want }) => {
    const child = observeChild(live);
    expect(maybeContested(child, drift(wanted, child), now), reason).toBe(want);
  });
});

describe('maybeContested of a Secret', () => {
  it('D-3 D-5 sees who is at it, though no value shows', () => {
    const at = '2026-11-21T12:00:00Z';
    const taken = (time: string, live: KubeObject) =>
      edited(live, { by: 'vault', at: time }, ({ data }) => {
        data.username = `${data.username}x`;
      });
    const first = taken('2026-11-21T11:00:00Z', databaseSecret());
    const ours = applied(first, { by: 'serverless-reconciler', at }, applyBody(first, secretWants));
    const child = observeChild(taken('2026-11-21T12:00:03Z', ours));
    expect(maybeContested(child, drift(secretWants, child), soon)).toBe(true);
  });
});

describe('isRecent', () => {
  const times = {
    '2026-11-21T12:00:00Z': true,
    '2026-11-21T11:59:31Z': true,
    '2026-11-21T11:59:30Z': false,
  };
  it.each(Object.entries(times))('%s', (time, want) => {
    expect(isRecent(time, '2026-11-21T12:00:00Z')).toBe(want);
  });
});
