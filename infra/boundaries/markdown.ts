import type { Rules } from './check.ts';

const begin = '<!-- Written by `npm run generate:boundaries`. -->\n';
const end = '<!-- End of the table. -->';

/** Replaces the text between the two markers of a document with the table. */
export function withTable(document: string, { folders }: Rules): string {
  const from = document.indexOf(begin);
  const to = document.indexOf(end, from);
  if (from < 0 || to < 0)
    throw new Error(`no place for the table of folders: put these lines there:\n${begin}${end}`);
  const rows = Object.entries(folders).map(([row, { holds, imports, packages }]) => {
    const name = row.endsWith('.ts') ? row : `${row}/`;
    return `| \`${name}\` | ${holds} | ${listed(imports)} | ${listed(packages)} |\n`;
  });
  const table = ['| folder | holds | may import | packages |\n|---|---|---|---|\n', ...rows];
  return document.slice(0, from) + begin + table.join('') + document.slice(to);
}

function listed(names = ''): string {
  if (names === '*') return 'all';
  return names === '' ? 'none' : `\`${names.replaceAll(' ', '`, `')}\``;
}
