import { expect } from 'vitest';
import { statefulSet } from '../../../shared/kinds/child-types/apps.ts';
import { service } from '../../../shared/kinds/child-types/core.ts';
import type { JsonObject } from '../../../shared/kubernetes.ts';
import { controllerOf } from '../api.ts';
import { databaseOf, ownLabels, startedDatabase } from '../databases.ts';
import type { Place, Scenarios } from '../place.ts';
import { condition } from '../resources.ts';

interface Other {
  /** Fields of the StatefulSet's spec that differ from ours. */
  readonly spec: JsonObject;
  readonly field: string;
  readonly labels?: JsonObject;
}

/** Replaces our StatefulSet by one that we also own, but that no update can make as desired. */
async function replaceBy(place: Place, { spec, labels = ownLabels }: Other): Promise<void> {
  const owner = controllerOf(await databaseOf(place));
  const live = await place.api.get(statefulSet, 'shop');
  await place.api.remove(statefulSet, 'shop');
  await place.gone(statefulSet, 'shop');
  await place.api.create(statefulSet, 'shop', {
    metadata: { labels, ownerReferences: [owner] },
    spec: { ...live.spec, ...spec },
  });
}

async function play(place: Place, other: Other): Promise<void> {
  await startedDatabase(place);
  const before = await place.writes('statefulsets');
  await replaceBy(place, other);
  await place.api.patch(service, 'shop', { spec: { selector: { app: 'stolen' } } });
  const { outcomes, failures } = await place.resync();
  expect(outcomes).toMatchObject({ updated: 1, blocked: 1, failed: 0 });
  expect(failures).toMatchObject([{ reason: 'ImmutableFieldChanged' }]);
  const live = await databaseOf(place);
  const stalled = condition(live, 'Stalled');
  expect(stalled).toMatchObject({ reason: 'ImmutableFieldChanged' });
  expect(stalled?.message).toContain(other.field);
  expect(stalled?.message).toContain('StatefulSet shop');
  expect(live.status).toMatchObject({ phase: 'Failed', ready: false });
  expect(await place.events('shop', 'ImmutableFieldChanged')).toMatchObject([{ type: 'Warning' }]);
  expect((await place.api.get(service, 'shop')).spec).toMatchObject({
    selector: { app: 'database', database: 'shop' },
  });
  await place.resync();
  expect(await place.writes('statefulsets')).toEqual(before);
  await place.api.remove(statefulSet, 'shop');
  await place.gone(statefulSet, 'shop');
  await place.converge();
  expect((await databaseOf(place)).status).toMatchObject({ phase: 'Ready' });
}

const labels = { app: 'database', database: 'other' };

/** D-6: immutable fields are reported, never tried. */
export const immutable: Scenarios = {
  async 'D-6 a StatefulSet of ours with another serviceName is reported and not written'(place) {
    await play(place, { spec: { serviceName: 'other' }, field: 'spec.serviceName' });
    expect(await place.refusals('statefulsets')).toEqual([]);
  },

  async 'D-6 a StatefulSet of ours with other storage is reported and not written'(place) {
    const resources = { requests: { storage: '1Gi' } };
    const claim = { accessModes: ['ReadWriteOnce'], resources };
    const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: claim }];
    await play(place, { spec: { volumeClaimTemplates }, field: 'spec.volumeClaimTemplates' });
    expect(await place.refusals('statefulsets')).toEqual([]);
  },

  async 'D-6 a StatefulSet of ours with another selector and without labels is reported and not written'(
    place,
  ) {
    const live = {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'postgres', image: 'postgres:14' }] },
      },
      volumeClaimTemplates: [],
    };
    await play(place, { spec: live, field: 'spec.selector', labels: {} });
  },
};
