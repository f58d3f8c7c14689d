import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { faultsIn, look, type Scene } from '../reconcile/desired.ts';
import type { Engine, Place, Settings } from '../reconcile/engine.ts';
import { settlingFor } from '../reconcile/settling.ts';
import { disturb } from './disturb-services.ts';
import { createForeign } from './foreign-owner.ts';

/** Sets up a namespace for a run, by name. */
export const worlds: Readonly<Record<string, (engine: Engine, place: Place) => Promise<void>>> = {
  async cold(_, place) {
    await create(place);
  },
  async 'cold, then settling'(_, place) {
    await create(place);
  },
  async drifted(engine, place) {
    await reconciled(engine, place);
    const { children } = await look(place.api);
    for (const child of children) {
      if (child.kind === 'Service') await disturb(place.api, child, 'deleted');
      else if (child.metadata.name === 'w') await disturb(place.api, child, 'labels stripped');
      else if (child.metadata.name === 'a') {
        await disturb(place.api, child, 'image changed under our name');
      }
    }
  },
  async renamed(engine, place) {
    await reconciled(engine, place);
    await place.api.patch(foo, 'f', { spec: { deploymentName: 'b', replicas: 2 } });
    await place.api.patch(website, 'w', { spec: { imageTag: 'v2' } });
  },
  async 'replicas dropped'(engine, place) {
    await reconciled(engine, place);
    await place.api.patch(foo, 'f', { spec: { replicas: null } });
  },
};

/** Settles the run over a world with that word in its name. */
export const settlingOf = (world: string): Partial<Settings> =>
  world.endsWith('settling') ? settlingFor(15) : {};

/** Creates a Foo, a Website and, under an unwanted name, a foreign Deployment. */
async function create({ api, nodePort }: Place): Promise<void> {
  await Promise.all([
    api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } }),
    api.create(website, 'w', { spec: { imageTag: 'v1', nodePort: nodePort() } }),
    api.create(deployment, 'theirs', await createForeign(api, 'nobody')),
  ]);
}

async function reconciled(engine: Engine, place: Place): Promise<void> {
  await create(place);
  await place.resync();
  await engine.cluster.controllers.settled();
  await place.resync();
}

/** Lists remaining faults of children and statuses. */
export function unfinished(scene: Scene): readonly string[] {
  const unsaid = scene.resources
    .filter(({ status, metadata }) => status?.observedGeneration !== metadata.generation)
    .map(({ kind, metadata }) => `${kind} ${metadata.name}: its status is of another generation`);
  return [...faultsIn(scene), ...unsaid];
}

/** Returns the version of the foreign Deployment. */
export const theirs = async ({ api }: Place): Promise<string> =>
  (await api.get(deployment, 'theirs')).metadata.resourceVersion;

export const childCount = async ({ api }: Place): Promise<number> => {
  const lists = await Promise.all([api.list(deployment), api.list(service)]);
  return lists.flat().length;
};
