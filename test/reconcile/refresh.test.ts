import { beforeEach, describe, expect, test } from 'vitest';
import { secret } from '../../shared/kinds/child-types/core.ts';
import { patternsOf } from '../../shared/kinds/child-types/ingress.ts';
import { apiVersionOf, type Json, type JsonObject, keyOf } from '../../shared/kubernetes.ts';
import type { WriteDecision } from '../../shared/plan/decision/decision.ts';
import { desiredOf } from '../../shared/plan/decision/desired.ts';
import type { Entry, ObservedChild } from '../../shared/plan/observed/observed.ts';
import { refTo } from '../../shared/plan/observed/world.ts';
import { readChild } from '../../shared/reading/read.ts';
import { countConflict, maxConflicts, refresh } from '../../shared/resource/refresh.ts';
import type { Turn } from '../../shared/resource/turn.ts';
import { StaleError } from '../../shared/resource/turn.ts';
import { database } from '../../systems/database.ts';
import { casesOf } from '../support/cases.ts';
import { kindsFor } from '../support/config.ts';
import { type RunParts, runWith, turnWith } from './run-with.ts';
import { nowMs } from './step-world.ts';
import { usePlace, useStepWorld } from './use-engine.ts';

const settings = { authUrl: 'https://auth.example.com/check', ingressClass: 'nginx' };
const app = kindsFor(settings).find(({ kind }) => kind === 'ContainerApp')!;

const world = useStepWorld([database, app]);
const place = usePlace(world);
let state: Turn;
beforeEach(async () => {
  const storage = { size: '1Gi' };
  await place.api.create(database, 'db', {
    spec: { image: 'postgres:14', replicas: 1, storage, databaseName: 'd', username: 'u' },
  });
  state = await world.begin(place, database, 'db', soonOld);
  fresh = state.world.resource.generation;
});

/** The time until which the spec counts as fresh, before any read. */
const soonOld = nowMs + 1_000;
let fresh: number;

const manager = 'serverless-reconciler';
const labels = {
  'app.kubernetes.io/managed-by': manager,
  'app.kubernetes.io/part-of': 'database',
  'app.kubernetes.io/instance': 'db',
};
const child = refTo(secret, 'creds');
const key = keyOf(child);
const known = () => state.world.children.get(key);
const read = () => readChild(world.run, state.world, { ...child, type: secret });
const owner = (over: object = {}): JsonObject => {
  const { name, uid } = state.world.resource;
  return {
    apiVersion: apiVersionOf(database),
    kind: 'Database',
    name,
    uid,
    controller: true,
    ...over,
  };
};
const fields = (value = 'MQ==', owners: readonly Json[] = [owner()]): JsonObject => ({
  metadata: { ownerReferences: owners },
  data: { a: value },
});
const write = (given = fields()) => place.api.apply(secret, 'creds', given, manager);
const label = () => place.api.patch(secret, 'creds', { metadata: { labels: { by: 'others' } } });
const relabel = () => place.api.patch(database, 'db', { metadata: { labels: { by: 'a' } } });
const edit = () => place.api.patch(database, 'db', { spec: { replicas: 2 } });

type Lock = { readonly uid: string; readonly resourceVersion: string } | 'previous';
const about = () => ({ type: secret, child, namespace: place.namespace });
const lockOf = (uid = known()?.uid ?? ''): Lock => ({ uid, resourceVersion: '1' });
const difference = { path: 'data.a', from: '(secret)', to: '(secret)', writer: undefined };
const creation = (): WriteDecision => ({
  ...about(),
  verb: 'create',
  fields: fields(),
  existed: false,
});
const update = (lock = lockOf()): WriteDecision => ({
  ...about(),
  verb: 'update',
  fields: fields(),
  lock,
  differences: [difference],
});

/** Lists the desired children of the Database. */
function desiredChildren() {
  const desired = desiredOf(state.world);
  return 'children' in desired ? desired.children : [];
}

type Stale = ConstructorParameters<typeof StaleError>[1];
const refreshed = (stale: Stale, run: Partial<RunParts> = {}): Promise<boolean> =>
  refresh(turnWith(state, runWith(world.run, run)), new StaleError('write', stale));

