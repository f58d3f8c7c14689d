import { withPart } from '../generated-part.ts';
import type { Rules } from './violations.ts';

/** Matches the rows that ARCHITECTURE.md shows. For all other rows, ARCHITECTURE.md refers to `table.ts`. */
const shown = /^(shared|functions)\b/;

export function withTable(document: string, rules: Rules): string {
  const rows = Object.entries(rules.directories)
    .filter(([row]) => shown.test(row))
    .map(([row, { holds }]) => `| \`${nameOf(row)}\` | ${holds} | ${basesOf(row, rules)} |\n`);
  const table = ['| directory | holds | rests on |\n|---|---|---|\n', ...rows];
  return withPart(document, 'generate:boundaries', table.join(''));
}

const nameOf = (row: string): string => (row.endsWith('.ts') ? row : `${row}/`);

const shortNameOf = (row: string): string => `\`${row.replace(/^shared\//, '')}\``;

/** If a directory may import A and B, and A may import B, lists only A. Omits `shared/`. */
function basesOf(row: string, rules: Rules): string {
  const direct = importedBy(row, rules);
  const below = new Set(direct.flatMap((one) => [...allBelow(one, rules)]));
  const bases = direct.filter((one) => !below.has(one)).map(shortNameOf);
  return bases.join(', ') || '–';
}

function importedBy(row: string, { directories }: Rules): readonly string[] {
  const names = directories[row]?.imports?.split(' ') ?? [];
  const isNamed = (other: string): boolean =>
    names.some((name) => other === name || other.startsWith(`${name}/`));
  return Object.keys(directories).filter((other) => other !== row && isNamed(other));
}

function allBelow(row: string, rules: Rules, found = new Set<string>()): ReadonlySet<string> {
  for (const one of importedBy(row, rules)) {
    if (found.has(one)) continue;
    found.add(one);
    allBelow(one, rules, found);
  }
  return found;
}
