import type { ChildSync } from '../../../actions/sync-state.ts';
import { worstFirst } from '../../../actions/sync-states.ts';

interface Group {
  /** Undefined for children in the namespace of the resource, and for cluster-scoped children. */
  readonly namespace: string | undefined;
  /** Worst first. */
  readonly children: readonly ChildSync[];
}

/** The worst come first; groups are sorted by their worst child. Children in one state stay in the kind's order. */
export function byNamespace(children: readonly ChildSync[]): readonly Group[] {
  const groups = Map.groupBy(children.toSorted(worstFirst), ({ child }) => child.namespace);
  return [...groups].map(([namespace, own]) => ({ namespace, children: own }));
}
