import pMap from 'p-map';
import type { Cluster } from '../cluster/cluster.ts';
import { isExpired, isFinal, isNotFound } from '../cluster/cluster-errors.ts';
import { childTypesOf, type Kind } from '../kinds/kind.ts';
import { groupResource, type ResourceType } from '../kubernetes.ts';
import { type Counted, mergeCounts } from '../plan/pruning.ts';
import { listChildren } from '../reading/listing.ts';
import type { Fleet } from '../rollout/fleet.ts';
import type { Area } from '../run/area.ts';
import { listErrorOf, unlistedOf } from '../run/list-error.ts';
import { countWorlds } from '../run/memory-budget.ts';
import { derive, type Run, withOwnMemory, withTimeout } from '../run/run.ts';
import type { LiveWorld } from '../run/state.ts';
import { newTally, surveyKind, type Tally, type Unkept } from './survey-kind.ts';

/** An area as read at one moment. Contains only the resources with work; the others are just counted. */
export interface Survey extends Counted {
  /** Resources for which a run has something to do or report. */
  readonly work: readonly LiveWorld[];
  readonly resources: number;
  /** Numbers of resources that are left alone: suspended, or being deleted. */
  readonly idle: { readonly suspended: number; readonly deleting: number };
  /** Resources that did not fit into memory, so nothing is done for them. */
  readonly unkept: readonly Unkept[];
  /** Kinds and child types that could not be listed, so nothing is done for them. */
  readonly incomplete: readonly Incomplete[];
  /** Child types that the cluster does not serve. */
  readonly notServed: readonly Incomplete[];
  /** The resources that take part in rollouts, for each kind that was listed completely, with its children. */
  readonly fleets: readonly Fleet[];
}

export interface Incomplete {
  /** A kind such as `websites.kubecon.my.domain`, or a child type such as `deployments.apps`. */
  readonly kind: string;
  readonly error: string;
  /** True if the same list may succeed later. */
  readonly transient?: boolean;
  /** True for a child type: only children of that type are left alone, not their resources. */
  readonly ofChildren?: true;
}

const areasAtOnce = 4;

/**
 * Lists the children, then the resources, then the objects that these refer to, and plans each resource.
 *
 * Flow: if the pages of a list expire (410), all lists of the area restart once, children first. Guarantees:
 * no child is newer than the spec and the references that it is compared with. If a list of resources fails,
 * its kind has no work. If a list of children fails, only that type is unknown; if it hangs, a third of the
 * time for lists is left. Memory contains only the children and the resources with work. Each namespace has a
 * share of the memory: beyond it a child is unreadable, and a resource is not reconciled.
 */
export async function survey(run: Run, areas: readonly Area[]): Promise<Survey> {
  const left = run.limits.deadline - run.clients.now().getTime();
  const forLists = Math.max(left / 2, leastForLists);
  const limited = withTimeout(run, forLists);
  const ofChildren = run.cluster.withTimeout((forLists * 2) / 3);
  const surveyArea = async (area: Area): Promise<ListedArea> => {
    const own = withOwnMemory(limited);
    try {
      const found = await listFresh(own, area, ofChildren);
      countWorlds(
        run.limits.memory,
        found.tallies.flatMap(({ work }) => work),
      );
      return found;
    } finally {
      own.limits.memory.close();
    }
  };
  return combined(await pMap(areas, surveyArea, { concurrency: areasAtOnce }));
}

/** Minimum time for lists in milliseconds, even after the deadline. The maximum is half of the time left. */
const leastForLists = 2000;

/** What a survey found about one area, and the child types whose lists failed there. */
interface ListedArea {
  readonly tallies: readonly Tally[];
  readonly failed: ReadonlyMap<string, unknown>;
}

/** Lists an area. `ofChildren` is the client for lists of children, which has its own time limit. */
async function listFresh(run: Run, area: Area, ofChildren: Cluster): Promise<ListedArea> {
  const first = await listAll(run, area, ofChildren);
  const errors = [...first.failed.values(), ...first.tallies.map(({ failure }) => failure?.error)];
  if (!errors.some(isExpired)) return first;
  run.clients.log.info('lists restarted, their pages expired');
  run.limits.memory.close();
  return listAll(run, area, ofChildren);
}

async function listAll(run: Run, area: Area, ofChildren: Cluster): Promise<ListedArea> {
  const { childrenOf, failed } = await listChildren(derive(run, { cluster: ofChildren }), area);
  const tallies = await Promise.all(
    area.kinds.map(async (kind) => {
      const unlisted = await unlistedOf(run, kind, failed);
      return surveyKind(run, area, { kind, childrenOf, unlisted }).catch((error: unknown) => ({
        ...newTally(kind),
        failure: { error },
      }));
    }),
  );
  return { tallies, failed };
}

/** Combines what was found about all areas. A resource in two of them appears once in `work`. */
function combined(areas: readonly ListedArea[]): Survey {
  const tallies = areas.flatMap((area) => area.tallies);
  const sum = (count: (tally: Tally) => number): number =>
    tallies.reduce((total, tally) => total + count(tally), 0);
  const ofKinds = tallies.flatMap(({ kind, failure }) =>
    failure === undefined ? [] : [incompleteOf(kind, [kind], failure.error)],
  );
  return {
    work: uniqueBy(
      tallies.flatMap(({ work }) => work),
      ({ resource }) => resource.uid,
    ),
    unkept: uniqueBy(
      tallies.flatMap(({ unkept }) => unkept),
      ({ key }) => key,
    ),
    resources: sum(({ resources }) => resources),
    namespaces: mergeCounts(tallies.map(({ namespaces }) => namespaces)),
    uncountable: new Set(tallies.flatMap(({ uncountable }) => [...uncountable])),
    idle: {
      suspended: sum(({ suspended }) => suspended),
      deleting: sum(({ deleting }) => deleting),
    },
    fleets: tallies.flatMap(({ fleet, isWhole }) => (isWhole ? [fleet] : [])),
    incomplete: distinct([...ofKinds, ...areas.flatMap((area) => unlistedIn(area, true))]),
    notServed: distinct(areas.flatMap((area) => unlistedIn(area, false))),
  };
}

const incompleteOf = (type: ResourceType, kinds: readonly Kind[], error: unknown): Incomplete => ({
  kind: groupResource(type),
  error: listErrorOf(type, kinds, error),
  ...(isFinal(error) ? {} : { transient: true }),
});

/** Returns the child types that could not be listed, of kinds that were. */
function unlistedIn({ tallies, failed }: ListedArea, isServed: boolean): readonly Incomplete[] {
  const kinds = tallies.flatMap(({ kind, failure }) => (failure === undefined ? [kind] : []));
  return childTypesOf(kinds).flatMap((type) => {
    const error = failed.get(groupResource(type));
    if (error === undefined || isNotFound(error) === isServed) return [];
    return [{ ...incompleteOf(type, kinds, error), ofChildren: true }];
  });
}

const distinct = (all: readonly Incomplete[]): readonly Incomplete[] =>
  uniqueBy(all, ({ kind, error }) => JSON.stringify([kind, error]));

const uniqueBy = <T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] => [
  ...new Map(items.map((item) => [keyOf(item), item])).values(),
];
