import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const read = (name: string): Promise<string> => readFile(join(root, name), 'utf8');

/** Directories whose tests are named after source files; `test/README.md` says where other tests go. */
const mirrored = ['{plan,exposure}', 'audit', 'controller'];

const filesIn = (pattern: string): readonly string[] => globSync(pattern, { cwd: root });

/** Matches a test of a source, or of one aspect of it: `drift-of-secret` is about `drift`. */
const isAbout = (source: string) => (test: string) =>
  test === source || test.startsWith(`${source}-`);

describe.each(mirrored)('the tests of %s', (directory) => {
  const files = filesIn(`shared/${directory}/**/*.ts`);
  const sources = files.map((file) => basename(file, '.ts'));
  const tests = filesIn(`test/${directory}/*.test.ts`).map((file) => basename(file, '.test.ts'));

  it('cover each file that contains more than types', async () => {
    const strings = await Promise.all(
      files.map(async (file) => ({ name: basename(file, '.ts'), text: await read(file) })),
    );
    const withCode = strings.filter(({ text }) => /^export (?!type |interface )/m.test(text));
    const untested = withCode.filter(({ name }) => !tests.some(isAbout(name)));
    expect(untested.map(({ name }) => name)).toEqual([]);
  });

  it('begin with the name of a file', () => {
    expect(tests.filter((test) => !sources.some((source) => isAbout(source)(test)))).toEqual([]);
  });
});
