import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../shared/kubernetes.ts';
import {
  type Attempt,
  fightDetector,
  isDeferredToResync,
  isRepair,
  maybeContested,
  needsRepairEvents,
  type RecentWrites,
} from '../../shared/plan/drift/contest.ts';
import { drift } from '../../shared/plan/drift/drift.ts';
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
/** Holds five replicas in our own entry. */
const unwanted = applied(
  repaired,
  { by: 'serverless-reconciler', at: '2026-11-21T12:00:10Z' },
  applyBody(repaired, { ...wanted, spec: { ...(wanted.spec as object), replicas: 5 } }),
);

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
    reason: 'long after our write it is no fight',
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
  ClockBehind: {
    reason: 'the clock of a run may be 5 s behind',
    live: scaled(repaired, 7),
    now: '2026-11-21T11:59:56Z',
    want: true,
  },
  FromTheFuture: {
    reason: 'a time further ahead was not written by a server',
    live: scaled(repaired, 7),
    now: '2026-11-21T11:59:55Z',
    want: false,
  },
  SecondWriter: {
    reason: 'the latest of several writers counts',
    live: edited(
      scaledAt('2026-11-21T12:00:03Z'),
      { by: 'x', at: '2026-11-21T12:01:00Z' },
      (one) => {
        one.metadata.labels['app.kubernetes.io/part-of'] = 'x';
      },
    ),
    now: '2026-11-21T12:01:01Z',
    want: false,
  },
  OwnValue: {
    reason: 'no other writer changed a value in our own entry',
    live: unwanted,
    now: '2026-11-21T12:00:20Z',
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
  readonly fromRequestMessage?: boolean;
  readonly want: string | undefined;
}

const fought = 'spec.replicas is set again and again by hpa';
const replicas = 'Deployment website-sample: spec.replicas 5 → 2, changed by kubectl';
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
  EndOfAnotherPath: {
    reason: 'a path that ends like it is another field',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: ['Deployment website-sample: spec.template.spec.replicas 1 → 2'],
    want: undefined,
  },
  SecondOfTheEvent: {
    reason: 'one Event names all fields that were repaired together',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: ['Deployment website-sample: spec.x 1 → 2; spec.replicas 5 → 2'],
    want: fought,
  },
  OtherChild: {
    reason: 'another child was repaired',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: ['Deployment website: spec.replicas 5 → 2'],
    want: undefined,
  },
  OtherChildAsLong: {
    reason: 'another child with a name of that length was repaired',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: ['Deployment website-simple: spec.replicas 5 → 2'],
    want: undefined,
  },
  CutOff: {
    reason: 'a truncated Event may have named it',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: ['Deployment website-sample: spec.x 1…'],
    want: fought,
  },
  OwnValue: {
    reason: 'no other writer set the value that we have just applied, so the wanted one is written',
    live: unwanted,
    repairs: [replicas],
    at: '2026-11-21T12:00:20Z',
    want: undefined,
  },
  OwnValueBesideTaken: {
    reason: 'what others set again is written along with such a value',
    live: edited(unwanted, { by: 'hpa', at: '2026-11-21T12:00:13Z' }, ({ metadata }) => {
      metadata.labels['app.kubernetes.io/part-of'] = 'x';
    }),
    repairs: [
      'Deployment website-sample: metadata.labels.app.kubernetes.io/part-of "x" → "website"',
    ],
    at: '2026-11-21T12:00:15Z',
    want: undefined,
  },
  PartAtOnce: {
    reason: 'a redelivered message finds what was just repaired',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: ['Deployment website-sample: spec.replicas 5 → 2, changed by hpa'],
    fromRequestMessage: true,
    want: 'spec.replicas is set again and again by hpa',
  },
  PartOfTheNextResync: {
    reason: 'a later message repairs what was undone since the last resync',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: ['Deployment website-sample: spec.replicas 5 → 2, changed by hpa'],
    at: '2026-11-21T12:01:00Z',
    fromRequestMessage: true,
    want: undefined,
  },
};

