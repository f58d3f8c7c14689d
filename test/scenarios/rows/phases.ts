import { expect } from 'vitest';
import { secret, service } from '../../../shared/kinds/child-types/core.ts';
import {
  base64,
  databaseOf,
  editDatabase,
  newDatabase,
  ownLabels,
  restored,
  secretName,
} from '../databases.ts';
import type { Scenarios } from '../place.ts';
import { condition, hold, letGo } from '../resources.ts';

/** D-7: the status of a Database over time. */
export const phases: Scenarios = {
  async 'D-7 Creating, then Ready with its endpoint, and Creating again while it rolls'(place) {
    await newDatabase(place, { pods: 2 });
    await place.resync();
    const common = { secretName, ready: false };
    expect((await databaseOf(place)).status).toMatchObject({ ...common, phase: 'Creating' });
    expect((await databaseOf(place)).status?.endpoint).toBeUndefined();
    await place.converge();
    const ready = {
      phase: 'Ready',
      ready: true,
      secretName,
      endpoint: `shop.${place.namespace}.svc.cluster.local:5432`,
      observedGeneration: 1,
      children: [
        { apiVersion: 'v1', kind: 'Secret', name: secretName },
        { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'shop' },
        { apiVersion: 'v1', kind: 'Service', name: 'shop' },
      ],
    };
    expect((await databaseOf(place)).status).toMatchObject(ready);
    await editDatabase(place, { replicas: 2 });
    await place.resync();
    const rolling = await databaseOf(place);
    expect(rolling.status).toMatchObject({ ...common, phase: 'Creating' });
    expect(rolling.status?.endpoint).toBeUndefined();
    expect(condition(rolling, 'Ready')).toMatchObject({ status: 'False', reason: 'Progressing' });
    await place.converge();
    expect((await databaseOf(place)).status).toMatchObject({ ...ready, observedGeneration: 2 });
  },

  async 'D-7 Pending while there is no StatefulSet, for a transient reason'(place) {
    const data = { password: base64('of a former life') };
    const metadata = { ...hold.metadata, labels: ownLabels };
    await place.api.create(secret, secretName, restored(data, metadata));
    await place.api.remove(secret, secretName);
    await newDatabase(place);
    await place.resync();
    const live = await databaseOf(place);
    expect(live.status).toMatchObject({ phase: 'Pending', ready: false });
    expect(condition(live, 'Reconciling')?.reason).toBe('ChildDeleting');
    await place.api.patch(secret, secretName, letGo);
    await place.gone(secret, secretName);
    await place.converge();
    expect((await databaseOf(place)).status).toMatchObject({ phase: 'Ready', ready: true });
  },

  async 'D-7 Failed with the reason while a child is refused, and Ready afterwards'(place) {
    const resources = { requests: { cpu: '2' }, limits: { cpu: '1' } };
    await newDatabase(place, { spec: { resources } });
    expect((await place.resync()).failures).toMatchObject([{ reason: 'Invalid' }]);
    const live = await databaseOf(place);
    expect(live.status).toMatchObject({ phase: 'Failed', ready: false });
    expect(condition(live, 'Stalled')).toMatchObject({ reason: 'Invalid' });
    expect(condition(live, 'Stalled')?.message).toContain('resources.requests');
    expect(await place.api.find(service, 'shop')).toBeDefined();
    await editDatabase(place, { resources: { limits: { cpu: '3' } } });
    await place.converge();
    expect((await databaseOf(place)).status).toMatchObject({ phase: 'Ready', ready: true });
  },
};
