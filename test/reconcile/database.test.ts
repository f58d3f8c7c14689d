import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { statefulSet } from '../../shared/kinds/child-types/apps.ts';
import { persistentVolumeClaim, secret, service } from '../../shared/kinds/child-types/core.ts';
import { database } from '../../systems/database.ts';
import {
  base64,
  claimName,
  databaseSpec,
  dataOf,
  ownLabels,
  passwordOf,
  restored,
  secretName,
} from '../scenarios/databases.ts';
import { condition } from '../scenarios/resources.ts';
import { type Engine, engineUser, isWriteRequest } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

vi.setConfig({ testTimeout: 60_000 });

const engine = useEngine({ controllers: 'paused' });
afterEach(() => engine.cluster.undisturb());

const place = usePlace(engine);
beforeEach(async () => {
  await place.api.create(database, 'shop', { spec: databaseSpec() });
});

type Fault = Parameters<Engine['cluster']['faults']['add']>[0];

const resync = () => place.resync({ kinds: [database] });
const fail = (fault: Omit<Fault, 'user' | 'namespace'>) =>
  engine.cluster.faults.add({ ...fault, user: engineUser, namespace: place.namespace });
const secretOf = () => place.api.get(secret, secretName);
const databaseOf = () => place.api.get(database, 'shop');

/** Expects one child of each type, with this password if given. */
async function expectWhole(password?: string): Promise<void> {
  const live = await secretOf();
  expect(dataOf(live)).toEqual({
    username: base64('admin'),
    database: base64('mydb'),
    password: password ?? expect.stringMatching(/.{32,}/),
  });
  expect(live.metadata.labels).toEqual(ownLabels);
  for (const type of [secret, statefulSet, service])
    expect(await place.api.list(type)).toHaveLength(1);
  const begun = place.requests().length;
  await resync();
  expect(place.requests().slice(begun).filter(isWriteRequest)).toEqual([]);
}

/** Lists reads by name and writes of Secrets. */
const order = () =>
  place
    .requests()
    .filter(({ verb, resource }) => verb === 'get' || (verb === 'patch' && resource === 'secrets'))
    .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);

test.each([
  ['secrets', 1, 'the generated data'],
  ['secrets', 2, 'the fields of the Secret'],
  ['services', 1, 'the Service'],
])(
  'C-1 counts a child as created if the response to an apply is lost: %s %i, %s',
  async (resource, nth) => {
    fail({ verb: 'patch', resource, nth, effect: { kind: 'drop', when: 'after' } });
    const { outcomes, failures } = await resync();
    expect(failures).toEqual([]);
    expect(outcomes).toMatchObject({ created: 3, updated: 0 });
    await expectWhole();
  },
);

describe('D-4 before a password is generated', () => {
  test('the objects that rely on it are read after the Secret was found absent', async () => {
    await resync();
    expect(order().slice(0, 7)).toEqual([
      `get secrets ${secretName}`,
      'get statefulsets shop',
      `get persistentvolumeclaims ${claimName}`,
      // The objects that use the password are read again right before the write.
      'get statefulsets shop',
      `get persistentvolumeclaims ${claimName}`,
      `patch secrets ${secretName}`,
      `patch secrets ${secretName}`,
    ]);
    await expectWhole();
  });

  test.each([
    ['secrets', 410],
    ['statefulsets', 410],
    ['persistentvolumeclaims', 410],
    ['persistentvolumeclaims', 500],
  ] as const)('%s that cannot be read (%i) prevent that until they can', async (resource, code) => {
    fail({ verb: 'get', resource, effect: { kind: 'status', code } });
    await resync();
    expect(await place.api.list(secret)).toEqual([]);
    expect(await place.api.list(statefulSet)).toEqual([]);
    expect(await place.api.list(service)).toHaveLength(1);
    const live = await databaseOf();
    expect(condition(live, 'Ready')?.status).toBe('False');
    expect(live.status).toMatchObject({ phase: code === 500 ? 'Pending' : 'Failed' });
    engine.cluster.undisturb();
    await resync();
    await expectWhole();
  });

  test('a password that another run created meanwhile is kept', async () => {
    let seen = 0;
    engine.cluster.intercept(async ({ user, verb, resource }) => {
      if (user !== engineUser || verb !== 'patch' || resource !== 'secrets' || seen++ > 0) return;
      const data = { password: base64('made-by-another-run') };
      const owner = { ...(await ownerOf()), blockOwnerDeletion: true };
      const metadata = { labels: ownLabels, ownerReferences: [owner] };
      await place.api.create(secret, secretName, restored(data, metadata));
    });
    await resync();
    await expectWhole(base64('made-by-another-run'));
  });

  test('a password that a user restored meanwhile is adopted', async () => {
    let seen = 0;
    engine.cluster.intercept(async ({ user, verb, resource }) => {
      if (user !== engineUser || verb !== 'patch' || resource !== 'secrets' || seen++ > 0) return;
      await place.api.create(secret, secretName, restored({ password: base64('restored') }));
    });
    await resync();
    await expectWhole(base64('restored'));
  });

  test('no password is added to a Secret without one that was created meanwhile together with new data', async () => {
    let seen = 0;
    engine.cluster.intercept(async ({ user, verb, resource }) => {
      if (user !== engineUser || verb !== 'patch' || resource !== 'secrets' || seen++ > 0) return;
      await place.api.create(secret, secretName, restored({}));
      await place.api.create(persistentVolumeClaim, claimName, {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
      });
    });
    await resync();
    expect(passwordOf(await secretOf())).toBe('');
    expect(condition(await databaseOf(), 'Stalled')?.reason).toBe('CredentialsLost');
  });
});

