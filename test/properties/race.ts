import { UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import type { Report } from '../../shared/resync/report.ts';
import { foo } from '../../systems/foo.ts';
import { type Around, eachCall } from '../reconcile/calls.ts';
import { faultsIn, look } from '../reconcile/desired.ts';
import { desiredChildrenOf } from '../reconcile/desired-children.ts';
import { settlingFor } from '../reconcile/settling.ts';
import type { Api, Live } from '../scenarios/api.ts';
import { permitted } from './disturb.ts';
import { disturb } from './disturb-services.ts';
import type { Testbed, TestNamespace } from './testbed.ts';
import { type Actor, type Choose, type Turn, takeTurns } from './turns.ts';

/** Changes the Foo, as its owner does. */
export type Edit =
  | { readonly rename: string }
  | { readonly replicas: number | null }
  | 'delete'
  | 'create';

/** A Foo and its concurrent writers: two runs, its owner, another user, the controllers. */
export interface World {
  /** True if the Foo has been reconciled before. */
  readonly begun: boolean;
  readonly edits: readonly Edit[];
  /** The changes of the Deployment with the first name. */
  readonly drifts: readonly string[];
  /** True if the runs settle, while others act. */
  readonly settles: boolean;
  /** True if the first apply of a Deployment succeeds, and the first run loses the response. */
  readonly losesResponse?: boolean;
  /** Counts how often the garbage collector and the Deployment controller work. */
  readonly collections: number;
}

export interface Outcome {
  /** Lists the calls with their actors, one in a line. */
  readonly story: string;
  /** True if no run began after the last change by others. */
  readonly unseen: boolean;
  readonly reports: readonly Report[];
  /** Lists desired Deployments that a run deleted and had not restored when it ended. */
  readonly lost: readonly string[];
  /** Lists the replicas of each Deployment that a run applied, in the order of the writes. */
  readonly applied: readonly number[];
  /** Counts the deletions of each Deployment by runs. */
  readonly deletions: ReadonlyMap<string, number>;
}

const name = 'f';
const firstName = 'a';

/** Runs all actors, call by call in the order of `choose`. */
export async function race(
  testbed: Testbed,
  ground: TestNamespace,
  { world, choose }: { readonly world: World; readonly choose: Choose },
): Promise<Outcome> {
  const { api } = ground;
  await api.create(foo, name, { spec: { deploymentName: firstName, replicas: 1 } });
  if (world.begun) {
    await ground.run();
    await testbed.settle();
    await ground.run();
  }
  const reports: Report[] = [];
  const lost: string[] = [];
  const applied: number[] = [];
  const deletions = new Map<string, number>();
  const runner =
    (losesResponse: boolean): Actor =>
    async (step) => {
      let losing = losesResponse;
      const deleted = new Set<string>();
      const watched: Around = async (what, act) => {
        // Takes no turn for the list of Events, because its order does not matter and a run does not wait long for it.
        if (what === 'list events') return act();
        const response = await step(what, act);
        if (what.startsWith('apply Deployment ')) {
          applied.push(replicasOf(response as Live));
          if (losing) {
            losing = false;
            throw new UnreachableError(`cannot ${what}: the response is lost`);
          }
        }
        const gone = /^remove Deployment (.*)$/.exec(what)?.[1];
        if (gone === undefined) return response;
        deletions.set(gone, (deletions.get(gone) ?? 0) + 1);
        if (await isDesired(api, gone)) deleted.add(gone);
        return response;
      };
      const settling = world.settles && settlingFor(2, () => step('wait', async () => undefined));
      reports.push(await ground.run({ through: (port) => eachCall(port, watched), ...settling }));
      for (const gone of deleted) {
        const missing = (await api.find(deployment, gone)) === undefined;
        if (missing && (await isDesired(api, gone))) lost.push(gone);
      }
    };
  const turns = await takeTurns(
    {
      first: runner(world.losesResponse === true),
      second: runner(false),
      ...(world.edits.length === 0 ? {} : { owner: ownerOf(api, world.edits) }),
      ...(world.drifts.length === 0 ? {} : { somebody: somebodyOf(api, world.drifts) }),
      ...(world.collections === 0 ? {} : { controllers: collectorOf(testbed, world.collections) }),
    },
    choose,
  );
  const story = turns.map(({ actor, what }) => `${actor}: ${what}`).join('\n');
  return { story, unseen: isUnseen(turns), reports, lost, applied, deletions };
}

const replicasOf = ({ spec }: Live): number => Number(spec?.replicas);

const isDesired = async (api: Api, child: string): Promise<boolean> => {
  const resources = await api.list(foo);
  return resources.some((one) =>
    desiredChildrenOf({ ...one, kind: 'Foo' })?.some((one) => one.name === child),
  );
};

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
  (testbed: Testbed, collections: number): Actor =>
  async (step) => {
    for (let turn = 0; turn < collections; turn++) await step('collect', () => testbed.settle());
  };

function isUnseen(turns: readonly Turn[]): boolean {
  const lastChange = turns.findLastIndex(({ actor }) => actor === 'owner' || actor === 'somebody');
  return ['first', 'second'].every(
    (run) => turns.findIndex(({ actor }) => actor === run) < lastChange,
  );
}

/** Lists faults now, including orphans of a deleted Foo. */
export async function faultsNow({ api }: TestNamespace): Promise<readonly string[]> {
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
