import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { KubeError } from '../../shared/cluster/errors.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { keyOf, refTo } from '../../shared/plan/observed/world.ts';
import {
  isSameSpecification,
  keyOfResource,
  poolsOfResource,
  readAgain,
  readChild,
} from '../../shared/reading/read.ts';
import type { LiveWorld } from '../../shared/run/state.ts';
import { website } from '../../systems/website.ts';
import { eachCall } from './calls.ts';
import type { Place } from './engine.ts';
import { type RunParts, runWith } from './run-with.ts';
import { openStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
let place: Place;
let known: LiveWorld;
beforeAll(async () => {
  world = await openStepWorld([website]);
});
afterAll(() => world.stop());
beforeEach(async () => {
  place = await world.place();
  await place.api.create(website, 'w', { spec: { imageTag: 'v1', nodePort: place.nodePort() } });
  await place.tick({ kinds: [website] });
  known = (await world.begin(place, website, 'w')).world;
});

const child = refTo(deployment, 'w');
const key = keyOf(child);
const manager = 'serverless-reconciler';
const failure = { reason: 'X', message: 'x', transient: true };
const read = (run: Partial<RunParts> = {}) =>
  readChild(runWith(world.run, run), known, { ...child, type: deployment });
const unlabelled = { metadata: { labels: null } };
const namesIn = ({ children }: LiveWorld) =>
  [...children.values()].map(({ kind, name }) => `${kind} ${name}`).toSorted();

describe('a child that is read by name', () => {
  beforeEach(() => {
    known.absent.add(key);
    known.unread.set(key, failure);
    known.reads.set('reference', {});
  });

  test('is known as it is, and what the resource refers to must be read again', async () => {
    await place.api.scale(deployment, 'w', 5);
    const live = await read();
    const now = await place.api.get(deployment, 'w');
    expect(live).toEqual(now);
    const { resourceVersion } = now.metadata;
    expect(known.children.get(key)).toMatchObject({ resourceVersion, ours: { manager } });
    expect([known.absent.size, known.unread.size, known.reads.size]).toEqual([0, 0, 0]);
  });

  test('is absent if there is none, and what the resource refers to is no older', async () => {
    await place.api.remove(deployment, 'w');
    known.absent.clear();
    expect(await read()).toBeUndefined();
    expect(known.children.has(key)).toBe(false);
    expect([...known.absent]).toEqual([key]);
    expect([known.unread.size, known.reads.size]).toEqual([0, 1]);
  });

  test('stays as it was known where the request fails', async () => {
    const cluster = eachCall(world.run.cluster, () => Promise.reject(new Error('lost')));
    const before = known.children.get(key);
    await expect(read({ cluster })).rejects.toThrow('lost');
    expect(known.children.get(key)).toBe(before);
    expect(known.unread.get(key)).toBe(failure);
  });

  test('counts in the memory of its namespace', async () => {
    const asked: string[] = [];
    const admit = (namespace: string) => {
      asked.push(namespace);
      return false;
    };
    const live = await read({ memoryBudget: { ...world.run.limits.memory, admit } });
    expect(live?.metadata.name).toBe('w');
    expect(asked).toEqual([place.namespace]);
    expect(known.children.get(key)?.unreadable).toContain('memory');
  });
});

/** A cluster whose first list of Deployments gives what is in `first` and then fails. */
const interrupted = (error: Error): Cluster => {
  const { cluster } = world.run;
  let lists = 0;
  return {
    ...eachCall(cluster, (_, call) => call()),
    async list(type, selection, each) {
      await cluster.list(type, selection, each);
      if (type.kind === 'Deployment' && ++lists === 1) {
        await place.api.remove(deployment, 'w');
        throw error;
      }
    },
  };
};

describe('a resource that is read again', () => {
  const again = (run: Partial<RunParts> = {}) => readAgain(runWith(world.run, run), known);

  test('has its children as they are now, and then itself', async () => {
    await place.api.patch(website, 'w', { spec: { imageTag: 'v2' } });
    await place.api.remove(service, 'w');
    known.absent.add('other');
    known.unread.set('other', failure);
    known.reads.set('reference', {});
    const calls: string[] = [];
    const cluster = eachCall(world.run.cluster, (what, call) => {
      calls.push(what);
      return call();
    });
    const fresh = await again({ cluster });
    expect(calls).toEqual(['list deployments', 'list services', 'get Service w', 'get Website w']);
    expect(namesIn(fresh!)).toEqual(['Deployment w']);
    expect(fresh?.children.get(key)).toMatchObject({ ours: { manager } });
    expect(fresh?.resource.generation).toBe(2);
    expect([...fresh!.absent]).toEqual([keyOf(refTo(service, 'w'))]);
    expect([fresh?.unread.size, fresh?.reads.size]).toEqual([0, 0]);
    expect(known.resource.generation).toBe(1);
  });

  test('finds a child that has lost its labels by its name', async () => {
    await place.api.patch(deployment, 'w', unlabelled);
    expect(namesIn((await again())!)).toEqual(['Deployment w', 'Service w']);
  });

  test('does not read by name what was foreign before', async () => {
    const foreign = known.children.get(key)!;
    known.children.set(key, { ...foreign, controller: { uid: 'another' } });
    await place.api.patch(deployment, 'w', unlabelled);
    expect(namesIn((await again())!)).toEqual(['Service w']);
  });

  test('keeps what the server answered earlier in the run', async () => {
    known.givenUp.set(key, failure);
    known.possiblePaths.set(key, new Set(['/']));
    known.refused.set(key, { failure, live: await place.api.get(deployment, 'w') });
    const fresh = await again();
    expect(fresh?.givenUp).toBe(known.givenUp);
    expect(fresh?.possiblePaths).toBe(known.possiblePaths);
    expect(fresh?.refused).toBe(known.refused);
  });

  test('is undefined if it is gone', async () => {
    await place.api.remove(website, 'w');
    expect(await again()).toBeUndefined();
  });

  test('begins a list that expires again, without what it had found', async () => {
    known.children.clear();
    const expired = new KubeError('list', { code: 410, status: { reason: 'Expired' } });
    const fresh = await again({ cluster: interrupted(expired) });
    expect(namesIn(fresh!)).toEqual(['Service w']);
  });

  test('fails where a list fails otherwise', async () => {
    const error = new KubeError('list', { code: 403, status: { reason: 'Forbidden' } });
    await expect(again({ cluster: interrupted(error) })).rejects.toBe(error);
  });

  test('counts its children in the memory of their namespace', async () => {
    const asked: string[] = [];
    const admit = (namespace: string) => {
      asked.push(namespace);
      return true;
    };
    await again({ memoryBudget: { ...world.run.limits.memory, admit } });
    expect(asked).toEqual([place.namespace, place.namespace]);
  });
});

test('a resource is named by its type and place', () => {
  expect(keyOfResource(known)).toBe(`websites.kubecon.my.domain ${place.namespace}/w`);
});

describe('a specification', () => {
  const change = (over: object) =>
    isSameSpecification(known.resource, { ...known.resource, ...over });
  test.each([
    { over: { resourceVersion: 'other', status: {} }, want: true },
    { over: { uid: 'other' }, want: false },
    { over: { generation: 7 }, want: false },
    { over: { deleting: true }, want: false },
    { over: { suspended: true }, want: false },
  ])('with $over is the same: $want', ({ over, want }) => {
    expect(change(over)).toBe(want);
  });
});

test('the children of a resource in one namespace share what they may cost', () => {
  const poolOf = poolsOfResource();
  expect(poolOf('a').take(4_000_000)).toBe(true);
  expect(poolOf('a').take(1)).toBe(false);
  expect(poolOf('b').take(4_000_000)).toBe(true);
  expect(poolsOfResource()('a').take(4_000_001)).toBe(false);
});
