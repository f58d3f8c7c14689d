import { describe, expect, it } from 'vitest';
import { type KubeObject, keyOf } from '../../shared/kubernetes.ts';
import { type Attempt, fightDetector, type RecentWrites } from '../../shared/plan/drift/contest.ts';
import type { Repair } from '../../shared/plan/observed/applied.ts';
import { casesOf } from '../support/cases.ts';
import { websiteDeployment } from '../support/children.ts';
import { databaseSecret, secretWants } from '../support/children-of-database.ts';
import { applied, edited, scaled } from '../support/edits.ts';
import { observeChild } from '../support/observe.ts';
import { website } from '../support/resources.ts';
import { applyBody, changesOf, fieldsOfChild } from '../support/worlds.ts';

const desired = fieldsOfChild(website(), 'Deployment');

/** A child that was scaled, repaired at 12:00:00, and scaled again. */
const repaired = (() => {
  const live = scaled(websiteDeployment(), 5);
  const at = '2026-11-21T12:00:00Z';
  return applied(live, { by: 'serverless-reconciler', at }, applyBody(live, desired));
})();
/** A child with five replicas that our own managedFields entry holds. */
const unwanted = applied(
  repaired,
  { by: 'serverless-reconciler', at: '2026-11-21T12:00:10Z' },
  applyBody(repaired, { ...desired, spec: { ...(desired.spec as object), replicas: 5 } }),
);

const scaledAt = (at: string): KubeObject =>
  edited(repaired, { by: 'hpa', at }, ({ spec }) => {
    spec.replicas = 7;
  });

const soon = '2026-11-21T12:00:05Z';
const repairedAt = '2026-11-21T12:00:00Z';

interface FightCase {
  readonly reason: string;
  readonly live: KubeObject;
  readonly repairs: readonly Partial<Repair>[];
  readonly at?: string;
  readonly fromRequestMessage?: boolean;
  readonly want: string | undefined;
}

const fought = 'spec.replicas is set again and again by hpa';
const replicas: Partial<Repair> = { fields: ['spec.replicas'] };
const fights: Record<string, FightCase> = {
  Named: {
    reason: 'a change 3 s after a repair is a fight',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: [replicas],
    want: fought,
  },
  HeardLate: {
    reason: 'the time of the change is compared, not that of the run',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: [replicas],
    at: '2026-11-21T12:10:00Z',
    want: fought,
  },
  ChangedLate: {
    reason: 'a change 30 s after a repair is no fight',
    live: scaledAt('2026-11-21T12:00:30Z'),
    repairs: [replicas],
    at: '2026-11-21T12:00:31Z',
    want: undefined,
  },
  ClockAhead: {
    reason: "two times of the server's clock are compared",
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: [{ ...replicas, at: '2026-11-21T12:02:00Z' }],
    at: '2026-11-21T12:02:05Z',
    want: fought,
  },
  ClockBehind: {
    reason: "two times of the server's clock are compared",
    live: scaledAt('2026-11-21T12:00:40Z'),
    repairs: [{ ...replicas, at: '2026-11-21T11:58:00Z' }],
    at: '2026-11-21T11:58:45Z',
    want: undefined,
  },
  NoTime: {
    reason: 'a change without a time is taken to be made now, by the clock of the functions',
    live: scaled(repaired, 7),
    repairs: [{ ...replicas, at: '2026-11-21T12:02:00Z' }],
    at: '2026-11-21T12:02:05Z',
    want: 'spec.replicas is set again and again by kubectl',
  },
  NoTimeLate: {
    reason: 'a change long after a repair is no fight',
    live: scaled(repaired, 7),
    repairs: [replicas],
    at: '2026-11-21T12:00:30Z',
    want: undefined,
  },
  FromTheFuture: {
    reason: 'a repair in the future is ignored',
    live: scaled(repaired, 7),
    repairs: [replicas],
    at: '2026-11-21T11:59:55Z',
    want: undefined,
  },
  Cleared: {
    reason: 'without managedFields, the clock of the functions is used',
    live: edited(repaired, { by: 'kubectl' }, ({ metadata }) => {
      metadata.managedFields = [{}];
    }),
    repairs: [{ fields: ['metadata.managedFields'] }],
    want: 'metadata.managedFields is set again and again by another writer',
  },
  Untouched: {
    reason: 'without drift there is no fight',
    live: repaired,
    repairs: [replicas],
    want: undefined,
  },
  NotNamed: {
    reason: 'a change of a field that was not repaired is no fight',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: [{ fields: ['spec.template.spec.x'] }],
    want: undefined,
  },
  BeginOfThePath: {
    reason: 'a field whose path merely begins with the repaired path is another field',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: [{ fields: ['spec.rep', 'spec.replicasX', 'sp'] }],
    want: undefined,
  },
  Inside: {
    reason: 'a repair of many fields is recorded as the field that contains them',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: [{ fields: ['spec'] }],
    want: fought,
  },
  SecondOfTheRepair: {
    reason: 'all fields of one repair are recorded',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: [{ fields: ['spec.x', 'spec.replicas'] }],
    want: fought,
  },
  CreatedAgain: {
    reason: 'the creation of a child repairs no field',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: [{}],
    want: undefined,
  },
  OwnValue: {
    reason: 'a value that we have just applied is replaced by the desired one',
    live: unwanted,
    repairs: [replicas],
    at: '2026-11-21T12:00:20Z',
    want: undefined,
  },
  OwnValueBesideTaken: {
    reason:
      'a field that others set again is written together with a value that we have just applied',
    live: edited(unwanted, { by: 'hpa', at: '2026-11-21T12:00:13Z' }, ({ metadata }) => {
      metadata.labels['app.kubernetes.io/part-of'] = 'x';
    }),
    repairs: [{ fields: ['metadata.labels.app.kubernetes.io/part-of'] }],
    at: '2026-11-21T12:00:15Z',
    want: undefined,
  },
  PartAtOnce: {
    reason: 'a redelivered message finds that the change was just repaired',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: [replicas],
    fromRequestMessage: true,
    want: fought,
  },
  PartOfTheNextResync: {
    reason: 'a later message repairs a change made since the last resync',
    live: scaledAt('2026-11-21T12:00:03Z'),
    repairs: [replicas],
    at: '2026-11-21T12:01:00Z',
    fromRequestMessage: true,
    want: undefined,
  },
};

