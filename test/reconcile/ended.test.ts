import { beforeEach, describe, expect, test } from 'vitest';
import { child, configMap, defineKind, job, Type } from '../../index.ts';
import { isWriteRequest, type Place } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

/** A kind with a Job that is deleted once it is complete, and a ConfigMap that needs the Job. */
const migration = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Migration',
  plural: 'migrations',
  owns: [job, configMap],
  spec: Type.Object({
    image: Type.String(),
    ttl: Type.Optional(Type.Integer()),
    note: Type.String({ default: '' }),
    isOver: Type.Boolean({ default: false }),
  }),
  samples: [{ name: 'migration', spec: { image: 'i:1', ttl: 0 } }],
  children: ({ name, spec: { image, ttl, note, isOver } }) => {
    const containers = [{ name: 'a', image }];
    const template = { spec: { restartPolicy: 'Never', containers } };
    const body = { spec: { ttlSecondsAfterFinished: ttl, template } };
    const needs = [{ type: job, name }];
    return [
      ...(isOver ? [] : [child(job, { name, body })]),
      child(configMap, { name, body: { data: { note } }, ...(isOver ? {} : { needs }) }),
    ];
  },
});

const engine = useEngine({ controllers: 'paused', install: [migration] });
const place: Place = usePlace(engine, [migration]);
beforeEach(() => engine.cluster.controllers.pause());

const jobs = async () => (await place.api.list(job)).map(({ metadata }) => metadata.uid);
const writes = () =>
  place
    .requests()
    .filter((one) => isWriteRequest(one) && one.resource !== 'events')
    .map(({ verb, resource, subresource }) => [verb, resource, subresource].join(' ').trim());
const ready = async () =>
  (await place.api.get(migration, 'a')).status?.conditions?.find(({ type }) => type === 'Ready');
const finish = (type: 'Complete' | 'Failed' = 'Complete') => {
  const time = '2026-11-26T08:00:00Z';
  const conditions = ['FailureTarget', 'SuccessCriteriaMet']
    .filter((one) => (one === 'FailureTarget') === (type === 'Failed'))
    .concat(type)
    .map((one) => ({ type: one, status: 'True', lastTransitionTime: time }));
  const done = type === 'Complete' ? { completionTime: time, succeeded: 1 } : { failed: 1 };
  return place.api.patch(
    job,
    'a',
    { status: { startTime: time, ...done, conditions } },
    { subresource: 'status' },
  );
};
const create = async (spec: object) => {
  await place.api.create(migration, 'a', { spec: { image: 'i:1', ...spec } });
  await place.resync();
};

describe('a complete Job with ttlSecondsAfterFinished', () => {
  beforeEach(async () => {
    await create({ ttl: 3600 });
    await finish();
    await place.resync();
    await place.api.remove(job, 'a');
  });

  test('is not run again, and its resource stays Ready', async () => {
    await place.resync();
    const begun = writes().length;
    await place.resync();
    await place.resync({ trigger: 'audit' });
    expect(await jobs()).toEqual([]);
    expect(writes()).toHaveLength(begun);
    expect(await ready()).toMatchObject({ status: 'True' });
  });

  test('counts as complete for the children that need it', async () => {
    await place.api.patch(migration, 'a', { spec: { note: 'new' } });
    await place.resync();
    expect((await place.api.get(configMap, 'a')).data).toEqual({ note: 'new' });
    expect(await jobs()).toEqual([]);
  });

  test('runs once more if its fields change', async () => {
    await place.api.patch(migration, 'a', { spec: { image: 'i:2' } });
    await place.resync();
    expect(await jobs()).toHaveLength(1);
    await finish();
    await place.resync();
    await place.api.remove(job, 'a');
    await place.resync();
    await place.resync();
    expect(await jobs()).toEqual([]);
    await place.api.patch(migration, 'a', { spec: { image: 'i:1' } });
    await place.resync();
    expect(await jobs()).toHaveLength(1);
  });

  test('is removed from the status once it is no longer desired', async () => {
    const kindsOf = async () =>
      (await place.api.get(migration, 'a')).status?.children?.map(({ kind }) => kind);
    await place.resync();
    expect(await kindsOf()).toEqual(['ConfigMap', 'Job']);
    await place.api.patch(migration, 'a', { spec: { isOver: true } });
    await place.resync();
    expect(await kindsOf()).toEqual(['ConfigMap']);
  });

  test('runs for a new resource of the same name', async () => {
    await place.api.remove(migration, 'a');
    await create({ ttl: 3600 });
    expect(await jobs()).toHaveLength(1);
  });
});

describe('a deleted Job runs again', () => {
  test.each([
    { reason: 'it was not complete', spec: { ttl: 3600 }, end: async () => undefined },
    { reason: 'it had failed', spec: { ttl: 3600 }, end: () => finish('Failed') },
    {
      reason: 'it has no time to live, so only a person deletes it',
      spec: {},
      end: () => finish(),
    },
  ])('because $reason', async ({ spec, end }) => {
    await create(spec);
    await end();
    await place.resync();
    await place.api.remove(job, 'a');
    await place.resync();
    expect(await jobs()).toHaveLength(1);
  });
});

test('a Job that its controllers run and delete runs only once', { timeout: 30_000 }, async () => {
  await create({ ttl: 1 });
  const [first] = await jobs();
  engine.cluster.controllers.resume();
  await engine.cluster.controllers.settled();
  await place.resync();
  await expect.poll(jobs, { timeout: 5000 }).toEqual([]);
  await place.resync();
  await place.resync();
  expect(await jobs()).toEqual([]);
  expect(first).toBeDefined();
});
