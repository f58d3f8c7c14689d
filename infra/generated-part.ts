/** Replaces the part between two comments, the first of which names the generating script. */
export function withPart(document: string, script: string, part: string): string {
  const begin = `<!-- Written by \`npm run ${script}\`. -->\n`;
  const end = '<!-- End of the table. -->';
  const from = document.indexOf(begin);
  const to = document.indexOf(end, from);
  if (from < 0 || to < 0)
    throw new Error(
      `there are no markers for the table of ${script}; add these lines where the table belongs:\n${begin}${end}`,
    );
  return document.slice(0, from) + begin + part + document.slice(to);
}