/** The repairs of a Deployment that a status records. */
const recorded = (repairs: readonly Partial<Repair>[]): RecentWrites['repairs'] =>
  new Map([
    [
      'apps/v1/Deployment/website-sample',
      repairs.map((one) => ({ child: 0, at: repairedAt, written: repairedAt, ...one })),
    ],
  ]);

describe('fightDetector', () => {
  it.each(casesOf(fights))(
    '%s',
    (_, { live, repairs, at = soon, fromRequestMessage = false, want }) => {
      const observed = observeChild(live);
      const { apiVersion, kind, name } = observed;
      const contested = fightDetector({
        now: at,
        repairs: recorded(repairs),
        fromRequestMessage,
        namespace: 'default',
        causes: [],
      });
      const differences = changesOf(live, desired);
      const child = { apiVersion, kind, name };
      const found = contested({ verb: 'update', child, observed, differences });
      expect(found?.replace(/^Deployment website-sample: /, '').split('; ')[0]).toBe(want);
    },
  );

  it('D-3 knows that a Secret was changed again, without its values', () => {
    const at = repairedAt;
    const taken = (time: string, live: KubeObject) =>
      edited(live, { by: 'vault', at: time }, ({ data }) => {
        data.username = `${data.username}x`;
      });
    const first = taken('2026-11-21T11:00:00Z', databaseSecret());
    const ours = applied(first, { by: 'serverless-reconciler', at }, applyBody(first, secretWants));
    const live = taken('2026-11-21T12:00:03Z', ours);
    const observed = observeChild(live);
    const repair = { child: 0, at, written: at, fields: ['data.username'] };
    const repairs = new Map([[keyOf(observed), [repair]]]);
    const differences = changesOf(live, secretWants);
    const detect = fightDetector({ ...quiet, repairs });
    const fight = detect({ verb: 'update', child: observed, observed, differences });
    expect(fight).toMatch(/: data\.username is set again and again by vault; /);
  });
});

