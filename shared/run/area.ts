import { isNamed, type Kind } from '../kinds/kind.ts';
import { groupResource, isClusterScoped } from '../kubernetes.ts';
import { type ReconcileRequest, reconcileRequest } from '../reconcile-request.ts';
import type { LiveWorld, Run } from './run.ts';

/** The part of a cluster that a run reads. */
export interface Area {
  readonly kinds: readonly Kind[];
  /** The namespaces, each with one list for each type. Undefined: the whole cluster, with one list for each type. */
  readonly namespaces: readonly string[] | undefined;
  readonly name: string | undefined;
  /** The uids of the only resources to read, with their children; default: all resources. */
  readonly uids?: ReadonlySet<string>;
}

/**
 * Returns the part of the configured area that a reconcile request selects; an area without kinds if it
 * selects nothing. A request with a namespace selects no cluster-scoped kinds. A request with a name but no
 * namespace selects only those.
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

/** Splits an area into its namespaces, so that a failed list in one of them hides nothing in another. */
export const partsOf = (area: Area): readonly Area[] =>
  area.namespaces?.map((namespace) => ({ ...area, namespaces: [namespace] })) ?? [area];

/** Reports whether a request selects all resources of its kinds. Only such requests continue rollouts. */
export const isWide = ({ namespace, name }: ReconcileRequest): boolean =>
  namespace === undefined && name === undefined;

/** Reports whether a run reads all resources of its kinds, so that it may begin rollouts. */
export const isWholeResync = (
  { policy }: Pick<Run, 'policy'>,
  requests: readonly ReconcileRequest[],
): boolean => policy.trigger === 'resync' && requests.every(isWide);

/** Explains why a request's namespace or name does not fit its kind, so that it selects nothing; else undefined. */
export function misfitOf(
  { kind: word = '', namespace, name }: ReconcileRequest,
  all: Pick<Area, 'kinds'>,
) {
  const kind = all.kinds.find((one) => isNamed(one, word));
  if (kind === undefined) return undefined;
  if (isClusterScoped(kind))
    return namespace === undefined ? undefined : `${kind.kind} is cluster-scoped: omit namespace`;
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

/** Returns the lane in the run queue: the namespace of these areas; empty for several, or cluster-scoped kinds. */
export const laneOf = (areas: readonly Pick<Area, 'namespaces'>[]): string => {
  const [first = '', ...more] = new Set(areas.flatMap(({ namespaces = [''] }) => namespaces));
  return more.length === 0 ? first : '';
};

/** Returns how many lists it takes to read the area. */
export const listsOf = ({ kinds, namespaces }: Area): number =>
  (kinds.length + new Set(kinds.flatMap(({ owns }) => owns)).size) * (namespaces?.length ?? 1);

/** Limit of the resources of a kind that are read by name, and of its namespaces that have a list each. */
const most = 8;

/**
 * Returns the areas in which to read these resources again. They are never wider than those in which the
 * resources were found.
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

/** Limit of lists for the requests of one delivery, unless a resync takes more. */
export const maxLists = 64;

/**
 * Widens requests that would take too many lists: to namespaces, then to whole kinds, beginning with the
 * kinds for which that saves most.
 *
 * Guarantees: at most `maxLists` lists, or as many as a resync of these kinds takes.
 */
export const withinLists = (
  requests: readonly ReconcileRequest[],
  all: Omit<Area, 'name'>,
): readonly ReconcileRequest[] => {
  const namespaces = widened(requests, all, ({ kind, namespace }) =>
    reconcileRequest(kind, namespace),
  );
  return widened(namespaces, all, ({ kind }) => reconcileRequest(kind));
};

function widened(
  requests: readonly ReconcileRequest[],
  all: Omit<Area, 'name'>,
  wider: (request: ReconcileRequest) => ReconcileRequest,
): readonly ReconcileRequest[] {
  const cost = (some: readonly ReconcileRequest[]): number =>
    some.reduce((sum, request) => sum + listsOf(areaOf(request, all)), 0);
  const changes = [...Map.groupBy(requests, ({ kind }) => kind).values()]
    .map((own) => ({ own, wide: unique(own.map(wider)) }))
    .map((one) => ({ ...one, saved: cost(one.own) - cost(one.wide) }))
    .toSorted((a, b) => b.saved - a.saved);
  let total = cost(requests);
  return changes.flatMap(({ own, wide, saved }) => {
    if (total <= maxLists || saved <= 0) return own;
    total -= saved;
    return wide;
  });
}

const unique = (requests: readonly ReconcileRequest[]): readonly ReconcileRequest[] => [
  ...new Map(requests.map((request) => [JSON.stringify(request), request])).values(),
];
