import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const entryPoints = {
  'serverless-reconciler/testing': 'testing/index.ts',
  'serverless-reconciler': 'index.ts',
};

const pages = [
  { page: 'docs/testing.md', passes: 3 },
  { page: 'docs/kinds.md', passes: 3 },
];

test.each(pages)(
  'the examples of $page pass under node --test',
  { timeout: 120_000 },
  async ({ page, passes }) => {
    const text = await readFile(join(root, page), 'utf8');
    const examples = [...text.matchAll(/```ts\n(import .*?)```/gs)].map(([, code = '']) => code);
    const folder = await mkdtemp(join(tmpdir(), 'examples-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    for (const [at, code] of examples.entries())
      await writeFile(join(folder, `example-${at}.test.mts`), withSources(code));

    const args = ['--test', '--test-reporter=tap'];
    const run = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
      (failed: { readonly stdout: string }) => failed,
    );
    expect(run.stdout).toContain(`# pass ${passes}\n`);
    expect(run.stdout).toContain('# fail 0\n');
  },
);

const withSources = (code: string): string =>
  Object.entries(entryPoints).reduce(
    (text, [name, file]) => text.replace(`'${name}'`, `'${pathToFileURL(join(root, file))}'`),
    code,
  );
