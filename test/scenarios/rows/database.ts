import { expect } from 'vitest';
import { statefulSet } from '../../../shared/kinds/child-types/apps.ts';
import { persistentVolumeClaim, secret, service } from '../../../shared/kinds/child-types/core.ts';
import type { JsonObject } from '../../../shared/kubernetes.ts';
import { database } from '../../../systems/database.ts';
import { type Live, refusalOf } from '../api.ts';
import {
  base64,
  claimName,
  databaseOf,
  databaseSpec,
  dataOf,
  editDatabase,
  newDatabase,
  newVolume,
  secretName,
  startedDatabase,
} from '../databases.ts';
import type { Place, Scenarios } from '../place.ts';
import { isReady } from '../resources.ts';
import { expectRest } from '../rest.ts';

const imageOf = ({ spec }: Live): string | undefined =>
  (spec as { template: { spec: { containers: readonly { image: string }[] } } }).template.spec
    .containers[0]?.image;

const setOf = (place: Place): Promise<Live> => place.api.get(statefulSet, 'shop');

/** D-1, D-2, D-5, D-8 and D-9; phases.ts has the status. */
export const databases: Scenarios = {
  async 'D-1 repeated runs: one StatefulSet, one password, no write'(place) {
    const before = await startedDatabase(place);
    const { metadata } = await setOf(place);
    for (let time = 0; time < 3; time++) {
      await place.api.apply(database, 'shop', { spec: databaseSpec() }, 'kubectl');
      await expectRest(place);
    }
    expect(await place.api.list(statefulSet)).toMatchObject([{ metadata: { uid: metadata.uid } }]);
    expect(await place.api.get(secret, secretName)).toEqual(before);
  },

  async 'D-2 image and replicas are applied, alone and together, and nothing else changes'(place) {
    const credentials = await startedDatabase(place, { pods: 3 });
    const { metadata } = await setOf(place);
    const port = await place.api.get(service, 'shop');
    for (const spec of [
      { image: 'postgres:15' },
      { replicas: 2 },
      { image: 'registry.example.com/postgres:16', replicas: 3 },
      { replicas: 1 },
    ]) {
      await editDatabase(place, spec);
      expect((await place.resync()).outcomes).toMatchObject({ updated: 1, created: 0 });
      await place.converge();
      const desired = (await databaseOf(place)).spec ?? {};
      const live = await setOf(place);
      expect({ image: imageOf(live), replicas: live.spec?.replicas }).toEqual({
        image: desired.image,
        replicas: desired.replicas,
      });
      await expectRest(place);
    }
    expect((await setOf(place)).metadata.uid).toBe(metadata.uid);
    expect(await place.api.get(secret, secretName)).toEqual(credentials);
    expect(await place.api.get(service, 'shop')).toEqual(port);
    expect(await place.events('shop')).toEqual([]);
  },

  async 'D-2 a Database scaled by its scale subresource changes replicas, and counts its servers'(
    place,
  ) {
    await startedDatabase(place, { pods: 2 });
    await place.api.scale(database, 'shop', 2);
    await place.converge();
    expect((await setOf(place)).spec?.replicas).toBe(2);
    expect((await databaseOf(place)).status).toMatchObject({ readyReplicas: 2 });
  },

  async 'D-5 username and database edited in the Secret are restored, the password is left alone'(
    place,
  ) {
    await startedDatabase(place);
    const set = await setOf(place);
    const password = base64('rotated by hand');
    const data = { username: base64('root'), database: null, password, more: base64('theirs') };
    await place.api.patch(secret, secretName, { data });
    expect((await place.resync()).outcomes).toMatchObject({ updated: 1 });
    await place.converge();
    expect(dataOf(await place.api.get(secret, secretName))).toEqual({
      username: base64('admin'),
      database: base64('mydb'),
      password,
      more: base64('theirs'),
    });
    expect((await setOf(place)).metadata.generation).toBe(set.metadata.generation);
    await expectRest(place);
  },

  async 'D-8 patches to 3, 4 and 5 in quick succession end at 5'(place) {
    await startedDatabase(place, { pods: 5 });
    const { uid } = (await setOf(place)).metadata;
    const runs: Promise<unknown>[] = [];
    for (const replicas of [3, 4, 5]) {
      runs.push(place.resync());
      await editDatabase(place, { replicas });
      runs.push(place.resync());
    }
    await Promise.all(runs);
    await place.converge();
    const live = await setOf(place);
    expect(live).toMatchObject({ metadata: { uid }, spec: { replicas: 5 } });
    expect(live.status).toMatchObject({ readyReplicas: 5 });
    expect(await isReady(place, database, 'shop')).toBe(true);
    expect(place.complaints()).toEqual([]);
  },

  async 'D-9 deleting the Database deletes the three children, not the data'(place) {
    await startedDatabase(place);
    const claim = await place.api.get(persistentVolumeClaim, claimName);
    const writes = await place.writes();
    await place.api.remove(database, 'shop');
    await place.resync();
    await place.gone(secret, secretName);
    await place.gone(statefulSet, 'shop');
    await place.gone(service, 'shop');
    expect(await place.writes()).toEqual(writes);
    const { metadata } = await place.api.get(persistentVolumeClaim, claimName);
    expect(metadata.uid).toBe(claim.metadata.uid);
    expect(metadata.deletionTimestamp).toBeUndefined();
  },

  async 'D-9 a StatefulSet deleted by hand is recreated over the same claim'(place) {
    const credentials = await startedDatabase(place);
    const [set, claim] = [
      await setOf(place),
      await place.api.get(persistentVolumeClaim, claimName),
    ];
    for (const how of ['Background', 'Foreground', 'Orphan'] as const) {
      const { uid } = (await setOf(place)).metadata;
      await place.api.remove(statefulSet, 'shop', how);
      await place.converge();
      expect((await setOf(place)).metadata.uid).not.toBe(uid);
    }
    expect((await setOf(place)).spec).toEqual(set.spec);
    const after = await place.api.get(persistentVolumeClaim, claimName);
    expect(after.metadata.uid).toBe(claim.metadata.uid);
    expect(await place.api.get(secret, secretName)).toEqual(credentials);
    expect(await place.writes('persistentvolumeclaims')).toEqual([]);
    expect(await isReady(place, database, 'shop')).toBe(true);
  },

  async 'D-2 a change of an immutable field is refused by the server, naming the field'(place) {
    await startedDatabase(place);
    const before = await databaseOf(place);
    const refused: readonly (readonly [string, JsonObject])[] = [
      ['spec.image', { image: 'mysql:8' }],
      ['spec.replicas', { replicas: 0 }],
      ['spec.replicas', { replicas: 11 }],
      ['spec.storage.size', { storage: { size: '20Gi' } }],
      ['spec.storage.size', { storage: { size: '10G' } }],
      ['spec.storage', { storage: { storageClass: 'fast' } }],
      ['spec.databaseName', { databaseName: 'other' }],
      ['spec.username', { username: 'root' }],
      ['spec.resources', { resources: { limits: { cpu: 'much' } } }],
    ];
    for (const [field, spec] of refused) {
      const { code, message } = await refusalOf(editDatabase(place, spec));
      expect(code).toBe(422);
      expect(message).toContain(field);
    }
    const { message } = await refusalOf(newDatabase(place, { name: 'x'.repeat(53), pods: 0 }));
    expect(message).toContain('metadata.name must have at most 52 characters');
    expect(await databaseOf(place)).toEqual(before);
    await expectRest(place);
  },

  async 'D-2 the volume claim has the class and size of the Database'(place) {
    await newVolume(place, claimName);
    const storage = { size: '5Gi', storageClass: '' };
    await newDatabase(place, { spec: { storage }, pods: 0 });
    await place.converge();
    const { spec } = await place.api.get(persistentVolumeClaim, claimName);
    expect(spec).toMatchObject({
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      resources: { requests: { storage: '5Gi' } },
    });
    await expectRest(place);
  },
};
