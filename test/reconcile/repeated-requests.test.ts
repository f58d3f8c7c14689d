import { expect, test } from 'vitest';
import { configMap } from '../../shared/kinds/child-types/core.ts';
import { condition } from '../scenarios/resources.ts';
import { box } from '../support/box.ts';
import { engineUser, isWriteRequest, type Place } from './engine.ts';
import { useEngine } from './use-engine.ts';

const engine = useEngine({ controllers: 'paused', install: [box] });

/** Counts the requests that would write a ConfigMap. */
const patchesOf = (place: Place, name: string): number =>
  place.requests().filter((one) => isWriteRequest(one) && one.name === name).length;

test('C-4 a foreign object causes no write in later runs, and is replaced once it is deleted', async () => {
  const place = await engine.place([box]);
  await place.api.create(configMap, 'map', { data: { of: 'another' } });
  await place.api.create(box, 'box', { spec: { maps: ['map'] } });
  await place.resync();
  const met = patchesOf(place, 'map');
  expect(met).toBe(1);
  for (let run = 0; run < 3; run++) await place.resync();
  expect(patchesOf(place, 'map')).toBe(met);
  const live = await place.api.get(box, 'box');
  expect(condition(live, 'Stalled')?.reason).toBe('ErrResourceExists');
  await place.api.remove(configMap, 'map');
  await place.resync();
  expect((await place.api.get(configMap, 'map')).data).toEqual({ of: 'box' });
});

test('a refused write is sent once in a run, even if a sibling meets conflicts', async () => {
  const place = await engine.place([box]);
  await place.api.create(box, 'box', { spec: { maps: ['map'] } });
  await place.resync();
  // Each conflict of the Deployment makes the run plan the resource again.
  await place.api.create(box, 'other', { spec: { maps: ['No_Name', 'other-map'] } });
  const { namespace } = place;
  engine.cluster.faults.add({
    user: engineUser,
    namespace,
    verb: 'patch',
    resource: 'deployments',
    name: 'other',
    nth: 1,
    times: 3,
    effect: { kind: 'status', code: 409 },
  });
  await place.resync();
  expect(patchesOf(place, 'No_Name')).toBe(1);
  expect(patchesOf(place, 'other')).toBeGreaterThan(3);
});
