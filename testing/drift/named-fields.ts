/**
 * Returns the changed fields that have a difference of their own in the plan. Omits fields that share a difference,
 * such as items of a list compared as a whole: a shared difference does not show that each change was found.
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
 * Returns the parents of a path: for `spec.ports[0].name`, these are `spec.ports[0]`, `spec.ports` and `spec`. Some
 * of the returned paths may not exist, because a dot can be part of a key.
 */
const parentsOf = (path: string): readonly string[] =>
  [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index)).toReversed();