async function ownerOf() {
  const { apiVersion, kind, metadata } = await databaseOf();
  return { apiVersion, kind, name: 'shop', uid: metadata.uid, controller: true };
}

const effects: Readonly<Record<string, Pick<Fault, 'effect' | 'times'>>> = {
  'is refused': { effect: { kind: 'status', code: 410 }, times: 100 },
  'meets a conflict': { effect: { kind: 'status', code: 409 }, times: 1 },
  'meets a server error': { effect: { kind: 'status', code: 500 }, times: 1 },
  'loses its response': { effect: { kind: 'drop', when: 'after' }, times: 1 },
  'loses every response': { effect: { kind: 'drop', when: 'after' }, times: 100 },
};

describe.each([
  { verb: 'patch', resource: 'secrets', nth: 1 },
  { verb: 'patch', resource: 'secrets', nth: 2 },
  { verb: 'patch', resource: 'statefulsets', nth: 1 },
  { verb: 'patch', resource: 'services', nth: 1 },
  { verb: 'patch', resource: 'databases', nth: 1 },
] as const)('D-4 if $verb $nth of $resource', (call) => {
  test.each(Object.keys(effects))(
    '%s, one password is generated, and the next run continues',
    async (how) => {
      fail({ ...call, ...effects[how]! });
      await resync();
      engine.cluster.undisturb();
      const made = passwordOf((await place.api.find(secret, secretName)) ?? (await databaseOf()));
      await resync();
      await expectWhole(made === '' ? undefined : made);
      expect(engine.complaints.join('\n')).not.toContain(passwordOf(await secretOf()));
    },
  );
});

const generation = 1;
const whole = { observedGeneration: generation, replicas: 2, readyReplicas: 2, updatedReplicas: 2 };
const seen = (status: object) => ({ currentRevision: 'a', updateRevision: 'a', ...status });
const phases: Readonly<Record<string, { status: object; phase: string }>> = {
  'nothing yet': { status: {}, phase: 'Creating' },
  'that all pods are ready and updated': { status: whole, phase: 'Ready' },
  'that it has seen an older generation': {
    status: { ...whole, observedGeneration: 0 },
    phase: 'Creating',
  },
  'that one pod is not ready': { status: { ...whole, readyReplicas: 1 }, phase: 'Creating' },
  'that one pod is not updated': { status: { ...whole, updatedReplicas: 1 }, phase: 'Creating' },
  'that one pod is missing': {
    status: { ...whole, replicas: 1, readyReplicas: 1, updatedReplicas: 1 },
    phase: 'Creating',
  },
  'that there is one pod too many': { status: { ...whole, replicas: 3 }, phase: 'Creating' },
};

describe('D-7 the phase follows the StatefulSet', () => {
  test.each(Object.keys(phases))('%s', async (what) => {
    await place.api.patch(database, 'shop', { spec: { replicas: 2 } });
    await resync();
    const { status, phase } = phases[what]!;
    await place.api.patch(statefulSet, 'shop', { status: seen(status) }, { subresource: 'status' });
    await resync();
    const found = (await databaseOf()).status;
    const endpoint = `shop.${place.namespace}.svc.cluster.local:5432`;
    expect(found).toMatchObject({ phase, ready: phase === 'Ready', secretName });
    expect(found?.endpoint).toBe(phase === 'Ready' ? endpoint : undefined);
  });
});
