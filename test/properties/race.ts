import { deployment } from '../../shared/kinds/child-types.ts';
import { foo } from '../../shared/kinds/foo.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import type { Report } from '../../shared/reconcile/report.ts';
import { type Around, eachCall } from '../reconcile/calls.ts';
import { faultsIn, look, wantedOf } from '../reconcile/desired.ts';
import type { Engine, Place } from '../reconcile/engine.ts';
import type { Api } from '../scenarios/api.ts';
import { disturb, permitted } from './disturb.ts';
import { type Actor, type Choose, type Turn, takeTurns } from './turns.ts';

/** What the owner of the Foo does to it. */
export type Edit =
  | { readonly rename: string }
  | { readonly replicas: number | null }
  | 'delete'
  | 'create';

/** One Foo, and who acts on it at the same time: two runs, its owner, somebody else, the controllers. */
export interface RaceWorld {
  /** The Foo has been reconciled before. */
  readonly begun: boolean;
  readonly edits: readonly Edit[];
  /** By name, what is done to the Deployment that stands under the name of the start. */
  readonly drifts: readonly string[];
  /** How often garbage collector and Deployment controller get round to what there is to do. */
  readonly collections: number;
}

export interface Race {
  readonly turns: readonly Turn[];
  /** No run began after the last change that was not its own. */
  readonly unseen: boolean;
  readonly reports: readonly Report[];
  /** Names of Deployments that a run deleted although they were wanted, and did not bring back. */
  readonly lost: readonly string[];
}

const name = 'f';
export const firstName = 'a';

export async function race(
  engine: Engine,
  place: Place,
  { world, choose }: { readonly world: RaceWorld; readonly choose: Choose },
): Promise<Race> {
  const { api } = place;
  await api.create(foo, name, { spec: { deploymentName: firstName, replicas: 1 } });
  if (world.begun) {
    await place.tick();
    await settle(engine);
    await place.tick();
  }
  const reports: Report[] = [];
  const lost: string[] = [];
  const run: Actor = async (step) => {
    const deleted = new Set<string>();
    const watched: Around = async (what, act) => {
      const answer = await step(what, act);
      const gone = /^remove Deployment (.*)$/.exec(what)?.[1];
      if (gone !== undefined && (await isWanted(api, gone))) deleted.add(gone);
      return answer;
    };
    reports.push(await place.tick({ kinds: [foo], through: (port) => eachCall(port, watched) }));
    for (const gone of deleted) {
      const missing = (await api.find(deployment, gone)) === undefined;
      if (missing && (await isWanted(api, gone))) lost.push(gone);
    }
  };
  const turns = await takeTurns(
    {
      first: run,
      second: run,
      ...(world.edits.length === 0 ? {} : { owner: ownerOf(api, world.edits) }),
      ...(world.drifts.length === 0 ? {} : { somebody: somebodyOf(api, world.drifts) }),
      ...(world.collections === 0 ? {} : { controllers: collectorOf(engine, world.collections) }),
    },
    choose,
  );
  return { turns, unseen: isUnseen(turns), reports, lost };
}

const isWanted = async (api: Api, child: string): Promise<boolean> => {
  const { resources } = await look(api);
  return resources.some((one) => wantedOf(one)?.some((wanted) => wanted.name === child));
};

export async function settle({ cluster: { controllers } }: Engine): Promise<void> {
  controllers.resume();
  await controllers.settled();
  controllers.pause();
}

const ownerOf =
  (api: Api, edits: readonly Edit[]): Actor =>
  async (step) => {
    let spec: JsonObject = { deploymentName: firstName, replicas: 1 };
    for (const edit of edits) {
      if (edit === 'delete') await step('delete Foo', () => permitted(api.remove(foo, name)));
      else if (edit === 'create') {
        await step('create Foo', () => permitted(api.create(foo, name, { spec })));
      } else {
        const change = 'rename' in edit ? { deploymentName: edit.rename } : edit;
        spec = { ...spec, ...change };
        if (spec.replicas === null) spec = { deploymentName: spec.deploymentName };
        await step(`edit Foo ${JSON.stringify(edit)}`, () =>
          permitted(api.patch(foo, name, { spec: change })),
        );
      }
    }
  };

const somebodyOf =
  (api: Api, drifts: readonly string[]): Actor =>
  async (step) => {
    for (const drift of drifts) {
      await step(`Deployment ${drift}`, async () => {
        const live = await api.find(deployment, firstName);
        if (live !== undefined) await disturb(api, { ...live, kind: 'Deployment' }, drift);
      });
    }
  };

const collectorOf =
  (engine: Engine, collections: number): Actor =>
  async (step) => {
    for (let turn = 0; turn < collections; turn++) await step('collect', () => settle(engine));
  };

function isUnseen(turns: readonly Turn[]): boolean {
  const lastChange = turns.findLastIndex(({ actor }) => actor === 'owner' || actor === 'somebody');
  return ['first', 'second'].every(
    (run) => turns.findIndex(({ actor }) => actor === run) < lastChange,
  );
}

/** What is wrong now, leftovers of a Foo that is gone among it. */
export async function faultsNow({ api }: Place): Promise<readonly string[]> {
  const scene = await look(api);
  const uids = scene.resources.map(({ metadata }) => metadata.uid);
  const orphans = scene.children.filter(
    ({ metadata }) => !uids.includes(metadata.ownerReferences?.[0]?.uid ?? ''),
  );
  return [
    ...faultsIn(scene),
    ...orphans.map(({ metadata }) => `Deployment ${metadata.name} is an orphan`),
  ];
}
