import { describe, expect, it } from 'vitest';
import { secret } from '../../shared/kinds/child-types/core.ts';
import type { KubeObject } from '../../shared/kubernetes.ts';
import type { Decision } from '../../shared/plan/decision/decision.ts';
import type { FailedRequest, World } from '../../shared/plan/observed/world.ts';
import { plan } from '../../shared/plan/plan.ts';
import { database } from '../../systems/database.ts';
import { casesOf } from '../support/cases.ts';
import {
  databaseSecret,
  databaseStatefulSet,
  databaseUid,
} from '../support/children-of-database.ts';
import { observeResource } from '../support/observe.ts';
import { planWithResults } from '../support/plan-with-results.ts';
import { createdAt } from '../support/resources.ts';
import { worldOf } from '../support/worlds.ts';

const resource = observeResource({
  apiVersion: 'database.example.com/v1',
  kind: 'Database',
  metadata: {
    name: 'test-db',
    namespace: 'default',
    uid: databaseUid,
    resourceVersion: '9',
    creationTimestamp: createdAt,
    generation: 1,
  },
  spec: { databaseName: 'mydb', username: 'admin', storage: { size: '10Gi' } },
});

const names = {
  secret: 'v1/Secret/test-db-credentials',
  workload: 'apps/v1/StatefulSet/test-db',
  claim: 'v1/PersistentVolumeClaim/data-test-db-0',
};
const all = Object.values(names);

const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name: 'data-test-db-0',
    namespace: 'default',
    uid: 'c',
    resourceVersion: '1',
    creationTimestamp: createdAt,
  },
} satisfies KubeObject;

const withoutPassword = databaseSecret({ data: { password: undefined as never } });
const workloadOf = (metadata: object): KubeObject =>
  databaseStatefulSet({ metadata: metadata as never });
const foreign = workloadOf({
  ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x', controller: true }],
});
const unlabelledOrphan = workloadOf({ ownerReferences: undefined, labels: undefined });
const orphan = workloadOf({ ownerReferences: undefined });

const broken = (transient: boolean): FailedRequest => ({
  reason: 'Forbidden',
  message: 'not allowed',
  transient,
});

interface Case {
  readonly reason: string;
  readonly live?: readonly KubeObject[];
  readonly unread?: Readonly<Record<string, FailedRequest>>;
  readonly want: object;
}

const cases: Record<string, Case> = {
  'D-1 New': {
    reason:
      'generates data if no object relies on older data, and checks that again right before the write',
    want: {
      verb: 'create',
      generates: ['password'],
      usedBy: [{ name: 'test-db' }, { name: 'data-test-db-0' }],
    },
  },
  'D-4 PasswordLost': {
    reason: 'adds a password to a Secret without one if no object relies on the old one',
    live: [withoutPassword],
    want: { verb: 'update', generates: ['password'] },
  },
  'D-4 Claim': {
    reason: 'generates no password while the volume claim exists',
    live: [claim],
    want: {
      verb: 'block',
      reason: 'CredentialsLost',
      message:
        'Secret test-db-credentials does not exist, and the lost data is still used by PersistentVolumeClaim data-test-db-0, so no new data is generated: restore the Secret with its password and the labels app.kubernetes.io/managed-by=serverless-reconciler, app.kubernetes.io/part-of=database, app.kubernetes.io/instance=test-db; or, if the data is no longer needed, delete PersistentVolumeClaim data-test-db-0',
    },
  },
  'D-4 OwnWorkload': {
    reason: 'generates no password while the workload exists',
    live: [withoutPassword, databaseStatefulSet()],
    want: { verb: 'block', reason: 'CredentialsLost' },
  },
  'D-4 OrphanedWorkload': {
    reason: 'generates no password while the workload of an earlier Database of that name exists',
    live: [orphan],
    want: { verb: 'block', reason: 'CredentialsLost' },
  },
  'C-6 ForeignWorkload': {
    reason: 'reports a foreign workload of the same name, which never had our password',
    live: [foreign],
    want: {
      verb: 'wait',
      reason: 'HeldByOther',
      message:
        'Secret test-db-credentials waits: StatefulSet test-db already exists and is not managed by this resource',
    },
  },
  'C-6 UnlabelledWorkload': {
    reason: 'reports a workload without our labels, which is not from an earlier Database',
    live: [unlabelledOrphan],
    want: { verb: 'wait', reason: 'HeldByOther' },
  },
  Forbidden: {
    reason: 'generates no password if the volume claim may not be read',
    unread: { [names.claim]: broken(false) },
    want: {
      verb: 'block',
      reason: 'Forbidden',
      message: 'PersistentVolumeClaim data-test-db-0 cannot be read: not allowed',
    },
  },
  NotYet: {
    reason: 'waits after a transient error',
    unread: { [names.secret]: broken(true) },
    want: { verb: 'wait', message: 'Secret test-db-credentials cannot be read: not allowed' },
  },
};

const worldWith = ({ live = [], unread = {} }: Pick<Case, 'live' | 'unread'>): World => {
  const world = { kind: database, resource, ...worldOf(...live) };
  const known = new Set([...world.children.keys(), ...Object.keys(unread)]);
  const absent = new Set(all.filter((key) => !known.has(key)));
  return { ...world, absent, unread: new Map(Object.entries(unread)) };
};

describe('generated data', () => {
  it.each(casesOf(cases))('%s', (_, { reason, want, ...given }) => {
    const { planned } = planWithResults(worldWith(given), given.live ?? []);
    const decisions: readonly Decision[] = planned.state === 'planned' ? planned.decisions : [];
    expect(
      decisions.find(({ type }) => type === secret),
      reason,
    ).toMatchObject(want);
  });

  it('is not planned until the Secret and every object that may rely on it were read by name', () => {
    const planned = plan({ ...worldWith({}), absent: new Set([names.workload]) });
    expect(planned).toMatchObject({
      state: 'unseen',
      names: [{ name: 'test-db-credentials' }, { name: 'data-test-db-0' }],
    });
  });

  it('is not changed if it exists', () => {
    const live = [databaseSecret()];
    const { planned } = planWithResults(worldWith({ live }), live);
    const decisions = planned.state === 'planned' ? planned.decisions : [];
    expect(decisions.find(({ type }) => type === secret)?.verb).toBe('none');
  });
});
