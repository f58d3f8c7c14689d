/**
 * Returns the changed fields that have a difference of their own in the plan. Omits fields that share a difference,
 * such as items of a list that is compared as a whole: if only one of them changes, the plan might miss it.
 */
export function namedFields(
  changed: readonly string[],
  differences: readonly string[],
): ReadonlySet<string> {
  const known = new Set(differences);
  const byDifference = Map.groupBy(changed, (path) =>
    [path, ...parentsOf(path)].find((one) => known.has(one)),
  );
  const named = [...byDifference].filter(
    ([difference, paths]) => difference !== undefined && paths.length === 1,
  );
  return new Set(named.flatMap(([, paths]) => paths));
}

/**
 * Returns the paths around a path: `spec.ports[0]`, `spec.ports` and `spec` for `spec.ports[0].name`. A dot
 * may also be part of a key, so some of them may not exist.
 */
const parentsOf = (path: string): readonly string[] =>
  [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index)).toReversed();
