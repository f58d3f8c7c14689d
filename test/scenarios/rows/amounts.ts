import { expect } from 'vitest';
import { statefulSet } from '../../../shared/kinds/child-types/apps.ts';
import { database } from '../../../systems/database.ts';
import { editDatabase, newDatabase, startedDatabase } from '../databases.ts';
import type { Scenarios } from '../place.ts';
import { expectRest } from '../rest.ts';

/** D-2: amounts are compared by value, not by spelling. */
export const amounts: Scenarios = {
  async 'D-2 amounts that the server normalizes, and its defaults, are not drift'(place) {
    const resources = {
      requests: { cpu: '0.5', memory: '1024Mi' },
      limits: { cpu: 2, memory: '2048Mi' },
    };
    await startedDatabase(place, { spec: { storage: { size: '10240Mi' }, resources } });
    expect((await place.api.get(statefulSet, 'shop')).spec).toMatchObject({
      template: {
        spec: {
          containers: [
            {
              resources: {
                requests: { cpu: '500m', memory: '1Gi' },
                limits: { cpu: '2', memory: '2Gi' },
              },
            },
          ],
        },
      },
    });
    await expectRest(place);
    await editDatabase(place, { resources: { requests: { cpu: '500m', memory: '1Gi' } } });
    await place.converge();
    await expectRest(place);
    await editDatabase(place, { resources: null });
    await place.converge();
    expect(JSON.stringify((await place.api.get(statefulSet, 'shop')).spec)).not.toContain('500m');
    await expectRest(place);
  },

  async 'D-2 an amount in any spelling is written once'(place) {
    const cpus = ['.5', '1.', '+1', '1e0', '1000m', '0.0015', '100n', 2, '0'];
    const memories = ['1e9', '1E9', '0.5Gi', '1.5Mi', '100M', '123456Ki', '1234567890123m', '0Gi'];
    const requests = { cpu: '0', memory: '0' };
    const all = [...cpus.map((cpu) => ({ cpu })), ...memories.map((memory) => ({ memory })), {}];
    for (const [at, limits] of all.entries())
      await newDatabase(place, { name: `shop-${at}`, spec: { resources: { requests, limits } } });
    await place.converge();
    for (const { status } of await place.api.list(database))
      expect(status).toMatchObject({ phase: 'Ready' });
    const versions = await place.versions();
    await place.resync();
    expect(await place.versions()).toEqual(versions);
  },

  async 'D-2 resources without an amount are written once'(place) {
    await startedDatabase(place);
    for (const resources of [{}, { limits: {} }, { requests: {}, limits: {} }]) {
      await editDatabase(place, { resources: null });
      await editDatabase(place, { resources });
      await place.converge();
      await expectRest(place);
    }
  },
};
