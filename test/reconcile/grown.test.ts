import { beforeEach, describe, expect, test } from 'vitest';
import { child, defineKind, persistentVolumeClaim, Type } from '../../index.ts';
import { isWriteRequest, type Place } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

const disk = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Disk',
  plural: 'disks',
  owns: [persistentVolumeClaim],
  spec: Type.Object({ size: Type.String(), tier: Type.String({ default: 'one' }) }),
  samples: [{ name: 'disk', spec: { size: '1Gi' } }],
  children: ({ name, spec: { size, tier } }) => [
    child(persistentVolumeClaim, {
      name,
      labels: { tier },
      body: {
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: 'standard',
          resources: { requests: { storage: size } },
        },
      },
    }),
  ],
});

const engine = useEngine({ controllers: 'paused', install: [disk] });
const place: Place = usePlace(engine, [disk]);

const claim = () => place.api.get(persistentVolumeClaim, 'a');
const sizeOf = async () => (await claim()).spec;
const requested = (storage: string) => ({ resources: { requests: { storage } } });
const writes = () => place.requests().filter(isWriteRequest).length;
const bind = (storage: string) =>
  place.api.patch(
    persistentVolumeClaim,
    'a',
    { status: { phase: 'Bound', capacity: { storage } } },
    { subresource: 'status' },
  );
const want = (spec: object) => place.api.patch(disk, 'a', { spec });
const ready = async () =>
  (await place.api.get(disk, 'a')).status?.conditions?.find(({ type }) => type === 'Ready');

beforeEach(async () => {
  await place.api.create(disk, 'a', { spec: { size: '1Gi' } });
  await place.resync();
  await bind('1Gi');
  await place.resync();
});

describe('a bound claim that has grown beyond its desired size', () => {
  beforeEach(async () => {
    await place.api.patch(persistentVolumeClaim, 'a', { spec: requested('3Gi') });
    await bind('3Gi');
  });

  test('is up to date, and nothing is written', async () => {
    const { resourceVersion } = (await claim()).metadata;
    expect((await place.resync()).failures).toEqual([]);
    expect((await claim()).metadata.resourceVersion).toBe(resourceVersion);
    expect(await sizeOf()).toMatchObject(requested('3Gi'));
    expect(await ready()).toMatchObject({ status: 'True' });
    const begun = writes();
    await place.resync();
    expect(writes()).toBe(begun);
  });

  test('gets changes of other fields', async () => {
    await want({ tier: 'two' });
    expect((await place.resync()).failures).toEqual([]);
    expect((await claim()).metadata.labels).toMatchObject({ tier: 'two' });
    expect(await sizeOf()).toMatchObject(requested('3Gi'));
  });

  test('grows further if a larger size is desired', async () => {
    await place.resync();
    await want({ size: '4Gi' });
    expect((await place.resync()).failures).toEqual([]);
    expect(await sizeOf()).toMatchObject(requested('4Gi'));
  });
});

test('a bound claim keeps its size if a smaller one is desired, and its other fields change', async () => {
  await want({ size: '512Mi', tier: 'two' });
  expect((await place.resync()).failures).toEqual([]);
  expect(await sizeOf()).toMatchObject(requested('1Gi'));
  expect((await claim()).metadata.labels).toMatchObject({ tier: 'two' });
  expect(await ready()).toMatchObject({ status: 'True' });
});

test('a claim that others make smaller grows again', async () => {
  await want({ size: '3Gi' });
  await place.resync();
  await place.api.patch(persistentVolumeClaim, 'a', { spec: requested('2Gi') });
  await place.resync();
  expect(await sizeOf()).toMatchObject(requested('3Gi'));
});
