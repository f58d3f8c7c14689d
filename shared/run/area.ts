import { isNamed, type Kind } from '../kinds/kind.ts';
import { groupResource, isClusterScoped } from '../kubernetes.ts';
import type { ReconcileRequest } from '../reconcile-request.ts';
import type { Run } from './run.ts';
import type { LiveWorld } from './state.ts';

/** The part of a cluster that a run reads. */
export interface Area {
  readonly kinds: readonly Kind[];
  /** Undefined: the whole cluster, with one list per type; otherwise one list per type and namespace. */
  readonly namespaces: readonly string[] | undefined;
  readonly name: string | undefined;
  /** The uids of the only resources to read, with their children; undefined: all. */
  readonly uids?: ReadonlySet<string>;
}

/**
 * Returns the part of the configured area that a reconcile request selects, without kinds if it selects
 * nothing. A request with a namespace selects no cluster-scoped kinds; one with a name but no namespace
 * selects only those.
 */
export function areaOf(
  { kind: word, namespace, name }: ReconcileRequest,
  all: Omit<Area, 'name'>,
): Area {
  const named = all.kinds.filter((kind) => word === undefined || isNamed(kind, word));
  if (namespace === undefined) {
    const kinds = name === undefined ? named : named.filter(isClusterScoped);
    return { kinds, namespaces: all.namespaces, name };
  }
  const allowed = all.namespaces?.includes(namespace) ?? true;
  const kinds = allowed ? named.filter((kind) => !isClusterScoped(kind)) : [];
  return { kinds, namespaces: [namespace], name };
}

/**
 * Reports whether a reconcile request selects all resources of its kinds, so that a rollout may begin
 * further ones.
 */
export const isWide = ({ namespace, name }: ReconcileRequest): boolean =>
  namespace === undefined && name === undefined;

/** Reports whether a run sees all resources of its kinds and may begin rollouts. */
export const isWholeResync = (
  { policy }: Pick<Run, 'policy'>,
  requests: readonly ReconcileRequest[],
): boolean => policy.trigger === 'resync' && requests.every(isWide);

/** Says why a request selects nothing, if its namespace or name do not fit its kind; otherwise undefined. */
export function misfitOf(
  { kind: word = '', namespace, name }: ReconcileRequest,
  all: Pick<Area, 'kinds'>,
) {
  const kind = all.kinds.find((one) => isNamed(one, word));
  if (kind === undefined) return undefined;
  if (isClusterScoped(kind))
    return namespace === undefined
      ? undefined
      : `${kind.kind} is cluster-scoped: leave out namespace`;
  const isPartial = name !== undefined && namespace === undefined;
  return isPartial ? `${kind.kind} is namespaced: name requires a namespace` : undefined;
}

/** Returns a key that is equal for areas that select the same objects, however their requests are spelt. */
export const keyOfAreas = (areas: readonly Area[]): string => {
  const keys = areas.map(({ kinds, namespaces, name }) =>
    JSON.stringify([kinds.map(groupResource).toSorted(), namespaces?.toSorted(), name]),
  );
  return [...new Set(keys)].toSorted().join(' ');
};

/** Returns the namespace of all areas; empty if there are several, or for cluster-scoped kinds. */
export const laneOf = (areas: readonly Pick<Area, 'namespaces'>[]): string => {
  const [first = '', ...more] = new Set(areas.flatMap(({ namespaces = [''] }) => namespaces));
  return more.length === 0 ? first : '';
};

/** Counts the lists that it takes to read the area once. */
export const listsOf = ({ kinds, namespaces }: Area): number =>
  (kinds.length + new Set(kinds.flatMap(({ owns }) => owns)).size) * (namespaces?.length ?? 1);

/**
 * Limit for reading the resources of a kind by name, and its namespaces one by one. Beyond it, wider lists
 * are read.
 */
const most = 8;

/**
 * Returns the areas in which to read these resources again, never wider than those in which they were
 * found.
 *
 * Guarantees: at most eight areas for each kind, or as many as the run began with.
 */
export const areasOf = (worlds: readonly LiveWorld[], found: readonly Area[]): readonly Area[] =>
  [...Map.groupBy(worlds, ({ kind }) => kind)].flatMap(([kind, own]) => {
    const uids = new Set(own.map(({ resource }) => resource.uid));
    return ofKind(kind, own, found).map((area) => ({ ...area, uids }));
  });

function ofKind(kind: Kind, worlds: readonly LiveWorld[], found: readonly Area[]): readonly Area[] {
  const kinds = [kind];
  const byNamespace = Map.groupBy(worlds, ({ resource }) => resource.namespace);
  if (byNamespace.size > most)
    return found.filter((area) => area.kinds.includes(kind)).map((area) => ({ ...area, kinds }));
  const named = worlds.length <= most;
  return [...byNamespace].flatMap(([namespace, own]): Area[] => {
    const namespaces = namespace === '' ? undefined : [namespace];
    return named
      ? own.map(({ resource: { name } }) => ({ kinds, namespaces, name }))
      : [{ kinds, namespaces, name: undefined }];
  });
}
