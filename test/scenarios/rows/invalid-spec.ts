import { expect } from 'vitest';
import { deployment, statefulSet } from '../../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../../shared/kinds/child-types/core.ts';
import type { Kind } from '../../../shared/kinds/kind.ts';
import type { JsonObject } from '../../../shared/kubernetes.ts';
import { application } from '../../../systems/application.ts';
import { database } from '../../../systems/database.ts';
import { databaseSpec, newVolume, startedDatabase } from '../databases.ts';
import { eventually } from '../eventually.ts';
import { letIn, loosen, tighten } from '../lax-schema.ts';
import type { Place, Scenarios } from '../place.ts';
import { condition, isReady } from '../resources.ts';

interface Slip {
  readonly spec: JsonObject;
  /** Field that the refusal has to name. */
  readonly field: string;
}

/** Expects each resource to be reported with its field, without children or retries. */
async function expectInvalid(place: Place, kind: Kind, slips: Readonly<Record<string, Slip>>) {
  const specs = Object.entries(slips).map(([name, { spec }]) => [name, spec]);
  await letIn(place, kind, Object.fromEntries(specs));
  const { outcomes } = await place.resync();
  expect(outcomes).toMatchObject({ created: 0, failed: 0 });
  for (const [name, { field }] of Object.entries(slips)) {
    const live = await place.api.get(kind, name);
    const stalled = condition(live, 'Stalled');
    expect([name, stalled?.reason]).toEqual([name, 'InvalidSpec']);
    expect(stalled?.message).toContain(field);
    expect(live.status?.observedGeneration).toBe(live.metadata.generation);
    expect(await place.events(name)).toMatchObject([{ type: 'Warning', reason: 'InvalidSpec' }]);
  }
  const total = Object.keys(slips).length;
  expect((await place.resync()).resources).toEqual({ total, unchanged: total, reconciled: 0 });
  for (const type of [secret, deployment, statefulSet, service])
    expect(await place.api.list(type)).toEqual([]);
}

/** C-9 and D-6 for Applications and Databases. These scenarios change CRDs, so no other runs at the same time. */
export const invalidSpecs: Scenarios = {
  async 'C-9 an Application that an older schema accepted is Stalled InvalidSpec'(place) {
    await expectInvalid(place, application, {
      'too-long': { spec: { version: 'x'.repeat(64) }, field: 'version' },
      'no-label': { spec: { version: 'not a label' }, field: 'version' },
      'no-image': { spec: { image: '' }, field: 'image' },
    });
    await place.api.patch(application, 'too-long', { spec: { version: '1.0.0' } });
    await place.converge();
    expect(await isReady(place, application, 'too-long')).toBe(true);
  },

  async 'C-9 an Application that is older than a field or its default gets its children'(place) {
    await letIn(place, application, { early: {} });
    await place.converge();
    expect(await isReady(place, application, 'early')).toBe(true);
    expect(await place.api.list(deployment)).toHaveLength(1);
  },

  async 'C-9 a Database that an older schema accepted is Stalled InvalidSpec, and Failed'(place) {
    await expectInvalid(place, database, {
      'no-postgres': {
        spec: databaseSpec({ image: 'mysql:8' }),
        field: 'must be a PostgreSQL image',
      },
      'too-many': { spec: databaseSpec({ replicas: 11 }), field: 'replicas' },
      'no-size': { spec: databaseSpec({ storage: { size: '10G' } }), field: 'storage.size' },
    });
    for (const live of await place.api.list(database))
      expect(live.status).toMatchObject({ phase: 'Failed', ready: false });
    await newVolume(place, 'data-no-postgres-0');
    await place.api.patch(database, 'no-postgres', { spec: databaseSpec({ image: 'postgres' }) });
    await place.converge();
    expect(await isReady(place, database, 'no-postgres')).toBe(true);
  },

  async 'C-9 if the server refuses even the status of a Database, Event and report say so'(place) {
    const long = 'x'.repeat(53);
    const given = { databaseName: 'mydb', storage: { size: '1Gi' } };
    await letIn(place, database, { [long]: databaseSpec(), 'no-user': given });
    const { failures } = await place.resync();
    expect(failures).toHaveLength(2);
    await place.resync();
    for (const [name, field] of [
      [long, 'metadata.name must have at most 52 characters'],
      ['no-user', 'username'],
    ] as const) {
      expect(await place.events(name)).toMatchObject([
        { type: 'Warning', reason: 'InvalidSpec', message: expect.stringContaining(field) },
      ]);
      expect(place.complaints().join('\n')).toContain(name);
    }
    for (const type of [secret, statefulSet, service])
      expect(await place.api.list(type)).toEqual([]);
  },

  async 'D-6 storage that grew under a lax schema is reported, and not written'(place) {
    await startedDatabase(place);
    const writes = await place.writes('statefulsets');
    await loosen(place, database);
    const spec = { storage: { size: '20Gi' } };
    await eventually(() => place.api.patch(database, 'shop', { spec }));
    await tighten(place, database);
    const { failures } = await place.resync();
    expect(failures).toMatchObject([
      {
        reason: 'ImmutableFieldChanged',
        message: expect.stringContaining('spec.volumeClaimTemplates'),
      },
    ]);
    await place.api.patch(service, 'shop', { spec: { selector: { app: 'stolen' } } });
    expect((await place.resync()).outcomes).toMatchObject({ updated: 1, blocked: 1 });
    expect(await place.writes('statefulsets')).toEqual(writes);
    expect(await place.refusals('statefulsets')).toEqual([]);
    expect((await place.api.get(database, 'shop')).status).toMatchObject({ phase: 'Failed' });
  },
};
