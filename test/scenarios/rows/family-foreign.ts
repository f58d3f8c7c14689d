import { expect } from 'vitest';
import { type Family, families, type Member, newHead } from '../families.ts';
import type { Place, Scenarios } from '../place.ts';
import { condition, hold, isReady, letGo } from '../resources.ts';

/**
 * Replaces a child by a foreign object, which must be reported and not changed while the other children
 * proceed.
 */
async function playForeign(place: Place, { kind, members }: Family, member: Member) {
  const { type, name, withholds = [] } = member;
  const before = await place.api.get(type, name);
  const { outcomes, failures } = await place.resync();
  const withheld = members.filter((one) => withholds.includes(one.type.kind));
  expect(outcomes).toMatchObject({ blocked: 1, skipped: withheld.length, failed: 0 });
  expect(failures).toMatchObject([{ reason: 'ErrResourceExists' }]);
  // The children that wait for the foreign object may follow.
  const message = expect.stringContaining(
    `Resource "${name}" already exists and is not managed by ${kind.kind}; it is a ${type.kind}`,
  );
  const live = await place.api.get(kind, 'shop');
  expect(condition(live, 'Stalled')).toMatchObject({ reason: 'ErrResourceExists', message });
  expect(await place.events('shop')).toMatchObject([
    { type: 'Warning', reason: 'ErrResourceExists', message },
  ]);
  for (const one of members) {
    const found = await place.api.find(one.type, one.name);
    expect([one.name, found !== undefined]).toEqual([one.name, !withheld.includes(one)]);
  }
  const written = members.filter((one) => one !== member && !withheld.includes(one));
  expect(live.status?.children).toMatchObject(written.map((one) => ({ name: one.name })));
  // Controllers may still post Events about the other children.
  const { length } = await place.writes();
  await place.resync();
  const since = (await place.writes()).slice(length);
  expect(since.filter(({ resource }) => !resource.endsWith('/status'))).toEqual([]);
  const after = await place.api.get(type, name);
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect({ spec: after.spec, data: after.data }).toEqual({ spec: before.spec, data: before.data });
  await place.api.remove(type, name);
  await place.gone(type, name);
  await place.converge();
  expect(await isReady(place, kind, 'shop')).toBe(true);
}

const foreignTo = (family: Family, member: Member): Scenarios => {
  const { kind, one } = family;
  const { type, foreign, name } = member;
  return {
    async [`C-6 a foreign ${type.kind} with the name of a child of ${one} is reported, and recovers`](
      place,
    ) {
      await place.api.create(type, name, foreign);
      await newHead(place, family);
      await playForeign(place, family, member);
    },

    async [`C-6 a ${type.kind} taken from ${one} by its owner reference is left alone`](place) {
      await newHead(place, family);
      await place.converge();
      const metadata = { ownerReferences: null, labels: { 'app.kubernetes.io/instance': 'other' } };
      await place.api.patch(type, name, { metadata });
      await place.api.patch(type, name, member.edit, member.how);
      const before = await place.api.get(type, name);
      const { failures } = await place.resync();
      expect(failures).toMatchObject([{ reason: 'ErrResourceExists' }]);
      const after = await place.api.get(type, name);
      expect({ spec: after.spec, data: after.data, labels: after.metadata.labels }).toEqual({
        spec: before.spec,
        data: before.data,
        labels: before.metadata.labels,
      });
    },

    async [`C-13 a ${type.kind} of ${one} that lingers while it is deleted is left alone`](place) {
      await newHead(place, family);
      await place.converge();
      await place.api.patch(type, name, hold);
      await place.converge();
      await place.api.remove(type, name);
      await place.api.patch(type, name, member.edit, member.how);
      const writes = await place.writes(type.plural);
      expect(await place.resync()).toMatchObject({ outcomes: { created: 0 }, failures: [] });
      const live = await place.api.get(kind, 'shop');
      expect(condition(live, 'Reconciling')).toMatchObject({
        reason: 'ChildDeleting',
        message: expect.stringContaining(`${type.kind} ${name} is being deleted`),
      });
      await place.resync();
      expect(await place.writes(type.plural)).toEqual(writes);
      await place.api.patch(type, name, letGo);
      await place.gone(type, name);
      await place.converge();
      expect(await isReady(place, kind, 'shop')).toBe(member.once !== true);
    },
  };
};

/** C-6 and C-13 for each child of an Application and of a Database. */
export const familyStrangers: Scenarios = Object.assign(
  {},
  ...families.flatMap((family) => family.members.map((member) => foreignTo(family, member))),
);
