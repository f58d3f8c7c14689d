import { expect } from 'vitest';
import { statefulSet } from '../../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../../shared/kinds/child-types/core.ts';
import { database } from '../../../systems/database.ts';
import { controllerOf } from '../api.ts';
import { configMap } from '../built-in-kinds.ts';
import {
  base64,
  databaseOf,
  dataOf,
  newDatabase,
  ownLabels,
  passwordOf,
  restored,
  secretName,
  startedDatabase,
} from '../databases.ts';
import { eventually } from '../eventually.ts';
import { expectHealed, expectLost, restore } from '../lost-credentials.ts';
import type { Place, Scenarios } from '../place.ts';
import { condition, hold, isReady, letGo } from '../resources.ts';

async function nextSecond(): Promise<void> {
  const begun = Math.floor(Date.now() / 1000);
  await eventually(() => expect(Math.floor(Date.now() / 1000)).toBeGreaterThan(begun));
}

/** Removes the password, expects it not to be generated again, and restores it. */
async function expectNotMadeAnew(place: Place, password: '' | null): Promise<void> {
  const before = await startedDatabase(place);
  const set = await place.api.get(statefulSet, 'shop');
  await place.api.patch(secret, secretName, { data: { password } });
  const { failures } = await place.resync();
  expect(failures).toMatchObject([{ reason: 'CredentialsLost' }]);
  expect(passwordOf(await place.api.get(secret, secretName))).toBe('');
  await place.api.patch(secret, secretName, { data: { password: passwordOf(before) } });
  await expectHealed(place, passwordOf(before));
  expect((await place.api.get(statefulSet, 'shop')).metadata.uid).toBe(set.metadata.uid);
}

/** D-4: a password is generated once, and has to be restored by hand if it is lost. */
export const credentials: Scenarios = {
  async 'D-4 without the Secret the StatefulSet and the password are unchanged'(place) {
    const before = await startedDatabase(place);
    const set = await place.api.get(statefulSet, 'shop');
    await place.api.remove(secret, secretName);
    await expectLost(place, 'StatefulSet shop');
    expect(await place.api.find(secret, secretName)).toBeUndefined();
    expect((await place.api.get(statefulSet, 'shop')).metadata).toMatchObject({
      uid: set.metadata.uid,
      generation: set.metadata.generation,
    });
    await place.api.patch(service, 'shop', { spec: { selector: { app: 'stolen' } } });
    expect((await place.resync()).outcomes).toMatchObject({ updated: 1 });
    await restore(place, passwordOf(before));
    await expectHealed(place, passwordOf(before));
    expect((await place.api.get(statefulSet, 'shop')).metadata.uid).toBe(set.metadata.uid);
  },

  async 'D-4 a Secret lost again is reported again'(place) {
    const before = await startedDatabase(place);
    await nextSecond();
    for (const times of [1, 2]) {
      await place.api.remove(secret, secretName);
      await place.resync();
      expect(await place.events('shop', 'CredentialsLost')).toHaveLength(times);
      await restore(place, passwordOf(before));
      await expectHealed(place, passwordOf(before));
      // Reports of the same state within one second would be the same Event.
      await nextSecond();
    }
  },

  async 'D-4 a restored Secret keeps its password, its other keys are repaired'(place) {
    const before = await startedDatabase(place);
    await place.api.remove(secret, secretName);
    await place.resync();
    const password = passwordOf(before);
    const wrong = { password, username: base64('root'), database: base64('other') };
    await place.api.create(secret, secretName, restored(wrong));
    expect((await place.resync()).outcomes).toMatchObject({ updated: 1, created: 0, blocked: 0 });
    await expectHealed(place, password);
  },

  async 'D-4 a restored Secret without our labels is foreign until it carries them'(place) {
    const before = await startedDatabase(place);
    await place.api.remove(secret, secretName);
    await place.resync();
    const password = passwordOf(before);
    await place.api.create(secret, secretName, restored({ password }, {}));
    const { failures } = await place.resync();
    expect(failures).toMatchObject([{ reason: 'ErrResourceExists' }]);
    expect(condition(await databaseOf(place), 'Stalled')?.message).toBe(
      `Resource "${secretName}" already exists and is not managed by Database; it is a Secret`,
    );
    expect(dataOf(await place.api.get(secret, secretName))).toEqual({ password });
    await place.api.patch(secret, secretName, { metadata: { labels: ownLabels } });
    await expectHealed(place, password);
  },

  async 'D-4 a restored Secret that another object controls is never touched'(place) {
    const before = await startedDatabase(place);
    await place.api.remove(secret, secretName);
    const owner = await place.api.create(configMap, 'owner', {});
    const metadata = { labels: ownLabels, ownerReferences: [controllerOf(owner)] };
    const theirs = restored({ password: passwordOf(before) }, metadata);
    const { metadata: created } = await place.api.create(secret, secretName, theirs);
    await place.resync();
    expect((await place.resync()).failures).toMatchObject([{ reason: 'ErrResourceExists' }]);
    expect((await place.api.get(secret, secretName)).metadata.resourceVersion).toBe(
      created.resourceVersion,
    );
  },

  async 'D-4 a Secret without a password counts as lost'(place) {
    const before = await startedDatabase(place);
    await place.api.remove(secret, secretName);
    await place.api.create(secret, secretName, restored({ username: base64('admin') }));
    await expectLost(place, 'StatefulSet shop');
    await place.api.patch(secret, secretName, { data: { password: passwordOf(before) } });
    await expectHealed(place, passwordOf(before));
  },

  async 'D-4 a password removed from our own Secret is not generated again'(place) {
    await expectNotMadeAnew(place, null);
  },

  async 'D-4 a password emptied in our own Secret is not generated again'(place) {
    await expectNotMadeAnew(place, '');
  },

  async 'D-4 C-13 a Secret being deleted is waited for, then reported as lost'(place) {
    const before = await startedDatabase(place);
    await place.api.patch(secret, secretName, hold);
    await place.converge();
    await place.api.remove(secret, secretName);
    expect((await place.resync()).failures).toEqual([]);
    expect(condition(await databaseOf(place), 'Reconciling')?.reason).toBe('ChildDeleting');
    await place.api.patch(secret, secretName, letGo);
    await place.gone(secret, secretName);
    await expectLost(place, 'StatefulSet shop');
    await restore(place, passwordOf(before));
    await expectHealed(place, passwordOf(before));
  },

  async 'D-4 only one of many concurrent runs generates the password, and all keep it'(place) {
    await newDatabase(place);
    await Promise.all([1, 2, 3, 4].map(() => place.resync()));
    const password = passwordOf(await place.api.get(secret, secretName));
    await expectHealed(place, password);
    expect(await isReady(place, database, 'shop')).toBe(true);
    expect(Buffer.from(password, 'base64').toString()).toMatch(/^[\x21-\x7e]{24,}$/);
    expect(place.complaints()).toEqual([]);
  },
};
