import type { ChildSync } from '../../../actions/sync-state.ts';
import { worstFirst } from '../../../actions/sync-states.ts';

interface Group {
  /** Undefined for children in the namespace of the resource, and for cluster-scoped children. */
  readonly namespace: string | undefined;
  /** Worst first. */
  readonly children: readonly ChildSync[];
}

/**
 * Sorts the children from worst to best, and the groups by their worst child. Within a state, keeps the kind's order.
 */
export function byNamespace(children: readonly ChildSync[]): readonly Group[] {
  const groups = Map.groupBy(children.toSorted(worstFirst), ({ child }) => child.namespace);
  return [...groups].map(([namespace, own]) => ({ namespace, children: own }));
}