describe('fightDetector', () => {
  it.each(Object.entries(fights))(
    '%s',
    (_, { reason, live, repairs, at = soon, fromRequestMessage = false, want }) => {
      const observed = observeChild(live);
      const { apiVersion, kind, name } = observed;
      const contested = fightDetector({
        now: at,
        readyMessage: '',
        statusTime: undefined,
        fromRequestMessage,
        namespace: 'default',
        causes: [],
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
      now: soon,
      repairs,
      readyMessage: '',
      statusTime: undefined,
      namespace: 'default',
      causes: [],
      fromRequestMessage: false,
    };
    const attempt = { verb: 'create', child, observed: undefined, differences: [] } as const;
    const named = fightDetector({ ...memory, causes: [{ ...cause, time: soon }] })(
      attempt,
    )?.message;
    expect(named).toBe(
      'Deployment a is deleted again and again by jane; created only by the scheduled resync',
    );
    const earlier = { ...cause, user: 'joe', time: '2026-11-21T11:00:00Z' };
    const unordered = { ...memory, causes: [{ ...cause, time: soon }, earlier] };
    expect(fightDetector(unordered)(attempt)?.message).toBe(named);
    expect(fightDetector({ ...memory, readyMessage: named ?? '' })(attempt)?.message).toBe(named);
    expect(fightDetector({ ...memory, now: '2026-11-21T12:01:00Z' })(attempt)).toBeUndefined();
  });

  const left = 'Deployment a is deleted again and again; created only by the scheduled resync';
  it.each([
    ['repairs a child whose fight has been in the status for a minute', left, 60, false],
    [
      'leaves a child whose fight has been in the status for 20 s: this resync left it',
      left,
      20,
      true,
    ],
    [
      'leaves a child if the status names a fight over another one',
      left.replace('Deployment a ', 'Deployment ab '),
      60,
      true,
    ],
    ['leaves a child if the status names no fight', 'Deployment a is being deleted', 60, true],
  ])('a request message of a resync %s', (_, readyMessage, age, isLeftAlone) => {
    const child = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' };
    const repairs = [{ message: 'Deployment a: was gone, created again', time: soon }];
    const statusTime = new Date(Date.parse(soon) - age * 1000).toISOString();
    const contested = fightDetector({
      now: soon,
      repairs,
      readyMessage,
      statusTime,
      namespace: 'default',
      causes: [],
      fromRequestMessage: true,
    });
    const fight = contested({ verb: 'create', child, observed: undefined, differences: [] });
    expect(fight !== undefined).toBe(isLeftAlone);
  });
});

const quiet: RecentWrites = {
  now: soon,
  repairs: [],
  readyMessage: '',
  statusTime: undefined,
  causes: [],
  fromRequestMessage: false,
  namespace: 'default',
};
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'website-sample' };
const attempt = (verb: Attempt['verb'], observed?: Attempt['observed']): Attempt => ({
  verb,
  child: deployment,
  observed,
  differences: [],
});

describe('the deletion', () => {
  const made = (by: readonly { readonly manager?: string; readonly time?: string }[]) =>
    observeChild(
      websiteDeployment({
        metadata: {
          managedFields: by.map((one) => ({
            operation: 'Update',
            apiVersion: 'apps/v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:spec': { 'f:replicas': {} } },
            ...one,
          })) as never,
        },
      }),
    );
  const young = '2026-11-21T12:00:00Z';
  const old = '2026-11-21T11:59:00Z';

  it.each([
    ['of a child that others just created', [{ manager: 'argocd', time: young }], 'argocd'],
    [
      'of a child that several others created, each named once,',
      [
        { manager: 'argocd', time: young },
        { manager: 'hpa', time: young },
        { manager: 'argocd', time: young },
      ],
      'argocd, hpa',
    ],
  ])('%s is left to the next resync', (_, by, managers) => {
    expect(fightDetector(quiet)(attempt('delete', made(by)))).toEqual({
      reason: 'Contested',
      message: `Deployment website-sample is not wanted and was created by ${managers}; only the scheduled resync deletes it`,
    });
  });

  it.each([
    ['of a child that was there before', [{ manager: 'argocd', time: old }]],
    [
      'of an older child that others changed just now',
      [
        { manager: 'argocd', time: old },
        { manager: 'hpa', time: young },
      ],
    ],
    ['of a child of unknown age', [{ manager: 'argocd' }]],
    ['of a child of unknown origin', []],
  ])('%s is carried out', (_, by) => {
    expect(fightDetector(quiet)(attempt('delete', made(by)))).toBeUndefined();
  });

  it('of a child that we wrote is carried out, however young it is', () => {
    const ours = observeChild(scaledAt(young));
    expect(fightDetector(quiet)(attempt('delete', ours))).toBeUndefined();
  });
});

