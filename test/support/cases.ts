/** Returns the cases of a table for `it.each`, with titles such as `Unlabelled: the object is foreign`. */
export const casesOf = <Case extends { readonly reason: string }>(
  table: Readonly<Record<string, Case>>,
): [title: string, row: Case][] =>
  Object.entries(table).map(([name, row]) => [`${name}: ${row.reason}`, row]);
