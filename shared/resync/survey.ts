import pMap from 'p-map';
import { isExpired, isFinal } from '../cluster/cluster-errors.ts';
import type { Kind } from '../kinds/kind.ts';
import { groupResource } from '../kubernetes.ts';
import { type Counted, mergeCounts } from '../plan/pruning.ts';
import { listChildren } from '../reading/listing.ts';
import type { Fleet } from '../rollout/fleet.ts';
import type { Area } from '../run/area.ts';
import { listErrorOf } from '../run/list-error.ts';
import { countWorlds } from '../run/memory-budget.ts';
import { type Run, withOwnMemory } from '../run/run.ts';
import type { LiveWorld } from '../run/state.ts';
import { newTally, surveyKind, type Tally, type Unkept } from './survey-kind.ts';

/** An area as read at one moment. Resources without work are only counted. */
export interface Survey extends Counted {
  /** Resources for which something has to be done or reported. */
  readonly work: readonly LiveWorld[];
  readonly resources: number;
  /** Resources that are left alone: suspended, or being deleted. */
  readonly idle: { readonly suspended: number; readonly deleting: number };
  /** Resources that did not fit into memory; nothing is done for them. */
  readonly unkept: readonly Unkept[];
  /** Kinds whose lists are incomplete; nothing is written for them. */
  readonly incomplete: readonly Incomplete[];
  /** The resources that take part in rollouts, of each kind that was listed. */
  readonly fleets: readonly Fleet[];
}

export interface Incomplete {
  readonly kind: string;
  readonly error: string;
  /** True if the same list may succeed later. */
  readonly transient?: boolean;
}

const areasAtOnce = 4;

/**
 * Lists the children, then the resources, then the objects that these refer to, and plans each resource.
 *
 * Flow: if the pages of a list expire (410), all lists of the area restart once, children first.
 * Guarantees: no child is newer than the spec and the references that it is compared with. A kind with a
 * failed list has no work. Memory holds the children and the resources with work, not whole pages. No
 * namespace exceeds its share: beyond it a child is unreadable, and a resource is not kept.
 */
export async function survey(run: Run, areas: readonly Area[]): Promise<Survey> {
  const surveyArea = async (area: Area): Promise<readonly Tally[]> => {
    const own = withOwnMemory(run);
    try {
      const tallies = await listFresh(own, area);
      countWorlds(
        run.limits.memory,
        tallies.flatMap(({ work }) => work),
      );
      return tallies;
    } finally {
      own.limits.memory.close();
    }
  };
  const tallies = await pMap(areas, surveyArea, { concurrency: areasAtOnce });
  return combined(tallies.flat());
}

async function listFresh(run: Run, area: Area): Promise<readonly Tally[]> {
  const first = await listAll(run, area);
  if (!first.some(({ failure }) => isExpired(failure?.error))) return first;
  run.clients.log.info('lists restarted, their pages expired');
  run.limits.memory.close();
  return listAll(run, area);
}

async function listAll(run: Run, area: Area): Promise<readonly Tally[]> {
  const { childrenOf, failed } = await listChildren(run, area);
  return Promise.all(
    area.kinds.map(async (kind) => {
      const type = kind.owns.find((own) => failed.has(groupResource(own)));
      if (type !== undefined)
        return { ...newTally(kind), failure: { type, error: failed.get(groupResource(type)) } };
      return surveyKind(run, area, { kind, childrenOf }).catch((error: unknown) => ({
        ...newTally(kind),
        failure: { type: kind, error },
      }));
    }),
  );
}

/** Combines the findings about all areas. A resource in two of them appears once in `work`. */
function combined(tallies: readonly Tally[]): Survey {
  const sum = (count: (tally: Tally) => number): number =>
    tallies.reduce((total, tally) => total + count(tally), 0);
  const listed = tallies.filter(({ failure }) => failure === undefined);
  const incomplete = tallies.flatMap(({ kind, failure }) =>
    failure === undefined ? [] : [incompleteOf(kind, failure)],
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
    fleets: listed.map(({ fleet }) => fleet),
    incomplete: uniqueBy(incomplete, ({ kind, error }) => JSON.stringify([kind, error])),
  };
}

const incompleteOf = (kind: Kind, { type, error }: NonNullable<Tally['failure']>): Incomplete => ({
  kind: groupResource(kind),
  error: listErrorOf(type, [kind], error),
  ...(isFinal(error) ? {} : { transient: true }),
});

const uniqueBy = <T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] => [
  ...new Map(items.map((item) => [keyOf(item), item])).values(),
];