describe('a fight', () => {
  const path = 'metadata.labels.app.kubernetes.io/part-of';
  const at = '2026-11-21T12:00:03Z';

  it('names each field with its writer, if that is known', () => {
    const live = observeChild(
      edited(repaired, { by: 'hpa', at }, ({ metadata, spec }) => {
        delete metadata.labels['app.kubernetes.io/part-of'];
        spec.replicas = 7;
      }),
    );
    const message = `Deployment website-sample: spec.replicas 5 → 2; ${path} (none) → "website"`;
    const repairs = [{ message, time: '2026-11-21T12:00:00Z' }];
    const differences = drift(wanted, live);
    expect(
      fightDetector({ ...quiet, repairs })({ ...attempt('update', live), differences }),
    ).toEqual({
      reason: 'Contested',
      message: `Deployment website-sample: spec.replicas is set again and again by hpa; ${path} is set again and again by another writer; repaired only by the scheduled resync`,
    });
  });
});

describe('the consolidation of managedFields', () => {
  const observed = observeChild(websiteDeployment());

  it('is done only by the scheduled resync', () => {
    expect(fightDetector(quiet)(attempt('consolidate', observed))).toEqual({
      reason: 'Contested',
      message:
        'managedFields of Deployment website-sample are consolidated only by the scheduled resync',
    });
    const part = { ...quiet, fromRequestMessage: true };
    expect(fightDetector(part)(attempt('consolidate', observed))).toBeUndefined();
  });
});

describe('the fight over a child that is created again', () => {
  const recreated = { message: 'Deployment website-sample: was gone, created again', time: soon };
  const cause = {
    ...deployment,
    namespace: 'default',
    verb: 'delete',
    user: 'jane',
    agent: undefined,
    time: soon,
  };
  const messageOf = (over: Partial<RecentWrites>) =>
    fightDetector({ ...quiet, repairs: [recreated], ...over })(attempt('create'))?.message;
  const by = (user: string): string =>
    `Deployment website-sample is deleted again and again by ${user}; created only by the scheduled resync`;
  const byUnknown =
    'Deployment website-sample is deleted again and again; created only by the scheduled resync';

  it.each<[string, Partial<RecentWrites>, string | undefined]>([
    ['names no user if no audit entry does', {}, byUnknown],
    [
      'names the user who deleted it last',
      { causes: [{ ...cause, user: 'x' }, cause] },
      by('jane'),
    ],
    [
      'counts deletecollection as a deletion',
      { causes: [{ ...cause, verb: 'deletecollection' }] },
      by('jane'),
    ],
    ['ignores entries with another verb', { causes: [{ ...cause, verb: 'patch' }] }, byUnknown],
    ['ignores entries about another kind', { causes: [{ ...cause, kind: 'Service' }] }, byUnknown],
    ['ignores entries about another name', { causes: [{ ...cause, name: 'x' }] }, byUnknown],
    [
      'ignores entries about another namespace',
      { causes: [{ ...cause, namespace: 'x' }] },
      byUnknown,
    ],
    [
      'is none if the deletion came long after our write',
      { causes: [{ ...cause, time: '2026-11-21T12:01:00Z' }] },
      undefined,
    ],
    [
      'is one if the deletion came shortly after our write, however late the run is',
      { causes: [{ ...cause, time: '2026-11-21T12:00:20Z' }], now: '2026-11-21T13:00:00Z' },
      by('jane'),
    ],
    ['keeps the name that the status has', { readyMessage: `x; ${by('joe')}` }, by('joe')],
    [
      'is recognized by an Event that names who deleted the child',
      { repairs: [{ ...recreated, message: `${recreated.message}, deleted by x` }] },
      byUnknown,
    ],
    ['is none after another repair', { repairs: [{ ...recreated, message: replicas }] }, undefined],
  ])('%s', (_, over, want) => {
    expect(messageOf(over)).toBe(want);
    const fight = fightDetector({ ...quiet, repairs: [recreated], ...over })(attempt('create'));
    expect(fight?.reason).toBe(want && 'Contested');
  });
});

