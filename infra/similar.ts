/** Suggests the most similar names, as in `; did you mean shop or shap?`. Returns '' if no name is similar. */
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

/** The edit distance: the number of characters to insert, delete, replace or swap with the next character. */
function distanceOf(a: string, b: string): number {
  // rows[i][j] is the distance between the first i characters of a and the first j characters of b.
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    rows.push([i]);
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swaps = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = swaps ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      rows[i]?.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped));
    }
  }
  return at(a.length, b.length);
}
