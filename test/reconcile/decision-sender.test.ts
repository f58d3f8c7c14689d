import { beforeEach, describe, expect, test } from 'vitest';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import { generatedManager } from '../../shared/identity.ts';
import { secret } from '../../shared/kinds/child-types/core.ts';
import { type JsonObject, keyOf } from '../../shared/kubernetes.ts';
import type { Create, Update, WriteDecision } from '../../shared/plan/decision/decision.ts';
import type { Outcome } from '../../shared/plan/decision/outcome.ts';
import type { Apply, DecisionRequest, Patch } from '../../shared/plan/decision/requests.ts';
import { salted } from '../../shared/plan/observed/apply-manifest.ts';
import { refTo } from '../../shared/plan/observed/world.ts';
import { readChild } from '../../shared/reading/read.ts';
import { DecisionSender } from '../../shared/resource/decision-sender.ts';
import type { Turn } from '../../shared/resource/turn.ts';
import { StaleError } from '../../shared/resource/turn.ts';
import { database } from '../../systems/database.ts';
import { usePlace, useStepWorld } from './use-engine.ts';

const world = useStepWorld([database]);
const place = usePlace(world);
let state: Turn;
beforeEach(async () => {
  const storage = { size: '1Gi' };
  await place.api.create(database, 'db', {
    spec: { image: 'postgres:14', replicas: 1, storage, databaseName: 'd', username: 'u' },
  });
  state = await world.begin(place, database, 'db');
  state.world.absent.add(key);
});

const manager = 'serverless-reconciler';
const child = refTo(secret, 'creds');
const key = keyOf(child);
const desired = { metadata: { labels: { l: 'm' } }, data: { a: 'MQ==' } };
const live = () => place.api.get(secret, 'creds');
const known = () => state.world.children.get(key);
const lockOf = ({ uid, resourceVersion }: { uid: string; resourceVersion: string }) => ({
  uid,
  resourceVersion,
});

const about = () => ({ type: secret, child, namespace: place.namespace });
const creation = (): Create => ({ ...about(), verb: 'create', fields: desired, existed: true });
const difference = { path: 'data.a', from: '(secret)', to: '(secret changed)', writer: undefined };
const updateLocked = (lock: Update['lock']): Update => ({
  ...about(),
  verb: 'update',
  fields: desired,
  lock,
  differences: [difference],
});
const apply = (over: Partial<Apply> = {}): Apply => ({
  verb: 'apply',
  manager,
  fields: desired,
  ...over,
});
const patch = (over: Partial<Patch> = {}): Patch => ({
  verb: 'patch',
  manager,
  operations: () => [{ op: 'add', path: '/metadata/annotations', value: { a: 'b' } }],
  ...over,
});

/** Creates the Secret, and reads it in the run. */
async function given(fields: JsonObject = desired, by = manager): Promise<void> {
  await place.api.apply(secret, 'creds', salted(fields, '0123456789abcdefghijkl'), by);
  await readChild(world.run, state.world, { ...child, type: secret });
}
const edit = () => place.api.patch(secret, 'creds', { metadata: { labels: { by: 'others' } } });

/** Sends requests of one decision, one after the other, and lists the outcome after each. */
async function send(decision: WriteDecision, requests: readonly DecisionRequest[]) {
  const sender = new DecisionSender(state, decision);
  const outcomes: (Outcome | undefined)[] = [];
  for (const request of requests) {
    await sender.send(request);
    outcomes.push(sender.outcome);
  }
  return outcomes;
}

async function failureOf(sending: Promise<unknown>): Promise<unknown> {
  try {
    await sending;
  } catch (error) {
    return error;
  }
  throw new Error('it was sent');
}

async function expectConflict(sending: Promise<unknown>): Promise<void> {
  const before = await place.api.find(secret, 'creds');
  const error = await failureOf(sending);
  expect(error).toBeInstanceOf(KubeError);
  expect(error).toMatchObject({ reason: 'Conflict' });
  expect(await place.api.find(secret, 'creds')).toEqual(before);
  expect(state.wrote).toBe(false);
}

/** Expects the run to have the object of the last response. */
async function expectKept(version: string | undefined): Promise<void> {
  const { metadata } = await live();
  expect(version).toBe(`${metadata.uid}/${metadata.resourceVersion}`);
  expect(known()).toMatchObject({ ...lockOf(metadata), ours: { manager } });
  expect(state.wrote).toBe(true);
}

test('a check that finds something stale precedes the write', async () => {
  await place.api.remove(database, 'db');
  const check: DecisionRequest = { verb: 'check', what: 'resource', ifOld: false };
  expect(await failureOf(send(creation(), [check, apply()]))).toBeInstanceOf(StaleError);
  expect(await place.api.find(secret, 'creds')).toBeUndefined();
});

