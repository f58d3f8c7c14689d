/** Returns `; did you mean replicas?` if a known name resembles the misspelt name; otherwise an empty string. */
export function suggestion(name: string, known: readonly string[]): string {
  const [closest] = known
    .map((word) => ({ word, distance: distanceOf(name.toLowerCase(), word.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .toSorted((a, b) => a.distance - b.distance);
  return closest === undefined ? '' : `; did you mean ${closest.word}?`;
}

/** Returns the Levenshtein distance: the number of characters to insert, remove or replace. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, character] of [...one].entries()) {
    const above = row;
    row = [at + 1];
    for (let to = 0; to < other.length; to++) {
      const replaced = (above[to] ?? 0) + (character === other[to] ? 0 : 1);
      row.push(Math.min(replaced, (above[to + 1] ?? 0) + 1, (row[to] ?? 0) + 1));
    }
  }
  return row[other.length] ?? 0;
}
