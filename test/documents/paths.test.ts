import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const filesOf = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: root, exclude: ['**/node_modules'] });

/** Files that a reader of the README or `init` creates. */
const examples = ['systems/cache.ts', 'kinds/cache.test.ts', 'kinds/site.test.ts'];

const tops = 'shared|systems|functions|infra|test|testing|terraform';
const pathPattern = new RegExp(`(?<![\\w./@-])/?((?:${tops})/[\\w./*-]*[\\w*])`, 'g');
/** Matches names of tests without `test/`, as in the tables of test/README.md. */
const testPattern = /`([\w/*-]+\.test\.ts)`/g;

const isThere = (path: string): boolean =>
  path.includes('*') ? filesOf(path).length > 0 : existsSync(join(root, path));

/** Lists the named paths that exist in none of these directories. */
const missingIn = (
  text: string,
  pattern: RegExp,
  directories: readonly string[] = [''],
): readonly string[] =>
  [...text.matchAll(pattern)]
    .map(([, path = '']) => path.replace(/\/\*+$/, ''))
    .filter((path) => !examples.includes(path))
    .filter((path) => !directories.some((directory) => isThere(`${directory}${path}`)));

const read = (name: string): Promise<string> => readFile(join(root, name), 'utf8');

const named = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'ARCHITECTURE.md',
  'test/README.md',
  'terraform/README.md',
  '.ci/run',
  'biome.json',
  'package.json',
  'tsconfig.json',
  ...filesOf('*.config.ts'),
  ...filesOf('docs/**/*.md'),
  ...filesOf('test/mutation/*'),
];

it.each(named)('%s names only files that exist', async (name) => {
  const text = await read(name);
  expect(missingIn(text, pathPattern, ['', 'infra/local/', 'test/'])).toEqual([]);
  expect(missingIn(text, testPattern, ['', 'test/**/'])).toEqual([]);
});

it('commands named in sources exist', async () => {
  const commands = new RegExp(`\\bnode ((?:${tops})/[\\w./-]+\\.m?[tj]s)`, 'g');
  const sources = [...filesOf('{shared,functions,infra,test}/**/*.{ts,mjs}'), ...filesOf('.ci/*')];
  const missing = await Promise.all(
    sources.map(async (name) =>
      missingIn(await read(name), commands).map((path) => `${name}: ${path}`),
    ),
  );
  expect(missing.flat()).toEqual([]);
});