describe('refresh: a resource that is stale', () => {
  test('is read again by name, without its children', async () => {
    await write();
    await read();
    const before = known();
    await write(fields('Mg=='));
    await edit();
    expect(await refreshed({})).toBe(true);
    expect(state.world.resource.generation).toBe(fresh + 1);
    expect(known()).toBe(before);
    expect(state.freshUntil).toBe(nowMs + 10_000);
  });

  const refusal = { reason: 'Invalid', message: 'no', transient: false };
  test.each([
    ['an edit gives them another chance', () => edit(), 0],
    ['a label gives them none', () => relabel(), 1],
  ])('has refused children: %s', async (_, act, want) => {
    state.world.givenUp.set(key, refusal);
    state.world.possiblePaths.set(key, new Set(['/a']));
    await act();
    expect(await refreshed({})).toBe(true);
    expect(state.world.givenUp.size).toBe(want);
    expect(state.world.possiblePaths.size).toBe(want);
  });

  test('has no children if another resource has taken its name', async () => {
    await write();
    await read();
    const { uid, spec } = state.world.resource;
    await place.api.remove(database, 'db');
    await place.api.create(database, 'db', { spec: spec as JsonObject });
    expect(await refreshed({})).toBe(true);
    expect(state.world.resource.uid).not.toBe(uid);
    expect(state.world.children.size).toBe(0);
  });

  test('does not change if it no longer exists', async () => {
    const before = state.world;
    await place.api.remove(database, 'db');
    expect(await refreshed({})).toBe(false);
    expect(state.world).toBe(before);
    expect(state.freshUntil).toBe(soonOld);
  });
});

describe('refresh: a child that another run has created', () => {
  beforeEach(async () => {
    await write();
    await edit();
  });

  test('is read before the resource, together with siblings that the other run has probably created, too', async () => {
    const service = { metadata: { labels, ownerReferences: [owner()] } };
    const desired = [...desiredChildren()];
    await place.api.apply(desired[0]!.type, desired[0]!.name, service, manager);
    expect(await refreshed({ decision: creation() })).toBe(true);
    expect(known()).toBeDefined();
    expect(state.world.children.has(keyOf(refTo(desired[0]!.type, desired[0]!.name)))).toBe(true);
    expect([...state.world.absent]).not.toEqual([]);
    expect(state.world.resource.generation).toBe(fresh + 1);
    expect(state.freshUntil).toBe(nowMs + 10_000);
  });

  test('is the only child that is read if it was updated', async () => {
    await read();
    await write(fields('Mg=='));
    await refreshed({ decision: update() });
    expect([...state.world.children.keys()]).toEqual([key]);
    expect(state.world.absent.size).toBe(0);
  });
});

const entry: Entry = { manager, time: undefined, values: '{}', shape: '{}' };

interface Between {
  readonly reason: string;
  /** Acts on the child between the two reads. */
  readonly act?: () => Promise<unknown>;
  /** Changes the run's copy of the child, so that it differs from the live object. */
  readonly known?: (child: ObservedChild) => Partial<ObservedChild>;
}

const between: Record<string, Between> = {
  Values: {
    reason: 'our fields differ, so another run may have applied a newer plan',
    act: () => write(fields('Mg==')),
  },
  Shape: {
    reason: 'our fields differ in an empty map',
    known: ({ ours }) => ({ ours: { ...ours!, shape: '{}' } }),
  },
  Replaced: {
    reason: 'an equal object has another uid',
    act: () => place.api.remove(secret, 'creds').then(() => write()),
  },
  Gone: {
    reason: 'the child may be unwanted by now',
    act: () => place.api.remove(secret, 'creds'),
  },
  Controller: {
    reason: 'another resource may have adopted the child',
    known: () => ({ controller: 'another' }),
  },
  Uncontrolled: {
    reason: 'the child may have been orphaned',
    known: () => ({ controller: undefined }),
  },
};

