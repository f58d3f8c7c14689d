import { describe, expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { foo } from '../../systems/foo.ts';
import { isWriteRequest, type Place } from './engine.ts';
import { useEngine } from './use-engine.ts';

const engine = useEngine({ controllers: 'paused' });

const readsInARun = 16;
const namesOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `strange-${String(at).padStart(3, '0')}`);

/** Lists these names as children in the status, as anyone who may write statuses can. */
const list = ({ api }: Place, names: readonly string[]) =>
  api.patch(
    foo,
    'f',
    {
      status: {
        children: names.map((name) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name })),
      },
    },
    { subresource: 'status' },
  );

async function settled(): Promise<Place> {
  const place = await engine.place([foo]);
  await place.api.create(foo, 'f', { spec: { deploymentName: 'z' } });
  await place.resync();
  return place;
}

/** Resyncs, and returns the number of names read and the paths written. */
async function resync(place: Place) {
  const from = place.requests().length;
  await place.resync();
  const since = place.requests().slice(from);
  return {
    reads: since.filter(({ verb, resource }) => verb === 'get' && resource === 'deployments')
      .length,
    writes: since
      .filter(isWriteRequest)
      .map(({ verb, resource, subresource }) => [verb, resource, subresource].join(' ').trim()),
  };
}

describe('names that only a status lists', () => {
  test.each([1, readsInARun, readsInARun + 1, 62, 255])(
    '(%i) are each read once, 16 per run, with one status write per run, and then nothing is written',
    async (count) => {
      const place = await settled();
      await list(place, ['z', ...namesOf(count)]);
      for (let left = count; left > 0; left -= readsInARun) {
        const { reads, writes } = await resync(place);
        expect(reads).toBe(Math.min(left, readsInARun));
        expect(writes).toEqual(['patch foos status']);
      }
      expect(await resync(place)).toEqual({ reads: 0, writes: [] });
      const { status } = await place.api.get(foo, 'f');
      expect(status?.children?.map(({ name }) => name)).toEqual(['z']);
    },
  );

  test('hide a former child without labels only until they were read', async () => {
    const place = await settled();
    await place.api.patch(foo, 'f', { spec: { deploymentName: 'new' } });
    await place.api.patch(deployment, 'z', { metadata: { labels: null } });
    const strange = namesOf(62);
    await list(place, [...strange, 'z']);
    expect(await place.api.find(deployment, 'z')).toBeDefined();
    for (let left = strange.length + 1; left > 0; left -= readsInARun) await resync(place);
    expect(await place.api.find(deployment, 'z')).toBeUndefined();
    expect((await resync(place)).writes).toEqual([]);
  });
});
