import { listed } from '../printable.ts';
import type { Decision } from './decision/decision.ts';
import { isEdited, type ObservedResource } from './observed/observed-resource.ts';
import { namespaceOf } from './observed/world.ts';
import type { Plan } from './plan.ts';

/** Returns the namespaces with deletions that count for `PRUNE_LIMIT`; '' stands for cluster-scoped objects. */
export function deletionNamespaces(
  planned: Plan,
  resource: Pick<ObservedResource, 'namespace'>,
): ReadonlySet<string> {
  const { listed, deletions } = { listed: [], deletions: [], ...planned };
  return new Set([
    ...listed.filter(({ type }) => !type.retained).map((ref) => namespaceOf(resource, ref)),
    ...deletions.filter(isLimited).map(({ namespace }) => namespace),
  ]);
}

/** Reports whether `PRUNE_LIMIT` may withhold a deletion. */
export const isLimited = (decision: Decision): boolean =>
  decision.verb === 'delete' && !decision.complete && !decision.dueToTime;

/** The counts of one namespace, or of the cluster scope (''), over all kinds whose lists were complete. */
interface NamespaceCount {
  /** The number of resources in the namespace or with children in it. */
  resources: number;
  /** UIDs of unedited resources that would delete children in the namespace. */
  readonly deletions: Set<string>;
}

export type NamespaceCounts = Map<string, NamespaceCount>;

export function countIn(counts: NamespaceCounts, namespace: string): NamespaceCount {
  const count = counts.get(namespace) ?? { resources: 0, deletions: new Set() };
  counts.set(namespace, count);
  return count;
}

export function mergeCounts(all: readonly NamespaceCounts[]): NamespaceCounts {
  const merged: NamespaceCounts = new Map();
  for (const [namespace, { resources, deletions }] of all.flatMap((one) => [...one])) {
    const count = countIn(merged, namespace);
    count.resources += resources;
    for (const uid of deletions) count.deletions.add(uid);
  }
  return merged;
}

export interface Counted {
  readonly namespaces: NamespaceCounts;
  /** UIDs of resources whose desired children are unknown: time or memory ran out before their references were read. */
  readonly uncountable: ReadonlySet<string>;
}

export interface Pruning {
  /** `allowed`, or why deletions are withheld; of bounded length. */
  readonly text: string;
  /** Reports whether a resource may delete unwanted children. With `isExpected`, even if it was not counted. */
  readonly allows: (resource: ObservedResource, namespace: string, isExpected?: boolean) => boolean;
}

/**
 * Withholds deletions if suspiciously many unedited resources would delete children, as after a bug in a kind.
 *
 * Flow: for each namespace, compares the number of unedited resources that would delete children there with the limit
 * for the number of all its resources. Each other namespace counts as one more resource, and as one that deletes if any
 * of its resources does. So a bug that causes one deletion in each of many namespaces is noticed, too.
 *
 * Guarantees: never withholds deletions of an edited resource. Even within the limit, an unedited resource that was not
 * counted, because its children became unwanted after the count, waits for the next run. Exceptions: `uncountable`
 * resources, and expected deletions.
 */
export function pruningOf(
  { namespaces, uncountable }: Counted,
  limit: (resources: number) => number,
): Pruning {
  const withheld = withheldIn(namespaces, limit);
  const names = new Set(withheld.map(({ namespace }) => namespace));
  return {
    text: explainWithheld(withheld),
    allows: (resource, namespace, isExpected = false) =>
      isEdited(resource) ||
      (!names.has(namespace) &&
        (isExpected ||
          uncountable.has(resource.uid) ||
          namespaces.get(namespace)?.deletions.has(resource.uid) === true)),
  };
}

type Withheld = ReturnType<typeof withheldIn>[number];

function withheldIn(namespaces: NamespaceCounts, limit: (resources: number) => number) {
  const wanting = [...namespaces].filter(([, { deletions }]) => deletions.size > 0);
  const elsewhere = wanting.length - 1;
  return wanting
    .map(([namespace, { resources, deletions }]) => {
      const allowed = limit(resources + namespaces.size - 1);
      return { namespace, resources, deletions: deletions.size, elsewhere, allowed };
    })
    .filter(({ deletions, allowed }) => deletions + elsewhere > allowed)
    .toSorted((a, b) => (a.namespace < b.namespace ? -1 : 1));
}

function explainWithheld([first, ...more]: readonly Withheld[]): string {
  if (first === undefined) return 'allowed';
  const { namespace, resources, deletions, elsewhere, allowed } = first;
  const each = elsewhere === 1 ? 'another namespace' : `each of ${elsewhere} other namespaces`;
  const others =
    elsewhere === 0
      ? ''
      : `; ${each} with such deletions counts as one more resource, so the total is ${deletions + elsewhere}`;
  const named = more.map((one) => one.namespace || 'the cluster scope');
  const also = more.length === 0 ? '' : `; likewise in ${listed(named)}`;
  const where = namespace === '' ? 'in the cluster scope' : `in namespace ${namespace}`;
  return `${deletions} of ${resources} resources would delete children ${where} although these resources were not edited${others}; the limit is ${allowed}${also}: raise PRUNE_LIMIT to allow the deletions`;
}
