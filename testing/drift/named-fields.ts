/**
 * Returns the changed fields that have a difference of their own in a plan. A field that shares a difference,
 * such as an item of a list that is compared as a whole, might have been missed if changed alone.
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

/** `spec.ports[0]`, `spec.ports` and `spec` for `spec.ports[0].name`; a dot may also be part of a key. */
const parentsOf = (path: string): readonly string[] =>
  [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index)).toReversed();