describe('a request message repairs a child that others undo', () => {
  const statusTime = '2026-11-21T11:59:00Z';
  const isFought = (readyMessage: string, over: Partial<RecentWrites> = {}): boolean => {
    const live = observeChild(scaledAt('2026-11-21T12:00:03Z'));
    const repairs = [{ message: replicas, time: '2026-11-21T12:00:00Z' }];
    const given = {
      ...quiet,
      repairs,
      readyMessage,
      statusTime,
      fromRequestMessage: true,
      ...over,
    };
    const differences = drift(wanted, live);
    return fightDetector(given)({ ...attempt('update', live), differences }) !== undefined;
  };

  it.each([
    [
      'if the status names the contested field',
      `Deployment website-sample: ${fought}; repaired only by the scheduled resync`,
    ],
    [
      'if the status names the contested field after another problem',
      `x; Deployment website-sample: ${fought}; repaired only by the scheduled resync`,
    ],
    [
      'if the status names a contested deletion',
      'Deployment website-sample is deleted again and again by jane',
    ],
    [
      'if the status names it as unwanted',
      'Deployment website-sample is not wanted and was created by argocd',
    ],
  ])('%s and is older than 30 s', (_, message) => {
    expect(isFought(message)).toBe(false);
  });

  it.each([
    ['another child', `Deployment website: ${fought}`],
    ['another child with a name of that length', `Deployment website-simple: ${fought}`],
    [
      'another child whose name begins with that of the child',
      `Deployment website-sample-2: ${fought}`,
    ],
    ['another problem of the child', 'Deployment website-sample: 0 of 2 replicas updated'],
    ['nothing', ''],
  ])('but not if the status names %s', (_, message) => {
    expect(isFought(message)).toBe(true);
  });

  it('but not if the time of the status is unknown', () => {
    const message = `Deployment website-sample: ${fought}; repaired only by the scheduled resync`;
    expect(isFought(message, { statusTime: undefined })).toBe(true);
  });
});

describe('isRepair', () => {
  const writer = { manager: 'kubectl', time: undefined };
  const one = { path: 'spec.replicas', from: 5, to: 2, writer: undefined };
  it.each([
    ['a lost child is created again', { lost: true }, true],
    ['a field that another writer changed', { differences: [{ ...one, writer }] }, true],
    ['a field that was removed', { differences: [{ ...one, from: undefined }] }, true],
    [
      'a field that we hold with another value, which was wanted before',
      { differences: [one] },
      false,
    ],
    ['a field of each kind', { differences: [{ ...one, writer }, one] }, false],
    ['nothing', {}, false],
    ['no difference', { differences: [], lost: false }, false],
  ])('%s: %j', (_, given, want) => {
    expect(isRepair(given)).toBe(want);
  });
});

describe('our Events', () => {
  const young = observeChild(scaledAt('2026-11-21T12:00:03Z'));
  const late = observeChild(scaledAt('2026-11-21T12:01:00Z'));
  it.each([
    ['are read before a creation', attempt('create'), true],
    [
      'are read before undoing what followed our write',
      { ...attempt('update', young), differences: drift(wanted, young) },
      true,
    ],
    [
      'are not read for a change long after our write',
      { ...attempt('update', late), differences: drift(wanted, late) },
      false,
    ],
    [
      'are not read for a deletion',
      { ...attempt('delete', young), differences: drift(wanted, young) },
      false,
    ],
    ['are not read for an object that was not seen', attempt('update'), false],
  ])('%s', (_, given, want) => {
    expect(needsRepairEvents(given, soon)).toBe(want);
  });
});

describe('what is deferred to a resync', () => {
  it.each([
    ['Contested', true],
    ['Conflict', false],
  ])('%s: %s', (reason, want) => {
    expect(isDeferredToResync(reason)).toBe(want);
  });
});