describe('a create', () => {
  test("updates the run's state, and is a repair if the child was lost", async () => {
    const [outcome] = await send(creation(), [apply()]);
    expect(outcome).toMatchObject({ child, result: 'created', existed: true });
    expect(state.world.absent.has(key)).toBe(false);
    await expectKept(outcome?.version);
  });

  test('of an existing object is refused', async () => {
    await place.api.create(secret, 'creds', { data: {} });
    await expectConflict(send(creation(), [apply()]));
  });

  test("succeeds although the run's state still has a child of that name", async () => {
    await given();
    await place.api.remove(secret, 'creds');
    const [outcome] = await send(creation(), [apply()]);
    expect(outcome).toMatchObject({ result: 'created' });
  });

  test('with generated data is two writes by two managers, the second locked to the first', async () => {
    const generates = ['password', 'salt'];
    const own = generatedManager(world.run.clients.identity);
    const first = apply({ manager: own, fields: {}, generates });
    const outcomes = await send(creation(), [first, apply()]);
    expect(outcomes[0]).toMatchObject({ result: 'created' });
    expect(outcomes[1]).toMatchObject({ result: 'created' });
    const { data, metadata } = await live();
    const { a, ...random } = data as Readonly<Record<string, string>>;
    expect(a).toBe('MQ==');
    const values = Object.values(random).map((one) => Buffer.from(one, 'base64').toString());
    expect(Object.keys(random)).toEqual(generates);
    for (const value of values) expect(value).toMatch(/^[\w-]{32}$/);
    expect(new Set(values).size).toBe(2);
    const managers = metadata.managedFields?.map((one) => one.manager);
    expect(managers?.toSorted()).toEqual([manager, own]);
    await expectKept(outcomes[1]?.version);
  });

  test('is refused if the object is written between the two writes', async () => {
    const first = apply({
      manager: generatedManager(world.run.clients.identity),
      generates: ['password'],
    });
    const sender = new DecisionSender(state, creation());
    await sender.send(first);
    await edit();
    expect(await failureOf(sender.send(apply()))).toMatchObject({ reason: 'Conflict' });
  });
});

describe('an update', () => {
  test('is locked to the version of the child', async () => {
    await given({ ...desired, data: { a: 'Mg==' } });
    const [outcome] = await send(updateLocked(lockOf(known()!)), [apply()]);
    expect(outcome).toMatchObject({ result: 'updated', differences: [difference] });
    expect((await live()).data).toEqual(desired.data);
    await expectKept(outcome?.version);
  });

  test('of a child that has changed since is refused', async () => {
    await given();
    const lock = lockOf(known()!);
    await edit();
    await expectConflict(send(updateLocked(lock), [apply()]));
  });

  test('is locked to the version of its decision, even if another was read since', async () => {
    await given();
    const lock = lockOf(known()!);
    await edit();
    await readChild(world.run, state.world, { ...child, type: secret });
    await expectConflict(send(updateLocked(lock), [apply()]));
  });

  test('after an earlier write of the run is locked to the version that it returned', async () => {
    await given({ ...desired, data: { a: 'Mg==' } });
    const [outcome] = await send(updateLocked('previous'), [apply()]);
    await expectKept(outcome?.version);
    state.wrote = false;
    await edit();
    await expectConflict(send(updateLocked('previous'), [apply()]));
  });

  test('after no write is stale', async () => {
    const error = await failureOf(send(updateLocked('previous'), [apply()]));
    expect(error).toBeInstanceOf(StaleError);
    expect(error).toMatchObject({
      message: 'cannot update Secret creds: Conflict: it changed meanwhile',
      decision: { verb: 'update', child },
    });
    expect(await place.api.find(secret, 'creds')).toBeUndefined();
  });

  test('that only hands over fields is an update', async () => {
    await given();
    const requests = [apply({ manager: 'serverless-reconciler-generated' }), apply()];
    const outcomes = await send(updateLocked(lockOf(known()!)), requests);
    expect(outcomes.map((one) => one?.result)).toEqual(['updated', 'updated']);
  });

  test('keeps its differences, with the version of the last write', async () => {
    await given({ ...desired, data: { a: 'Mg==' } });
    const requests = [apply(), patch()];
    const [first, second] = await send(updateLocked(lockOf(known()!)), requests);
    expect(first?.differences).toEqual([difference]);
    expect(second).toMatchObject({ child, result: 'updated' });
    expect(second?.differences).toEqual([difference]);
    await expectKept(second?.version);
  });

  test('that begins with the removal of fields is reported, even if nothing follows', async () => {
    await given();
    const [outcome] = await send(updateLocked(lockOf(known()!)), [patch()]);
    expect(outcome).toMatchObject({ result: 'updated' });
    expect((await live()).metadata.annotations).toEqual({ a: 'b' });
    expect(state.wrote).toBe(true);
  });
});

