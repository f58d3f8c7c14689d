import { isNamed, type Kind } from '../kinds/define-kind.ts';
import { groupResource } from '../kubernetes.ts';
import type { Scope } from '../scope.ts';

/** The part of a cluster that a run reads. */
export interface Area {
  readonly kinds: readonly Kind[];
  /** Undefined: the whole cluster, one list per resource; else one per namespace. */
  readonly namespaces: readonly string[] | undefined;
  readonly name: string | undefined;
}

/** What a Scope selects of the configured area; no kinds where it selects nothing. */
export function areaOf({ kind: word, namespace, name }: Scope, all: Omit<Area, 'name'>): Area {
  const kinds = all.kinds.filter((kind) => word === undefined || isNamed(kind, word));
  if (namespace === undefined) return { kinds, namespaces: all.namespaces, name };
  const allowed = all.namespaces?.includes(namespace) ?? true;
  return { kinds: allowed ? kinds : [], namespaces: [namespace], name };
}

/** One text for all ways to write what selects the same. */
export const keyOfAreas = (areas: readonly Area[]): string => {
  const keys = areas.map(({ kinds, namespaces, name }) =>
    JSON.stringify([kinds.map(groupResource).toSorted(), namespaces?.toSorted(), name]),
  );
  return [...new Set(keys)].toSorted().join(' ');
};

/** The namespace that all of them are in; empty where there are several. */
export const laneOf = (areas: readonly Pick<Area, 'namespaces'>[]): string => {
  const [first = '', ...more] = new Set(areas.flatMap(({ namespaces = [''] }) => namespaces));
  return more.length === 0 ? first : '';
};

/** How many lists one read of the area takes, each of some pages. */
export const listsOf = ({ kinds, namespaces }: Area): number =>
  (kinds.length + new Set(kinds.flatMap(({ owns }) => owns)).size) * (namespaces?.length ?? 1);
