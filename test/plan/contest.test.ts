import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../shared/kubernetes.ts';
import { fightDetector, maybeContested } from '../../shared/plan/contest.ts';
import { drift } from '../../shared/plan/drift.ts';
import { websiteDeployment } from '../support/children.ts';
import { databaseSecret, secretWants } from '../support/children-of-database.ts';
import { applied, edited, scaled } from '../support/edits.ts';
import { observeChild } from '../support/observe.ts';
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
    reason: 'the writer changed it 3 s after us',
    live: scaledAt('2026-11-21T12:00:03Z'),
    now: soon,
    want: true,
  },
  LateWriter: {
    reason: 'after 30 s it is no fight',
    live: scaledAt('2026-11-21T12:00:30Z'),
    now: '2026-11-21T12:00:31Z',
    want: false,
  },
  SeenLate: {
    reason: 'the time of the write counts, not that of the run',
    live: scaledAt('2026-11-21T12:00:03Z'),
    now: '2026-11-21T13:00:00Z',
    want: true,
  },
  NoTime: {
    reason: 'a writer without a time counts as now',
    live: scaled(repaired, 7),
    now: soon,
    want: true,
  },
  NoTimeLate: {
    reason: 'and long after us it is no fight',
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
    reason: 'the time of our last write is unknown, so Events decide',
    live: edited(repaired, { by: 'kubectl' }, ({ metadata }) => {
      metadata.managedFields = [{}];
    }),
    now: soon,
    want: true,
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
  it('D-3 D-5 names the writer without showing values', () => {
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

interface FightCase {
  readonly reason: string;
  readonly live: KubeObject;
  readonly repairs: readonly string[];
  readonly at?: string;
  readonly readyMessage?: string;
  readonly edited?: boolean;
  readonly fromScopeMessage?: boolean;
  readonly want: string | undefined;
}

const fought = 'spec.replicas is set again and again by hpa';
const replicas = 'Deployment website-sample: spec.replicas 5 → 2, changed by kubectl';
/** Our own entry holds five replicas. */
const rewritten = applied(
  repaired,
  { by: 'serverless-reconciler', at: '2026-11-21T12:00:10Z' },
  applyBody(repaired, { ...wanted, spec: { ...(wanted.spec as object), replicas: 5 } }),
);

const fights: Record<string, FightCase> = {
  Named: {
    reason: 'an Event 3 s before names the field',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: [replicas],
    want: fought,
  },
  HeardLate: {
    reason: 'the time of the change counts, not that of the run',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: [replicas],
    at: '2026-11-21T12:10:00Z',
    want: fought,
  },
  NotNamed: {
    reason: 'another field was repaired',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: ['Deployment website-sample: spec.template.spec.x 1 → 2'],
    want: undefined,
  },
  OtherChild: {
    reason: 'another child was repaired',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: ['Deployment website: spec.replicas 5 → 2'],
    want: undefined,
  },
  CutOff: {
    reason: 'a truncated Event may have named it',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: ['Deployment website-sample: spec.x 1…'],
    want: fought,
  },
  Rewritten: {
    reason: 'we wrote 10 s ago, and hold what we do not want',
    live: rewritten,
    repairs: [],
    at: '2026-11-21T12:00:20Z',
    want: 'rewritten on admission: spec.replicas',
  },
  OldWishOfAnEdit: {
    reason: 'what we own may be what the previous generation wanted',
    live: rewritten,
    repairs: [],
    at: '2026-11-21T12:00:20Z',
    edited: true,
    want: undefined,
  },
  PartAtOnce: {
    reason: 'a redelivered Scope message finds what was just repaired',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: ['Deployment website-sample: spec.replicas 5 → 2, changed by hpa'],
    fromScopeMessage: true,
    want: 'spec.replicas is set again and again by hpa',
  },
  PartOfTheNextTick: {
    reason: 'and repairs what was undone since the last tick',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: ['Deployment website-sample: spec.replicas 5 → 2, changed by hpa'],
    at: '2026-11-21T12:01:00Z',
    fromScopeMessage: true,
    want: undefined,
  },
  OldWish: {
    reason: 'a value we have owned for long is an edit',
    live: rewritten,
    repairs: [],
    at: '2026-11-21T12:01:00Z',
    want: undefined,
  },
  SaidToBeRewritten: {
    reason: 'the condition says that our write came back so',
    live: rewritten,
    repairs: [],
    at: '2026-11-21T14:00:00Z',
    readyMessage:
      'Deployment website-sample: rewritten on admission: spec.replicas; applied again at ticks only',
    want: 'rewritten on admission: spec.replicas',
  },
  SaidOfAnotherField: {
    reason: 'and of another field it says nothing',
    live: rewritten,
    repairs: [],
    at: '2026-11-21T14:00:00Z',
    readyMessage:
      'Deployment website-sample: rewritten on admission: spec.replicas.x; applied again at ticks only',
    want: undefined,
  },
};

describe('fightDetector', () => {
  it.each(Object.entries(fights))(
    '%s',
    (_, {
      reason,
      live,
      repairs,
      at = soon,
      readyMessage = '',
      edited = false,
      fromScopeMessage = false,
      want,
    }) => {
      const observed = observeChild(live);
      const { apiVersion, kind, name } = observed;
      const contested = fightDetector({
        ...{
          now: at,
          readyMessage,
          statusTime: undefined,
          edited,
          fromScopeMessage,
          namespace: 'default',
          causes: [],
        },
        repairs: repairs.map((message) => ({ message, time: '2026-11-21T12:00:00Z' })),
      });
      const differences = drift(wanted, observed);
      const child = { apiVersion, kind, name };
      const found = contested({ verb: 'update', child, observed, differences })?.message;
      expect(found?.replace(/^Deployment website-sample: /, '').split('; ')[0], reason).toBe(want);
    },
  );

  it('C-4 names who deletes a child, and keeps the name until an entry names another', () => {
    const child = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' };
    const repairs = [{ message: 'Deployment a: was gone, created again', time: soon }];
    const cause = {
      ...child,
      namespace: 'default',
      verb: 'delete',
      user: 'jane',
      agent: undefined,
    };
    const memory = {
      ...{
        now: soon,
        repairs,
        readyMessage: '',
        statusTime: undefined,
        namespace: 'default',
        causes: [],
      },
      ...{ edited: false, fromScopeMessage: false },
    };
    const attempt = { verb: 'create', child, observed: undefined, differences: [] } as const;
    const named = fightDetector({ ...memory, causes: [{ ...cause, time: soon }] })(
      attempt,
    )?.message;
    expect(named).toBe('Deployment a is deleted again and again by jane; created at ticks only');
    expect(fightDetector({ ...memory, readyMessage: named ?? '' })(attempt)?.message).toBe(named);
    expect(fightDetector({ ...memory, now: '2026-11-21T12:01:00Z' })(attempt)).toBeUndefined();
  });

  const left = 'Deployment a is deleted again and again; created at ticks only';
  it.each([
    ['what the status has said for a minute is left to it', left, 60, false],
    ['it said so only now: this is the part that left it', left, 20, true],
    ['of another child', left.replace('Deployment a ', 'Deployment ab '), 60, true],
    ['nothing of a fight', 'Deployment a is being deleted', 60, true],
  ])('a part of a tick: %s', (_, readyMessage, age, isLeftAlone) => {
    const child = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' };
    const repairs = [{ message: 'Deployment a: was gone, created again', time: soon }];
    const statusTime = new Date(Date.parse(soon) - age * 1000).toISOString();
    const contested = fightDetector({
      ...{ now: soon, repairs, readyMessage, statusTime, namespace: 'default', causes: [] },
      ...{ edited: false, fromScopeMessage: true },
    });
    const fight = contested({ verb: 'create', child, observed: undefined, differences: [] });
    expect(fight !== undefined).toBe(isLeftAlone);
  });
});
