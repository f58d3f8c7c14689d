import { expect } from 'vitest';
import { suspendAnnotation } from '../../../shared/kinds/names.ts';
import { apiVersionOf } from '../../../shared/kubernetes.ts';
import type { Live } from '../api.ts';
import { type Family, families, type Member, newHead } from '../families.ts';
import type { Place, Scenarios } from '../place.ts';
import { condition, hold, isReady, letGo } from '../resources.ts';

const liveOf = (place: Place, { type, name }: Member): Promise<Live> => place.api.get(type, name);
const ruin = (place: Place, { type, name, edit, how }: Member): Promise<Live> =>
  place.api.patch(type, name, edit, how);

/** Returns our fields and the defaults of the server, without metadata that every write changes. */
const contentOf = ({ spec, data, metadata: { labels, ownerReferences } }: Live): unknown => ({
  spec,
  data,
  labels,
  ownerReferences,
});

async function started(place: Place, family: Family): Promise<Live> {
  await newHead(place, family);
  await place.converge();
  return place.api.get(family.kind, 'shop');
}

const scenariosOf = (family: Family): Scenarios => {
  const { kind, one, members } = family;
  const name = kind.kind;
  const head = (place: Place): Promise<Live> => place.api.get(kind, 'shop');
  return {
    async [`C-1 a new ${name} gets all its children, labelled and owned by it`](place) {
      const { metadata } = await newHead(place, family);
      expect((await place.resync()).outcomes).toMatchObject({ created: members.length });
      for (const member of members) {
        const live = await liveOf(place, member);
        expect(live.metadata.ownerReferences).toEqual([
          {
            apiVersion: apiVersionOf(kind),
            kind: name,
            name: 'shop',
            uid: metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ]);
        const { labels = {} } = live.metadata;
        expect(labels).toMatchObject({
          'app.kubernetes.io/managed-by': 'serverless-reconciler',
          'app.kubernetes.io/instance': 'shop',
          'app.kubernetes.io/part-of': name.toLowerCase(),
        });
        const more = Object.keys(labels).filter((label) => !label.startsWith('app.kubernetes.io/'));
        const desired = member.labels.filter((label) => !label.startsWith('app.kubernetes.io/'));
        expect(more.toSorted()).toEqual(desired.toSorted());
      }
    },

    async [`C-2 C-8 ${one} at rest is not written to, and its status names its children`](place) {
      const live = await started(place, family);
      expect(live.status).toMatchObject({
        observedGeneration: 1,
        children: members.map((member) => ({
          apiVersion: apiVersionOf(member.type),
          kind: member.type.kind,
          name: member.name,
        })),
        conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }],
      });
      const versions = await place.versions();
      const writes = await place.writes();
      await place.api.patch(kind, 'shop', { metadata: { labels: { team: 'blue' } } });
      const { resourceVersion } = (await head(place)).metadata;
      for (let run = 0; run < 3; run++)
        expect(await place.resync()).toMatchObject({
          resources: { total: 1, unchanged: 1, reconciled: 0 },
          statusWrites: 0,
        });
      expect(await place.versions()).toEqual({ ...versions, [`${name} shop`]: resourceVersion });
      expect(await place.writes()).toEqual(writes);
      expect(await place.events('shop')).toEqual([]);
    },

    async [`C-3 each child of ${one} edited by hand is restored, and keeps the fields of others`](
      place,
    ) {
      await started(place, family);
      const beside = { metadata: { labels: { team: 'blue' }, annotations: { note: 'keep' } } };
      for (const member of members) {
        await place.api.patch(member.type, member.name, beside);
        const before = await liveOf(place, member);
        await ruin(place, member);
        expect((await place.resync()).outcomes).toMatchObject({
          updated: 1,
          created: 0,
          failed: 0,
        });
        await place.converge();
        const after = await liveOf(place, member);
        expect(contentOf(after)).toEqual(contentOf(before));
        expect(after.metadata.annotations).toMatchObject({ note: 'keep' });
      }
      expect(await place.events('shop', 'Repaired')).toHaveLength(members.length);
      expect(await isReady(place, kind, 'shop')).toBe(true);
    },

    async [`C-3 each child of ${one} that lost its labels, or was taken over, is ours again`](
      place,
    ) {
      await started(place, family);
      for (const member of members) {
        const before = await liveOf(place, member);
        const labels = Object.fromEntries(
          Object.keys(before.metadata.labels ?? {}).map((label) => [label, null]),
        );
        await place.api.patch(member.type, member.name, { metadata: { labels } });
        await place.resync();
        await place.converge();
        expect(contentOf(await liveOf(place, member))).toEqual(contentOf(before));
        const taken = { metadata: { labels: { 'app.kubernetes.io/instance': 'theirs' } } };
        await place.api.apply(member.type, member.name, taken, 'argocd');
        await place.resync();
        await place.converge();
        expect(contentOf(await liveOf(place, member))).toEqual(contentOf(before));
        await place.api.patch(member.type, member.name, { metadata: { managedFields: [{}] } });
        await place.converge();
        await ruin(place, member);
        await place.converge();
        expect(contentOf(await liveOf(place, member))).toEqual(contentOf(before));
      }
    },

    async [`C-4 each child of ${one} deleted by hand comes back`](place) {
      await started(place, family);
      for (const member of members.filter(({ once }) => once !== true)) {
        const before = await liveOf(place, member);
        await place.api.remove(member.type, member.name);
        expect((await place.resync()).outcomes).toMatchObject({ created: 1, updated: 0 });
        await place.converge();
        const after = await liveOf(place, member);
        expect(after.metadata.uid).not.toBe(before.metadata.uid);
        expect(after.metadata.labels).toEqual(before.metadata.labels);
      }
      expect(await isReady(place, kind, 'shop')).toBe(true);
    },

    async [`C-7 ${one} being deleted gets no write, and its children go with it`](place) {
      await started(place, family);
      await place.api.patch(kind, 'shop', hold);
      await place.api.remove(kind, 'shop');
      for (const member of members) await ruin(place, member);
      const writes = await place.writes();
      expect((await place.resync()).failures).toEqual([]);
      expect(await place.writes()).toEqual(writes);
      await place.api.patch(kind, 'shop', letGo);
      for (const { type, name } of members) await place.gone(type, name);
      expect(await place.resync()).toMatchObject({ resources: { total: 0 }, failures: [] });
      expect(await place.writes()).toEqual(writes);
    },

    async [`C-14 nothing of ${one} that is suspended is written`](place) {
      await newHead(place, family, { annotations: { [suspendAnnotation]: 'true' } });
      await place.resync();
      expect(await place.writes()).toMatchObject([{ resource: `${kind.plural}/status` }]);
      expect(condition(await head(place), 'Suspended')?.status).toBe('True');
      const suspend = (value: string | null) =>
        place.api.patch(kind, 'shop', {
          metadata: { annotations: { [suspendAnnotation]: value } },
        });
      await suspend(null);
      await place.converge();
      const desired = await Promise.all(members.map((member) => liveOf(place, member)));
      await suspend('true');
      for (const member of members) await ruin(place, member);
      await place.resync();
      const writes = await place.writes();
      await place.resync();
      expect(await place.writes()).toEqual(writes);
      expect(writes.at(-1)?.resource).toBe(`${kind.plural}/status`);
      await suspend(null);
      await place.converge();
      const after = await Promise.all(members.map((member) => liveOf(place, member)));
      expect(after.map(contentOf)).toEqual(desired.map(contentOf));
      expect(await isReady(place, kind, 'shop')).toBe(true);
    },
  };
};

/** Common rows for each child of Applications and Databases. */
export const ofFamilies: Scenarios = Object.assign({}, ...families.map(scenariosOf));
