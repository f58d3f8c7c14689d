import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const read = (name: string): Promise<string> => readFile(join(root, name), 'utf8');

interface Folder {
  readonly place: string;
  /** Other folders by the last part of their place, or `shared` for all in that one. */
  readonly mayImport: string;
}

const [, table = ''] = (await read('DESIGN.md')).split('| folder | holds | may import |');
const folders: readonly Folder[] = table
  .split('\n\n', 1)
  .join('')
  .split('\n')
  .flatMap((row) => /^\| `([^`]+)` \|.*\| (.+) \|$/.exec(row)?.slice(1) ?? [])
  .flatMap((place, at, cells) =>
    at % 2 === 0 ? [{ place: place.replace(/\/$/, ''), mayImport: cells[at + 1] ?? '' }] : [],
  );

interface Override {
  readonly includes: readonly string[];
  readonly linter: {
    readonly rules: {
      readonly style?: {
        readonly noRestrictedImports?: {
          readonly options: { readonly patterns: readonly { readonly group: readonly string[] }[] };
        };
      };
    };
  };
}

const { overrides } = JSON.parse(await read('biome.json')) as {
  readonly overrides: readonly Override[];
};

/** Every pattern that the linter refuses in a folder; of overrides for the same files the last counts. */
const refusedIn = (place: string): readonly string[] =>
  overrides
    .filter(({ includes }) => includes[0] === place || includes[0] === `${place}/**`)
    .flatMap(({ linter }) => linter.rules.style?.noRestrictedImports ?? [])
    .at(-1)
    ?.options.patterns.flatMap(({ group }) => group) ?? [];

/** Folders with rules of this linter: the others may import everything, or have a check of their own. */
const ruled = folders.filter(({ place }) => !/^(infra\/local|terraform|test)$/.test(place));

const isAllowed = ({ place, mayImport }: Folder, other: string): boolean =>
  other === place ||
  other.endsWith('*.ts') ||
  mayImport.split(/[,;] ?/).includes(basename(other, '.ts')) ||
  (mayImport.startsWith('shared') && other.startsWith('shared/')) ||
  (mayImport.includes('the local cluster') && other === 'infra/local');

/** Whether a pattern of the linter covers a folder: by its own name, or by that of the one it is in. */
const isRefused = (refused: readonly string[], other: string): boolean =>
  [basename(other), other.split('/', 1)[0]].some(
    (name) => refused.includes(`**/${name}/**`) || refused.includes(`**/${name}`),
  );

describe('the table of folders', () => {
  it.each(ruled)('$place: the linter refuses what is not in its row', (folder) => {
    const refused = refusedIn(folder.place);
    const open = folders
      .map(({ place }) => place)
      .filter((other) => other !== 'terraform' && !isAllowed(folder, other))
      .filter((other) => !isRefused(refused, other));
    expect(open).toEqual([]);
  });

  it.each(ruled)('$place: the linter allows what is in its row', (folder) => {
    const others = ruled.map(({ place }) => place).filter((other) => isAllowed(folder, other));
    const refused = refusedIn(folder.place);
    expect(others.filter((other) => refused.includes(`**/${basename(other)}/**`))).toEqual([]);
  });

  it('names every folder with sources', () => {
    const present = ['shared', 'infra'].flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true })
        .filter((one) => one.isDirectory())
        .map(({ name }) => `${folder}/${name}`),
    );
    const isSource = (folder: string): boolean =>
      readdirSync(join(root, folder), { recursive: true }).some((path) => /\.ts$/.test(`${path}`));
    const known = folders.map(({ place }) => place);
    expect(present.filter((one) => isSource(one) && !known.includes(one))).toEqual([]);
  });
});

/** Folders of functions that are tested each on its own; `test/README.md` says where other tests go. */
const mirrored = ['plan', 'exposure', 'audit', 'controller'];

const namesIn = (folder: string, ending: string): readonly string[] =>
  readdirSync(join(root, folder)).flatMap((file) =>
    file.endsWith(ending) ? [basename(file, ending)] : [],
  );

/** `drift-of-secret` is about one aspect of `drift`. */
const isAbout = (source: string) => (test: string) =>
  test === source || test.startsWith(`${source}-`);

describe.each(mirrored)('the tests of %s', (folder) => {
  const sources = namesIn(join('shared', folder), '.ts');
  const tests = namesIn(join('test', folder), '.test.ts');

  it('cover each file that holds more than types', async () => {
    const texts = await Promise.all(
      sources.map(async (name) => ({ name, text: await read(`shared/${folder}/${name}.ts`) })),
    );
    const withCode = texts.filter(({ text }) => /^export (?!type |interface )/m.test(text));
    const untested = withCode.filter(({ name }) => !tests.some(isAbout(name)));
    expect(untested.map(({ name }) => name)).toEqual([]);
  });

  it('begin with the name of a file', () => {
    expect(tests.filter((test) => !sources.some((source) => isAbout(source)(test)))).toEqual([]);
  });
});
