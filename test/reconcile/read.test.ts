import { beforeEach, describe, expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { keyOf } from '../../shared/kubernetes.ts';
import { refTo } from '../../shared/plan/observed/world.ts';
import {
  isSameSpecification,
  keyOfResource,
  poolsOfResource,
  readChild,
} from '../../shared/reading/read.ts';
import type { LiveWorld } from '../../shared/run/run.ts';
import { website } from '../../systems/website.ts';
import { eachCall } from './calls.ts';
import { type RunParts, runWith } from './run-with.ts';
import { usePlace, useStepWorld } from './use-engine.ts';

const world = useStepWorld([website]);
const place = usePlace(world);
let known: LiveWorld;
beforeEach(async () => {
  await place.api.create(website, 'w', { spec: { imageTag: 'v1', nodePort: place.nodePort() } });
  await place.resync({ kinds: [website] });
  known = (await world.begin(place, website, 'w')).world;
});

const child = refTo(deployment, 'w');
const key = keyOf(child);
const manager = 'serverless-reconciler';
const failure = { reason: 'X', message: 'x', transient: true };
const read = (run: Partial<RunParts> = {}) =>
  readChild(runWith(world.run, run), known, { ...child, type: deployment });

describe('a child that is read by name', () => {
  beforeEach(() => {
    known.absent.add(key);
    known.unread.set(key, failure);
  });

  test('is updated', async () => {
    await place.api.scale(deployment, 'w', 5);
    const live = await read();
    const now = await place.api.get(deployment, 'w');
    expect(live).toEqual(now);
    const { resourceVersion } = now.metadata;
    expect(known.children.get(key)).toMatchObject({ resourceVersion, ours: { manager } });
    expect([known.absent.size, known.unread.size]).toEqual([0, 0]);
  });

  test('is absent if it does not exist', async () => {
    await place.api.remove(deployment, 'w');
    known.absent.clear();
    expect(await read()).toBeUndefined();
    expect(known.children.has(key)).toBe(false);
    expect([...known.absent]).toEqual([key]);
    expect(known.unread.size).toBe(0);
  });

  test('does not change if the request fails', async () => {
    const cluster = eachCall(world.run.cluster, () => Promise.reject(new Error('lost')));
    const before = known.children.get(key);
    await expect(read({ cluster })).rejects.toThrow('lost');
    expect(known.children.get(key)).toBe(before);
    expect(known.unread.get(key)).toBe(failure);
  });

  test('counts in the memory budget of its namespace', async () => {
    const asked: string[] = [];
    const admit = (namespace: string) => {
      asked.push(namespace);
      return false;
    };
    const live = await read({ memory: { ...world.run.limits.memory, admit } });
    expect(live?.metadata.name).toBe('w');
    expect(asked).toEqual([place.namespace]);
    expect(known.children.get(key)?.unreadable).toContain('memory');
  });
});

test('the key of a resource contains its type, namespace and name', () => {
  expect(keyOfResource(known)).toBe(`websites.kubecon.my.domain ${place.namespace}/w`);
});

describe('isSameSpec', () => {
  const change = (over: object) =>
    isSameSpecification(known.resource, { ...known.resource, ...over });
  test.each([
    { over: { resourceVersion: 'other', status: {} }, want: true },
    { over: { uid: 'other' }, want: false },
    { over: { generation: 7 }, want: false },
    { over: { deleting: true }, want: false },
    { over: { suspended: true }, want: false },
  ])('with $over returns $want', ({ over, want }) => {
    expect(change(over)).toBe(want);
  });
});

test('the children of a resource in one namespace share one memory pool', () => {
  const poolOf = poolsOfResource();
  expect(poolOf('a')(4_000_000)).toBe(true);
  expect(poolOf('a')(1)).toBe(false);
  expect(poolOf('b')(4_000_000)).toBe(true);
  expect(poolsOfResource()('a')(4_000_001)).toBe(false);
});