const quiet: RecentWrites = {
  now: soon,
  repairs: new Map(),
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

describe('the deletion of an unwanted child', () => {
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

  it.each([
    ['that others just created', [{ manager: 'argocd', time: young }], 'argocd'],
    [
      'that several others created, each of whom is named once,',
      [
        { manager: 'argocd', time: young },
        { manager: 'hpa', time: young },
        { manager: 'argocd', time: young },
      ],
      'argocd, hpa',
    ],
  ])('%s is left to the next resync', (_, by, managers) => {
    expect(fightDetector(quiet)(attempt('delete', made(by)))).toBe(
      `Deployment website-sample is not desired and was created by ${managers}; only the scheduled resync deletes it`,
    );
  });

  it('happens at once in a run for a request message', () => {
    const deletion = attempt('delete', made([{ manager: 'argocd', time: young }]));
    expect(fightDetector({ ...quiet, fromRequestMessage: true })(deletion)).toBeUndefined();
  });

  it('of unknown origin is not delayed', () => {
    expect(fightDetector(quiet)(attempt('delete', made([])))).toBeUndefined();
  });

  it('that we wrote is not delayed, even if it was just created', () => {
    const ours = observeChild(scaledAt(young));
    expect(fightDetector(quiet)(attempt('delete', ours))).toBeUndefined();
  });
});

describe('a fight', () => {
  const path = 'metadata.labels.app.kubernetes.io/part-of';
  const at = '2026-11-21T12:00:03Z';

  it('names each field, and its writer if known', () => {
    const left = edited(repaired, { by: 'hpa', at }, ({ metadata, spec }) => {
      delete metadata.labels['app.kubernetes.io/part-of'];
      spec.replicas = 7;
    });
    const live = observeChild(left);
    const repairs = recorded([{ fields: ['spec.replicas', path] }]);
    const differences = changesOf(left, desired);
    expect(fightDetector({ ...quiet, repairs })({ ...attempt('update', live), differences })).toBe(
      `Deployment website-sample: ${path} is set again and again by another writer; spec.replicas is set again and again by hpa; only the scheduled resync repairs it`,
    );
  });
});

describe('the consolidation of managedFields', () => {
  const observed = observeChild(websiteDeployment());

  it('happens only in a scheduled resync', () => {
    expect(fightDetector(quiet)(attempt('consolidate', observed))).toBe(
      'managedFields of Deployment website-sample are consolidated only by the scheduled resync',
    );
    const part = { ...quiet, fromRequestMessage: true };
    expect(fightDetector(part)(attempt('consolidate', observed))).toBeUndefined();
  });
});

describe('the fight over a child that is created again', () => {
  const repairs = recorded([{ at: soon, written: soon }]);
  const cause = {
    ...deployment,
    namespace: 'default',
    verb: 'delete',
    user: 'jane',
    agent: undefined,
    time: soon,
  };
  const messageOf = (over: Partial<RecentWrites>) =>
    fightDetector({ ...quiet, repairs, ...over })(attempt('create'));
  const fought =
    'Deployment website-sample is deleted again and again; only the scheduled resync creates it again';
  const longAgo = '2026-11-21T12:01:00Z';

  it.each<[string, Partial<RecentWrites>, string | undefined]>([
    ['needs no audit entry', {}, fought],
    [
      'begins with the latest deletion',
      { causes: [{ ...cause, time: longAgo }, cause] },
      undefined,
    ],
    [
      'does not begin if the deletion came long after our write',
      { causes: [{ ...cause, time: longAgo }] },
      undefined,
    ],
    [
      'counts deletecollection as a deletion',
      { causes: [{ ...cause, verb: 'deletecollection', time: longAgo }] },
      undefined,
    ],
    ...[{ verb: 'patch' }, { kind: 'Service' }, { name: 'x' }, { namespace: 'x' }].map(
      (over): [string, Partial<RecentWrites>, string] => [
        `ignores entries with the ${Object.entries(over).join()}`,
        { causes: [{ ...cause, time: longAgo, ...over }] },
        fought,
      ],
    ),
    [
      'begins if the deletion came shortly after our write, however late the run is',
      { causes: [{ ...cause, time: '2026-11-21T12:00:20Z' }], now: '2026-11-21T13:00:00Z' },
      fought,
    ],
    ['does not begin after a repair of another kind', { repairs: recorded([replicas]) }, undefined],
  ])('%s', (_, over, want) => {
    expect(messageOf(over)).toBe(want);
  });
});
