import { posix } from 'node:path';

/** A row of the table. Names in a list are separated by spaces; a missing list is empty. */
interface Directory {
  /** Contents of the directory, for the table in ARCHITECTURE.md: `the log`. */
  readonly holds: string;
  readonly imports?: string;
  readonly packages?: string;
  /** Subdirectories, the lowest first. A subdirectory may import the subdirectories listed before it. */
  readonly layers?: string;
}

export interface Rules {
  readonly directories: Readonly<Record<string, Directory>>;
  readonly ownPackages: readonly string[];
  readonly mostFiles: number;
  readonly crowded: readonly string[];
  readonly unlimited: readonly string[];
}

interface Import {
  readonly file: string;
  readonly line: number;
  /** A path from the root, or the name of a package. */
  readonly target: string;
  readonly isRelative: boolean;
}

/** Takes sources as path → text. Returns one line for each violation. */
export function violationsIn(
  sources: ReadonlyMap<string, string>,
  rules: Rules,
): readonly string[] {
  const files = [...sources.keys()];
  const imports = [...sources].flatMap(([file, text]) => importsIn(file, text));
  return [
    ...rowErrors(files, rules),
    ...imports.flatMap((one) => {
      const reason = refusalOf(one, rules);
      return reason === undefined ? [] : [`${locationOf(one)} imports ${one.target}: ${reason}`];
    }),
    ...cyclesIn(imports),
    ...crowdErrors(files, rules),
  ];
}

const locationOf = ({ file, line }: Import): string => `${file}:${line}`;

/**
 * Matches imports at the start of a line, as Biome formats them, and `import('...')`. Skips specifiers that
 * contain `$`, because such imports are in the text of generated files.
 */
const importPattern =
  /^(?:import |(?:import |export |\}).*\bfrom )'([^'$]+)'|\bimport\(\s*'([^'$]+)'/gm;

function importsIn(file: string, text: string): readonly Import[] {
  return [...text.matchAll(importPattern)].map(({ 1: atStart, 2: called, index }) => {
    const specifier = atStart ?? called ?? '';
    const isRelative = specifier.startsWith('.');
    const target = isRelative ? posix.join(posix.dirname(file), specifier) : specifier;
    return { file, line: text.slice(0, index).split('\n').length, target, isRelative };
  });
}

const namesIn = (list = ''): readonly string[] => list.split(' ').filter((name) => name !== '');
const listed = (names: readonly string[]): string => names.join(', ') || 'nothing';
const isIn = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(`${directory}/`);

/** Returns the most specific row that matches a file. */
function rowOf(file: string, { directories }: Rules): string | undefined {
  const siblings = posix.join(posix.dirname(file), '*.ts');
  return Object.keys(directories)
    .filter((row) => row === siblings || isIn(file, row))
    .toSorted((a, b) => b.length - a.length)[0];
}

/** `shared` covers `shared/kinds`, `node:*` covers `node:fs`. */
const covers = (names: readonly string[], name: string): boolean =>
  names.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : isIn(name, one)));

function refusalOf(one: Import, rules: Rules): string | undefined {
  const { file, target, isRelative } = one;
  const row = rowOf(file, rules);
  const { imports, packages, layers } = rules.directories[row ?? ''] ?? {};
  if (row === undefined) return;
  const own = rules.ownPackages.find((top) => isIn(file, top) !== isIn(target, top));
  if (isRelative && own !== undefined)
    return `${own} is a package of its own: use a package name, not a relative path`;
  const targetRow = isRelative ? rowOf(target, rules) : target;
  if (targetRow === row) return layerErrorOf(one, row, namesIn(layers));
  const allowed = namesIn(isRelative ? imports : packages);
  if (targetRow !== undefined && covers(allowed, targetRow)) return;
  return `the row ${row} allows ${listed(allowed)}`;
}

/** Returns an error for an import of a later layer. Files outside all layers count as the last layer. */
function layerErrorOf(
  { file, target }: Import,
  row: string,
  layers: readonly string[],
): string | undefined {
  const rankOf = (path: string): number => {
    const rank = layers.indexOf(path.slice(row.length + 1).split('/', 1)[0] ?? '');
    return rank < 0 ? layers.length : rank;
  };
  if (rankOf(target) <= rankOf(file)) return;
  return `this layer of ${row} may import ${listed(layers.slice(0, rankOf(file)))}`;
}

function rowErrors(files: readonly string[], rules: Rules): readonly string[] {
  const rows = Object.keys(rules.directories);
  const used = new Set(files.map((file) => rowOf(file, rules)));
  return [
    ...files
      .filter((file) => rowOf(file, rules) === undefined)
      .map((file) => `${file} is in no row: add a row for ${posix.dirname(file)}`),
    ...rows.filter((row) => !used.has(row)).map((row) => `the row ${row} has no file: delete it`),
    ...Object.entries(rules.directories).flatMap(([row, { imports }]) =>
      namesIn(imports)
        .filter((name) => !rows.some((other) => covers([name], other)))
        .map((name) => `the row ${row} allows ${name}, which is not a row`),
    ),
  ];
}

function cyclesIn(imports: readonly Import[]): readonly string[] {
  const importsOf = Map.groupBy(imports, ({ file }) => file);
  const visited = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    visited.add(file);
    for (const one of importsOf.get(file) ?? []) {
      const cycle = path.slice(path.indexOf(one.target));
      if (path.includes(one.target))
        found.push(`${locationOf(one)} closes a cycle: ${[...cycle, one.target].join(' → ')}`);
      if (!visited.has(one.target)) visit(one.target, [...path, one.target]);
    }
  };
  for (const file of importsOf.keys()) if (!visited.has(file)) visit(file, [file]);
  return found;
}

function crowdErrors(
  files: readonly string[],
  { mostFiles, crowded, unlimited }: Rules,
): readonly string[] {
  const counts = Map.groupBy(files, (file) => posix.dirname(file));
  const isFull = (directory: string): boolean => (counts.get(directory)?.length ?? 0) > mostFiles;
  return [
    ...[...counts.keys()]
      .filter((one) => isFull(one) && !crowded.includes(one) && !covers(unlimited, one))
      .map(
        (one) =>
          `${one} has ${counts.get(one)?.length} files, and the limit is ${mostFiles}: split the directory`,
      ),
    ...crowded
      .filter((one) => !isFull(one))
      .map(
        (one) => `${one} no longer has more than ${mostFiles} files: remove it from \`crowded\``,
      ),
  ];
}
