import { type ReconcileRequest, reconcileRequest } from '../reconcile-request.ts';
import { type Area, areaOf, listsOf } from '../run/area.ts';

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
