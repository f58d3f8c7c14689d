/** `; did you mean shop or shap?` with the names most similar to `word`; empty if none is similar. */
export function didYouMean(word: string, names: readonly string[]): string {
  const known = [...new Set(names)].map((name) => ({
    name,
    distance: distanceOf(word.toLowerCase(), name.toLowerCase()),
  }));
  const least = Math.min(...known.map(({ distance }) => distance));
  if (least > Math.max(1, word.length * 0.4)) return '';
  const nearest = known.filter(({ distance }) => distance === least).slice(0, 3);
  return `; did you mean ${nearest.map(({ name }) => name).join(' or ')}?`;
}

/** The edit distance: characters to insert, delete, replace or swap with the next one. */
function distanceOf(a: string, b: string): number {
  let [before, row]: [readonly number[], readonly number[]] = [
    [],
    Array.from({ length: b.length + 1 }, (_, at) => at),
  ];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swaps = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = swaps ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(at(row, j) + 1, at(next, j - 1) + 1, replaced, swapped));
    }
    [before, row] = [row, next];
  }
  return at(row, b.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? 0;
