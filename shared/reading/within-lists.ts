import { type Area, areaOf, listsOf } from '../run/area.ts';
import { type Scope, scopeOf } from '../scope.ts';

/** How many lists the scopes of one delivery may take, unless a tick takes more. */
export const maxLists = 64;

/**
 * Widens Scopes that would take too many lists, to namespaces and then to whole kinds, beginning with
 * the kinds where that saves most.
 *
 * Guarantees: at most `maxLists` lists, or as many as a tick of these kinds takes.
 */
export const withinLists = (
  scopes: readonly Scope[],
  all: Omit<Area, 'name'>,
): readonly Scope[] => {
  const places = widened(scopes, all, ({ kind, namespace }) => scopeOf(kind, namespace));
  return widened(places, all, ({ kind }) => scopeOf(kind));
};

function widened(
  scopes: readonly Scope[],
  all: Omit<Area, 'name'>,
  wider: (scope: Scope) => Scope,
): readonly Scope[] {
  const cost = (some: readonly Scope[]): number =>
    some.reduce((sum, scope) => sum + listsOf(areaOf(scope, all)), 0);
  const changes = [...Map.groupBy(scopes, ({ kind }) => kind).values()]
    .map((own) => ({ own, wide: unique(own.map(wider)) }))
    .map((one) => ({ ...one, saved: cost(one.own) - cost(one.wide) }))
    .toSorted((a, b) => b.saved - a.saved);
  let total = cost(scopes);
  return changes.flatMap(({ own, wide, saved }) => {
    if (total <= maxLists || saved <= 0) return own;
    total -= saved;
    return wide;
  });
}

const unique = (scopes: readonly Scope[]): readonly Scope[] => [
  ...new Map(scopes.map((scope) => [JSON.stringify(scope), scope])).values(),
];
