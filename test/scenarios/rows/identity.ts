import { expect } from 'vitest';
import { deployment, statefulSet } from '../../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../../shared/kinds/child-types/core.ts';
import { application } from '../../../systems/application.ts';
import { database } from '../../../systems/database.ts';
import { foo } from '../../../systems/foo.ts';
import { website } from '../../../systems/website.ts';
import type { Live } from '../api.ts';
import { newApplication } from '../applications.ts';
import { claimName, databaseSpec, newVolume } from '../databases.ts';
import { startNamed } from '../identities.ts';
import type { Place, Scenarios } from '../place.ts';
import { newFoo, newSite } from '../resources.ts';

const ours = 'serverless-reconciler';
const label = 'app.kubernetes.io/managed-by';

const labelsIn = async (place: Place): Promise<readonly string[]> => {
  const lists = await Promise.all(
    [deployment, service].map(async (type) =>
      (await place.api.list(type)).map(
        ({ metadata: { name, labels } }) => `${type.kind} ${name}: ${labels?.[label]}`,
      ),
    ),
  );
  return lists.flat().toSorted();
};

const childrenOf = async (place: Place): Promise<readonly Live[]> =>
  (
    await Promise.all(
      [deployment, statefulSet, service, secret].map((type) => place.api.list(type)),
    )
  )
    .flat()
    .filter(({ metadata }) => metadata.ownerReferences !== undefined);

/** Returns the parts of an object whose change would restart pods or lose it. */
const contentOf = ({ metadata: { uid, generation }, spec, data }: Live) => ({
  uid,
  generation,
  spec,
  data,
});

const managersOf = (all: readonly Live[]): readonly string[] => [
  ...new Set(
    all
      .flatMap(({ metadata }) => metadata.managedFields ?? [])
      .flatMap(({ manager = '' }) =>
        /^(team-a|serverless-reconciler)/.test(manager) ? [manager] : [],
      ),
  ),
];

/** Releases everything that a former name holds, as docs/deploying.md says. */
async function release({ api }: Place, former: string): Promise<void> {
  for (const type of [deployment, statefulSet, service, secret, application, database])
    for (const { metadata, status } of await api.list(type)) {
      await api.apply(type, metadata.name, {}, former);
      if (status?.children !== undefined) await api.applyStatus(type, metadata.name, {}, former);
    }
}

/** A reconciler that is renamed, and two reconcilers on one cluster. */
export const identities: Scenarios = {
  async 'C-15 objects written under a former name are taken over, and nothing restarts'(place) {
    await newVolume(place, claimName);
    await place.api.create(database, 'shop', { spec: databaseSpec() });
    await newApplication(place, 'app');
    await place.converge();
    const before = await childrenOf(place);
    expect(before.length).toBeGreaterThan(5);
    const turns = await Promise.all(
      [
        { name: 'team-a', former: ours },
        { name: ours, former: 'team-a' },
      ].map(async (one) => ({ ...one, ...(await startNamed(place, one.name)) })),
    );
    try {
      for (const { name, former, resync } of turns) {
        const { failures, outcomes } = await resync();
        expect(failures).toEqual([]);
        expect(outcomes).toMatchObject({ created: 0, updated: before.length, deleted: 0 });
        await release(place, former);
        const after = await childrenOf(place);
        expect(after.map(contentOf)).toEqual(before.map(contentOf));
        const labels = new Set(after.map(({ metadata }) => metadata.labels?.[label]));
        expect(labels).toEqual(new Set([name]));
        const heads = await Promise.all(
          [application, database].map((kind) => place.api.list(kind)),
        );
        const managers = managersOf([...after, ...heads.flat()]);
        expect(managers.filter((one) => !one.endsWith('-generated'))).toEqual([name]);
        const versions = await place.versions();
        expect(await resync()).toMatchObject({ statusWrites: 0 });
        expect(await place.versions()).toEqual(versions);
      }
    } finally {
      await Promise.all(turns.map(({ stop }) => stop()));
    }
  },

  async 'C-16 two reconcilers with different kinds do not affect each other'(place) {
    await newSite(place, 'site');
    await newFoo(place, 'foo', 'foo', 1);
    const [sites, foos] = await Promise.all([
      startNamed(place, ours, website.kind),
      startNamed(place, 'team-b', foo.kind),
    ]);
    try {
      await Promise.all([sites.resync(), foos.resync()]);
      expect(await labelsIn(place)).toEqual([
        'Deployment foo: team-b',
        `Deployment site: ${ours}`,
        `Service site: ${ours}`,
      ]);
      await place.api.remove(deployment, 'foo');
      await place.api.patch(deployment, 'site', { spec: { replicas: 3 } });
      await place.gone(deployment, 'foo');
      expect((await sites.resync()).outcomes).toMatchObject({ created: 0, updated: 1, deleted: 0 });
      expect((await foos.resync()).outcomes).toMatchObject({ created: 1, updated: 0, deleted: 0 });
      const repairs = await place.events('foo', 'Repaired');
      expect(repairs, 'Events of the other reconciler are not ours').toEqual([]);
      expect(await place.events('site', 'Repaired')).toHaveLength(1);
    } finally {
      await Promise.all([sites.stop(), foos.stop()]);
    }
  },
};
