import { hasName, type Kind } from '../kinds/kind.ts';
import { groupResource, isClusterScoped } from '../kubernetes.ts';
import { mergeRequests, type ReconcileRequest, reconcileRequest } from '../reconcile-request.ts';
import type { LiveWorld, Run } from './run.ts';

export interface Area {
  readonly kinds: readonly Kind[];
  /** Undefined for the whole cluster. */
  readonly namespaces: readonly string[] | undefined;
  readonly name: string | undefined;
  readonly uids?: ReadonlySet<string>;
}

type WholeArea = Pick<Area, 'kinds' | 'namespaces'>;

/** A namespace selects only namespaced kinds. A name without a namespace selects only cluster-scoped kinds. */
export function areaOf({ kind: word, namespace, name }: ReconcileRequest, all: WholeArea): Area {
  const named = all.kinds.filter((kind) => word === undefined || hasName(kind, word));
  if (namespace === undefined) {
    const kinds = name === undefined ? named : named.filter(isClusterScoped);
    return { kinds, namespaces: all.namespaces, name };
  }
  const allowed = all.namespaces?.includes(namespace) ?? true;
  const kinds = allowed ? named.filter((kind) => !isClusterScoped(kind)) : [];
  return { kinds, namespaces: [namespace], name };
}

/** Splits an area by namespace, because a failed list in one namespace must not hide objects in another. */
export const splitArea = (area: Area): readonly Area[] =>
  area.namespaces?.map((namespace) => ({ ...area, namespaces: [namespace] })) ?? [area];

export const isWide = ({ namespace, name }: ReconcileRequest): boolean =>
  namespace === undefined && name === undefined;

/** Only a resync of whole kinds begins rollouts. */
export const isWholeResync = (
  { policy }: Pick<Run, 'policy'>,
  requests: readonly ReconcileRequest[],
): boolean => policy.trigger === 'resync' && requests.every(isWide);

export function misfitOf(
  { kind: word = '', namespace, name }: ReconcileRequest,
  { kinds }: Pick<Area, 'kinds'>,
): string | undefined {
  const kind = kinds.find((one) => hasName(one, word));
  if (kind === undefined) return undefined;
  if (!isClusterScoped(kind) && name !== undefined && namespace === undefined)
    return `${kind.kind} is namespaced: name requires a namespace`;
  if (isClusterScoped(kind) && namespace !== undefined)
    return `${kind.kind} is cluster-scoped: omit namespace`;
  return undefined;
}

/** Depends neither on the order of the areas nor on how the requests spell a kind. */
export const keyOfAreas = (areas: readonly Area[]): string => {
  const keys = areas.map(({ kinds, namespaces, name }) =>
    JSON.stringify([kinds.map(groupResource).toSorted(), namespaces?.toSorted(), name]),
  );
  return [...new Set(keys)].toSorted().join(' ');
};

/** Returns the areas' only namespace, or ''. */
export const laneOf = (areas: readonly Pick<Area, 'namespaces'>[]): string => {
  const [first = '', ...more] = new Set(areas.flatMap(({ namespaces = [''] }) => namespaces));
  return more.length === 0 ? first : '';
};

export const listsOf = ({ kinds, namespaces }: Area): number =>
  (kinds.length + new Set(kinds.flatMap(({ owns }) => owns)).size) * (namespaces?.length ?? 1);

/** Beyond this number of lists, deliveries and later passes select whole namespaces or kinds, which take fewer lists. */
export const maxLists = 64;

/** If the requests need too many lists, widens them to namespaces, then to kinds, where that saves lists. */
export function withinLists(requests: readonly ReconcileRequest[], all: WholeArea) {
  const cost = (some: readonly ReconcileRequest[]): number =>
    some.reduce((sum, request) => sum + listsOf(areaOf(request, all)), 0);
  const widened = (
    some: readonly ReconcileRequest[],
    wider: (request: ReconcileRequest) => ReconcileRequest,
  ): readonly ReconcileRequest[] => {
    if (cost(some) <= maxLists) return some;
    return [...Map.groupBy(some, ({ kind }) => kind).values()].flatMap((own) => {
      const wide = mergeRequests(own.map(wider));
      return cost(wide) < cost(own) ? wide : own;
    });
  };
  const namespaces = widened(requests, ({ kind, namespace }) => reconcileRequest(kind, namespace));
  return widened(namespaces, ({ kind }) => reconcileRequest(kind));
}

/** Selects the worlds' resources or, if these need too many lists, their namespaces or kinds. */
export function areasToFollow(worlds: readonly LiveWorld[], all: WholeArea): readonly Area[] {
  const uids = new Set(worlds.map(({ resource }) => resource.uid));
  const requests = worlds.map(({ kind, resource: { namespace, name } }) =>
    reconcileRequest(groupResource(kind), namespace || undefined, name),
  );
  const merged = withinLists(mergeRequests(requests), all);
  return merged.map((request) => ({ ...areaOf(request, all), uids }));
}
