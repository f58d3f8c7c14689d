import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const read = (name: string): Promise<string> => readFile(join(root, name), 'utf8');

interface Room {
  readonly place: string;
  /** Other rooms by the last part of their place, or `shared` for all of that folder. */
  readonly mayImport: string;
}

const [, table = ''] = (await read('DESIGN.md')).split('| room | holds | may import |');
const rooms: readonly Room[] = table
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

/** Every pattern that the linter refuses in a room; of overrides for the same files the last counts. */
const refusedIn = (place: string): readonly string[] =>
  overrides
    .filter(({ includes }) => includes[0] === place || includes[0] === `${place}/**`)
    .flatMap(({ linter }) => linter.rules.style?.noRestrictedImports ?? [])
    .at(-1)
    ?.options.patterns.flatMap(({ group }) => group) ?? [];

/** Rooms with rules of this linter: the others may import everything, or have a check of their own. */
const ruled = rooms.filter(({ place }) => !/^(infra\/local|terraform|test)$/.test(place));

const isAllowed = ({ place, mayImport }: Room, other: string): boolean =>
  other === place ||
  other.endsWith('*.ts') ||
  mayImport.split(/[,;] ?/).includes(basename(other, '.ts')) ||
  (mayImport.startsWith('shared') && other.startsWith('shared/')) ||
  (mayImport.includes('the local cluster') && other === 'infra/local');

/** Whether a pattern of the linter covers a room: by its own name, or by the folder it is in. */
const isRefused = (refused: readonly string[], other: string): boolean =>
  [basename(other), other.split('/', 1)[0]].some(
    (name) => refused.includes(`**/${name}/**`) || refused.includes(`**/${name}`),
  );

describe('the table of rooms', () => {
  it.each(ruled)('$place: the linter refuses what is not in its row', (room) => {
    const refused = refusedIn(room.place);
    const open = rooms
      .map(({ place }) => place)
      .filter((other) => other !== 'terraform' && !isAllowed(room, other))
      .filter((other) => !isRefused(refused, other));
    expect(open).toEqual([]);
  });

  it.each(ruled)('$place: the linter allows what is in its row', (room) => {
    const others = ruled.map(({ place }) => place).filter((other) => isAllowed(room, other));
    const refused = refusedIn(room.place);
    expect(others.filter((other) => refused.includes(`**/${basename(other)}/**`))).toEqual([]);
  });

  it('names every folder with sources', () => {
    const folders = ['shared', 'infra'].flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true })
        .filter((one) => one.isDirectory())
        .map(({ name }) => `${folder}/${name}`),
    );
    const isSource = (folder: string): boolean =>
      readdirSync(join(root, folder), { recursive: true }).some((path) => /\.ts$/.test(`${path}`));
    const known = rooms.map(({ place }) => place);
    expect(folders.filter((one) => isSource(one) && !known.includes(one))).toEqual([]);
  });
});

/** Rooms of functions that are tested each on its own; `test/README.md` says where other tests go. */
const mirrored = ['plan', 'exposure', 'audit', 'controller'];

const namesIn = (folder: string, ending: string): readonly string[] =>
  readdirSync(join(root, folder)).flatMap((file) =>
    file.endsWith(ending) ? [basename(file, ending)] : [],
  );

/** `drift-of-secret` is about one aspect of `drift`. */
const isAbout = (source: string) => (test: string) =>
  test === source || test.startsWith(`${source}-`);

describe.each(mirrored)('the tests of %s', (room) => {
  const sources = namesIn(join('shared', room), '.ts');
  const tests = namesIn(join('test', room), '.test.ts');

  it('cover each file that holds more than types', async () => {
    const texts = await Promise.all(
      sources.map(async (name) => ({ name, text: await read(`shared/${room}/${name}.ts`) })),
    );
    const withCode = texts.filter(({ text }) => /^export (?!type |interface )/m.test(text));
    const untested = withCode.filter(({ name }) => !tests.some(isAbout(name)));
    expect(untested.map(({ name }) => name)).toEqual([]);
  });

  it('begin with the name of a file', () => {
    expect(tests.filter((test) => !sources.some((source) => isAbout(source)(test)))).toEqual([]);
  });
});