describe('a read before a write', () => {
  const get: DecisionRequest = { verb: 'get' };
  const consolidation = (): WriteDecision => ({
    ...about(),
    verb: 'consolidate',
    lock: lockOf(known()!),
  });
  /** Writes the uid that was read into an annotation. */
  const echo = patch({
    operations: (read) => [
      { op: 'add', path: '/metadata/annotations', value: { read: read?.metadata.uid } },
    ],
  });

  test('passes the object to the write', async () => {
    await given();
    const [, outcome] = await send(consolidation(), [get, echo]);
    const { metadata } = await live();
    expect(metadata.annotations).toEqual({ read: metadata.uid });
    expect(outcome).toMatchObject({ result: 'updated' });
    await expectKept(outcome?.version);
  });

  const changes = {
    'of another version': edit,
    'of another object': async () => {
      await place.api.remove(secret, 'creds');
      await place.api.create(secret, 'creds', {});
    },
    'of nothing': () => place.api.remove(secret, 'creds'),
  };
  test.each(Object.entries(changes))('%s is stale', async (_, change) => {
    await given();
    const decision = consolidation();
    await change();
    const error = await failureOf(send(decision, [get]));
    expect(error).toBeInstanceOf(StaleError);
    expect(error).toMatchObject({ decision });
  });
});

describe('a patch', () => {
  const update = () => updateLocked(lockOf(known()!));
  const annotations = async () => (await live()).metadata.annotations;

  test('without operations is not sent', async () => {
    await given();
    const version = known()?.resourceVersion;
    const [outcome] = await send(update(), [patch({ operations: () => [] })]);
    expect(outcome).toBeUndefined();
    expect((await live()).metadata.resourceVersion).toBe(version);
    expect(state.wrote).toBe(false);
  });

  test('for old entries is not sent if there are none', async () => {
    await given();
    await send(update(), [patch({ ifLegacy: true })]);
    expect(await annotations()).not.toHaveProperty('a');
  });

  test('for old entries is not sent for an unknown child', async () => {
    await given();
    const decision = update();
    state.world.children.delete(key);
    await send(decision, [patch({ ifLegacy: true })]);
    expect(await annotations()).not.toHaveProperty('a');
  });

  test('for old entries is sent if there are some', async () => {
    await place.api.create(secret, 'creds', desired, manager);
    await given();
    expect(known()?.legacy).toBe(true);
    await send(update(), [patch({ ifLegacy: true })]);
    expect(await annotations()).toEqual({ a: 'b' });
  });

  test('is locked to the version of the child', async () => {
    await given();
    const decision = update();
    await edit();
    await expectConflict(send(decision, [patch()]));
  });
});

describe('a deletion', () => {
  const deletion = (): WriteDecision => ({
    ...about(),
    verb: 'delete',
    lock: lockOf(known()!),
  });

  test("removes the child from the run's state", async () => {
    await given();
    const why = { reason: 'TargetNotOwned', message: 'its target is foreign' };
    const decision = { ...deletion(), ...why };
    const { uid, resourceVersion } = known()!;
    expect(await send(decision, [{ verb: 'delete' }])).toEqual([
      { child, result: 'deleted', ...why, version: `${uid}/${resourceVersion}` },
    ]);
    expect(await place.api.find(secret, 'creds')).toBeUndefined();
    expect(known()).toBeUndefined();
    expect(state.world.absent.has(key)).toBe(true);
    expect(state.wrote).toBe(true);
  });

  test('is not complete while a finalizer keeps the child', async () => {
    await given();
    await place.api.patch(secret, 'creds', { metadata: { finalizers: ['example.org/kept'] } });
    await readChild(world.run, state.world, { ...child, type: secret });
    expect(await send(deletion(), [{ verb: 'delete' }])).toEqual([
      {
        child,
        result: 'deleted',
        reason: 'ChildDeleting',
        message: 'Secret creds is being deleted',
        version: `${known()?.uid}/${known()?.resourceVersion}`,
      },
    ]);
    expect(known()).toMatchObject({ deleting: true });
    expect(state.world.absent.has(key)).toBe(false);
    expect(state.wrote).toBe(true);
  });

  test('of a child that has changed since is refused', async () => {
    await given();
    const decision = deletion();
    await edit();
    await expectConflict(send(decision, [{ verb: 'delete' }]));
  });
});
