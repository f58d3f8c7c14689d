import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const read = (name: string): Promise<string> => readFile(join(root, name), 'utf8');

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
