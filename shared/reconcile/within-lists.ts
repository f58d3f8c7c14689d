import { type Scope, scopeOf } from '../scope.ts';
import { type Area, areaOf, listsOf } from './area.ts';

/** Lists that the scopes of one delivery may take, unless those of a tick are more. */
export const maxLists = 64;

/**
 * Scopes that cover at least the same in few lists: if they take too many, the scopes of the kinds that
 * save most are widened to namespaces, then to the whole kind.
 *
 * Guarantees: `maxLists` at most, or as many as a tick of the kinds concerned takes.
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
