import { beforeEach, describe, expect, test } from 'vitest';
import { configMap, job } from '../../index.ts';
import { expectConverged, expectReliable } from '../../testing/index.ts';
import { journal } from '../support/keeping-kind.ts';
import { eachCall } from './calls.ts';
import type { Place } from './engine.ts';
import { useEngine } from './use-engine.ts';

describe('a child that is kept', () => {
  const engine = useEngine({ controllers: 'paused', install: [journal] });
  let place: Place;
  beforeEach(async () => {
    place = await engine.place([journal]);
    await place.api.create(journal, 'one', { spec: {} });
    await place.resync();
  });
  const settled = async (): Promise<void> => {
    engine.cluster.controllers.resume();
    await engine.cluster.controllers.settled();
    engine.cluster.controllers.pause();
  };
  const names = async () =>
    [...(await place.api.list(job)), ...(await place.api.list(configMap))]
      .map(({ metadata }) => metadata.name)
      .filter((name) => name !== 'kube-root-ca.crt');
  const data = () => place.api.get(configMap, 'one-data');
  const cleanUp = async (): Promise<void> => {
    await place.resync();
    await settled();
    await place.resync();
    await settled();
  };

  test('stays as it is when its resource goes', async () => {
    const before = await data();
    await place.api.remove(journal, 'one');
    await cleanUp();
    expect(await place.api.find(journal, 'one')).toBeUndefined();
    expect(await names()).toEqual(['one-data']);
    const { metadata, ...content } = await data();
    expect(metadata.ownerReferences).toBeUndefined();
    expect({ ...content, labels: metadata.labels, uid: metadata.uid }).toEqual({
      apiVersion: before.apiVersion,
      kind: before.kind,
      data: before.data,
      labels: before.metadata.labels,
      uid: before.metadata.uid,
    });
  });

  test('stays even if it lost its labels, by which children are listed', async () => {
    await place.api.patch(configMap, 'one-data', { metadata: { labels: null } });
    await place.api.remove(journal, 'one');
    await cleanUp();
    expect(await names()).toEqual(['one-data']);
  });

  test('goes with its resource if the spec says so', async () => {
    await place.api.patch(journal, 'one', { spec: { keep: false } });
    await place.api.remove(journal, 'one');
    await cleanUp();
    expect(await names()).toEqual([]);
  });

  test('belongs to the resource again that is made under the same name', async () => {
    const { uid } = (await data()).metadata;
    await place.api.remove(journal, 'one');
    await cleanUp();
    await place.api.create(journal, 'one', { spec: {} });
    await place.resync();
    const owner = (await place.api.get(journal, 'one')).metadata.uid;
    expect((await data()).metadata).toMatchObject({ uid, ownerReferences: [{ uid: owner }] });
  });

  test('keeps its other owners', async () => {
    const other = await place.api.create(configMap, 'other', { data: {} });
    const reference = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'other',
      uid: other.metadata.uid,
    };
    const { ownerReferences = [] } = (await data()).metadata;
    await place.api.patch(configMap, 'one-data', {
      metadata: { ownerReferences: [reference, ...ownerReferences] },
    });
    await place.api.remove(journal, 'one');
    await cleanUp();
    expect((await data()).metadata.ownerReferences).toEqual([reference]);
  });

  test('stays even if another writer changes it meanwhile', async () => {
    await place.api.remove(journal, 'one');
    let changes = 0;
    await place.resync({
      through: (cluster) =>
        eachCall(cluster, async (what, call) => {
          if (what === 'patch ConfigMap one-data' && changes++ === 0)
            await place.api.patch(configMap, 'one-data', { data: { note: 'new' } });
          return call();
        }),
    });
    await cleanUp();
    expect(changes).toBeGreaterThan(1);
    expect(await names()).toEqual(['one-data']);
    expect((await data()).data).toEqual({ a: 'b', note: 'new' });
  });

  test('is gone if a deletion in the foreground was faster, which the clean-up does not wait for', async () => {
    await place.api.remove(journal, 'one', 'Foreground');
    await settled();
    await cleanUp();
    expect(await place.api.find(journal, 'one')).toBeUndefined();
    expect(await names()).toEqual([]);
  });
});

test('a kind with a kept child obeys the laws of the engine', async () => {
  await expectConverged(journal);
  await expectReliable(journal, { seconds: 1, seed: 1 });
});
