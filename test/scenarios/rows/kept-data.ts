import { expect } from 'vitest';
import { statefulSet } from '../../../shared/kinds/child-types/apps.ts';
import { persistentVolumeClaim, secret, service } from '../../../shared/kinds/child-types/core.ts';
import { database } from '../../../systems/database.ts';
import {
  claimName,
  databaseOf,
  dropToClaim,
  newDatabase,
  newVolume,
  passwordOf,
  secretName,
  startedDatabase,
} from '../databases.ts';
import { expectHealed, expectLost, restore } from '../lost-credentials.ts';
import type { Scenarios } from '../place.ts';
import { condition } from '../resources.ts';

/** D-4: no password is generated for data that was initialized with another one. */
export const keptData: Scenarios = {
  async 'D-4 no password is generated over a kept claim until that is deleted as well'(place) {
    const before = await startedDatabase(place);
    const claim = await dropToClaim(place);
    await expectLost(place, `PersistentVolumeClaim ${claimName}`);
    expect(await place.api.find(secret, secretName)).toBeUndefined();
    expect(await place.api.find(statefulSet, 'shop')).toBeUndefined();
    expect(await place.api.get(persistentVolumeClaim, claimName)).toMatchObject({
      metadata: { uid: claim.metadata.uid },
    });
    await place.api.remove(persistentVolumeClaim, claimName);
    await place.gone(persistentVolumeClaim, claimName);
    await newVolume(place, claimName);
    await place.converge();
    const password = passwordOf(await place.api.get(secret, secretName));
    expect(password).not.toBe(passwordOf(before));
    await expectHealed(place, password);
  },

  async 'D-4 a Database recreated over kept data is reported, and recovered by its old Secret'(
    place,
  ) {
    const before = await startedDatabase(place);
    await place.api.remove(database, 'shop');
    for (const [type, name] of [
      [secret, secretName],
      [statefulSet, 'shop'],
      [service, 'shop'],
    ] as const)
      await place.gone(type, name);
    const claim = await place.api.get(persistentVolumeClaim, claimName);
    await newDatabase(place, { pods: 0 });
    await expectLost(place, `PersistentVolumeClaim ${claimName}`);
    expect(await place.api.find(statefulSet, 'shop')).toBeUndefined();
    expect(await place.api.find(service, 'shop')).toBeDefined();
    await restore(place, passwordOf(before));
    await expectHealed(place, passwordOf(before));
    const after = await place.api.get(persistentVolumeClaim, claimName);
    expect(after.metadata.uid).toBe(claim.metadata.uid);
  },

  async 'D-4 a recreated Database waits for the StatefulSet of the former one'(place) {
    const before = await startedDatabase(place);
    await place.api.remove(database, 'shop', 'Orphan');
    await place.gone(database, 'shop');
    await place.api.remove(secret, secretName);
    await newDatabase(place, { pods: 0 });
    await place.resync();
    expect(await place.api.find(secret, secretName)).toBeUndefined();
    expect(condition(await databaseOf(place), 'Stalled')).toBeDefined();
    await place.api.remove(statefulSet, 'shop');
    await place.gone(statefulSet, 'shop');
    await place.api.remove(service, 'shop');
    await expectLost(place, `PersistentVolumeClaim ${claimName}`);
    await restore(place, passwordOf(before));
    await expectHealed(place, passwordOf(before));
  },
};
