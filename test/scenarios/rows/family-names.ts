import { expect } from 'vitest';
import { deployment, statefulSet } from '../../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../../shared/kinds/child-types/core.ts';
import type { JsonObject } from '../../../shared/kubernetes.ts';
import { application } from '../../../systems/application.ts';
import { database } from '../../../systems/database.ts';
import { child, newApplication, startedApplication } from '../applications.ts';
import { base64, dataOf, newDatabase, secretName, startedDatabase } from '../databases.ts';
import { eventually } from '../eventually.ts';
import type { Scenarios } from '../place.ts';
import { condition, foreignDeployment, isReady, newSite, replicasOf } from '../resources.ts';

const legal = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** C-11, C-12 and audit events for Applications and Databases. */
export const familyNames: Scenarios = {
  async 'C-12 Databases with names that are illegal for a Service get all their children'(place) {
    const given = ['a.b', 'a-b', '1db', 'shop', `${'x'.repeat(50)}.y`, 'x'.repeat(52)];
    for (const name of given) await newDatabase(place, { name });
    await place.converge();
    for (const name of given)
      expect([name, await isReady(place, database, name)]).toEqual([name, true]);
    const services = await place.api.list(service);
    for (const { metadata } of services) expect(metadata.name).toMatch(legal);
    for (const type of [secret, statefulSet, service]) {
      const selectors = (await place.api.list(type)).map(({ spec, metadata }) =>
        JSON.stringify(spec?.selector ?? metadata.name),
      );
      expect(new Set(selectors).size).toBe(given.length);
    }
    const endpoints = (await place.api.list(database)).map(({ status }) => status?.endpoint);
    expect(endpoints.toSorted()).toEqual(
      services
        .map(({ metadata }) => `${metadata.name}.${place.namespace}.svc.cluster.local:5432`)
        .toSorted(),
    );
    expect((await place.resync()).resources).toMatchObject({ reconciled: 0 });
  },

  async 'C-12 an Application and a Database of the same name do not share children or pods'(place) {
    await newApplication(place);
    await startedDatabase(place);
    expect(await isReady(place, application, 'shop')).toBe(true);
    const selectors = (await place.api.list(service)).map(({ spec }) =>
      JSON.stringify(spec?.selector),
    );
    expect(new Set(selectors).size).toBe(2);
  },

  async 'C-6 the first of a Website and a Database with the same name keeps the Service'(place) {
    await newSite(place, 'shop');
    await place.converge();
    await newDatabase(place);
    await place.resync();
    const live = await place.api.get(database, 'shop');
    expect(condition(live, 'Stalled')).toMatchObject({
      reason: 'ErrResourceExists',
      message: 'Resource "shop" already exists and is not managed by Database; it is a Service',
    });
    expect(live.status).toMatchObject({ phase: 'Failed', ready: false });
    expect(await place.api.find(statefulSet, 'shop')).toBeDefined();
    const versions = await place.versions();
    await place.converge();
    expect((await place.versions())['Service shop']).toBe(versions['Service shop']);
  },

  async 'C-11 failing Applications and Databases neither delay nor affect healthy ones'(place) {
    await place.api.create(deployment, child.deployment, foreignDeployment());
    await newApplication(place);
    const resources: JsonObject = { requests: { cpu: '2' }, limits: { cpu: '1' } };
    await newDatabase(place, { name: 'refused', spec: { resources } });
    await newApplication(place, 'good');
    await newDatabase(place, { name: 'good' });
    const { failures } = await place.resync();
    const reasons = failures.map(({ reason }) => reason);
    expect(reasons.toSorted()).toEqual(['ErrResourceExists', 'Invalid']);
    await place.converge();
    for (const kind of [application, database])
      expect(await isReady(place, kind, 'good')).toBe(true);
  },

  async 'A-1 audit: a Deployment scaled by hand is scaled back, its Secret and Service are recreated'(
    place,
  ) {
    await startedApplication(place);
    await place.caughtUp();
    place.listen();
    await place.api.scale(deployment, child.deployment, 5);
    await eventually(async () => expect(await replicasOf(place, child.deployment)).toBe(1));
    for (const [type, name] of [
      [secret, child.secret],
      [service, child.service],
    ] as const) {
      await place.api.remove(type, name);
      await eventually(() => place.api.get(type, name));
    }
    await place.caughtUp();
    expect(place.complaints()).toEqual([]);
  },

  async 'D-9 audit: StatefulSet, Service and the Secret’s keys are restored'(place) {
    const { metadata } = await startedDatabase(place);
    await place.caughtUp();
    place.listen();
    for (const type of [statefulSet, service]) {
      const { uid } = (await place.api.get(type, 'shop')).metadata;
      await place.api.remove(type, 'shop');
      await eventually(async () => {
        expect((await place.api.get(type, 'shop')).metadata.uid).not.toBe(uid);
      });
    }
    await place.api.patch(secret, secretName, { data: { database: null } });
    await eventually(async () => {
      const live = await place.api.get(secret, secretName);
      expect(live.metadata.uid).toBe(metadata.uid);
      expect(dataOf(live).database).toBe(base64('mydb'));
    });
    await eventually(async () => expect(await isReady(place, database, 'shop')).toBe(true));
    await place.caughtUp();
    expect(place.complaints()).toEqual([]);
  },
};