describe('a child that is stale', () => {
  beforeEach(async () => {
    await write();
    await read();
    await edit();
    state.world.absent.add('other');
    state.world.unread.set('other', { reason: 'X', message: 'x', transient: true });
    state.world.reads.set('reference', {});
  });

  test('is read without the resource if our own entry is unchanged', async () => {
    await label();
    expect(await refreshed({ decision: update() })).toBe(true);
    const { metadata } = await place.api.get(secret, 'creds');
    expect(known()?.resourceVersion).toBe(metadata.resourceVersion);
    expect(state.world.resource.generation).toBe(fresh);
    expect(state.freshUntil).toBe(soonOld);
    expect([...state.world.reads.keys()]).toEqual(['reference']);
  });

  test('may have siblings that were absent before', async () => {
    await refreshed({ decision: update() });
    expect(state.world.absent.size).toBe(0);
    expect(state.world.unread.size).toBe(0);
  });

  test('that another run wrote makes the references of the resource unknown', async () => {
    await write(fields('Mg=='));
    await refreshed({ decision: update() });
    expect(state.world.reads.size).toBe(0);
  });

  const expectResourceRead = async (decision = update()): Promise<void> => {
    expect(await refreshed({ decision })).toBe(true);
    expect(state.world.resource.generation).toBe(fresh + 1);
    expect(state.freshUntil).toBe(nowMs + 10_000);
  };

  test.each(casesOf(between))('is read with its resource: %s', async (_, one) => {
    const decision = update();
    state.world.children.set(key, { ...known()!, ...one.known?.(known()!) });
    await one.act?.();
    await expectResourceRead(decision);
  });

  test('that was never ours: the resource is read', async () => {
    await place.api.remove(secret, 'creds');
    await place.api.apply(secret, 'creds', fields(), 'others');
    await read();
    await expectResourceRead();
  });

  test('that appeared: the resource is read', async () => {
    state.world.children.delete(key);
    await expectResourceRead();
  });

  test('ends the work on the resource if that no longer exists', async () => {
    state.world.children.delete(key);
    await place.api.remove(database, 'db');
    expect(await refreshed({ decision: update() })).toBe(false);
  });
});

describe('a creation whose response was lost', () => {
  const lose = (): void => {
    state.lost.set(key, { child, result: 'created' });
  };
  const another = { target: { ...refTo(secret, 'other'), type: secret } };

  test('is looked up, although another child had the conflict', async () => {
    await write();
    lose();
    await refreshed(another);
    expect(known()).toBeDefined();
  });

  test('is not looked up again once the child is known', async () => {
    await write();
    await read();
    const seen = known();
    lose();
    await refreshed(another);
    expect(known()).toBe(seen);
  });

  test('is not looked up if every response arrived', async () => {
    await write();
    await refreshed(another);
    expect(known()).toBeUndefined();
  });
});

describe('conflicts in a row', () => {
  const conflicts = (count: number): void => {
    for (let at = 0; at < count; at++) countConflict(state, child);
  };
  const by = (name: string, time?: string): Entry => ({ ...entry, manager: name, time });
  const others = (...entries: readonly Entry[]) => {
    state.world.children.set(key, { type: secret, others: entries } as unknown as ObservedChild);
  };

  test('are retried up to four times', () => {
    conflicts(maxConflicts - 1);
    expect(state.world.givenUp.size).toBe(0);
  });

  const early = by('early', '2026-11-22T12:00:00Z');
  test.each([
    { reason: 'the child is unknown', given: undefined, want: 'others' },
    { reason: 'only its status has changed since the first', given: [early], want: 'others' },
    {
      reason: 'each later writer is named once',
      given: [early, by('a'), by('later', '2026-11-22T12:00:02Z'), by('a', '2026-11-22T12:00:02Z')],
      want: 'a, later',
    },
    {
      reason: 'the writer of the first has written again',
      given: [{ ...early, values: '{"data":{"a":"c"}}' }],
      want: 'early',
    },
  ])('fail after five, and the message names the writers if known: $reason', ({ given, want }) => {
    if (given !== undefined) others(early);
    conflicts(1);
    if (given !== undefined) others(...given);
    conflicts(maxConflicts - 1);
    expect([...state.world.givenUp]).toEqual([
      [
        key,
        {
          reason: 'Conflict',
          message: `Secret creds was changed by ${want} before it could be written, 5 times in a row; will be tried again`,
          transient: true,
        },
      ],
    ]);
    expect(state.world.possiblePaths.size).toBe(0);
  });

  test('leave an exposing child with every path that was read, any of which may be live', async () => {
    await place.api.create(app, 'shop', {
      spec: { image: 'nginx', endpoints: [{ path: '/a' }, { path: '/b' }] },
    });
    await place.resync();
    state = await world.begin(place, app, 'shop');
    const [one] = [...state.world.children.values()].filter(({ kind }) => kind === 'Ingress');
    const live = one!;
    const patterns = patternsOf(live.facts) ?? [];
    expect(patterns).toHaveLength(2);
    countConflict(state, live, ['/seen']);
    state.world.children.delete(keyOf(live));
    for (let at = 1; at < maxConflicts; at++) {
      expect(state.world.possiblePaths.size).toBe(0);
      countConflict(state, live);
    }
    expect([...state.world.possiblePaths]).toEqual([
      [keyOf(live), new Set(['/seen', ...patterns])],
    ]);
  });
});
