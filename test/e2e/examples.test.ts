import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { packageRoot } from '../../infra/package-root.ts';
import { newDirectory } from '../support/directories.ts';
import { blocksOf, patched, sourceOptions, withSources } from '../support/examples.ts';

const pages = ['testing', 'kinds', 'steps', 'secrets', 'recipes', 'child-types', 'tutorial'].map(
  (page) => `docs/${page}.md`,
);

// All examples with tests run in one process, which loads the sources once.
test('the tests in all documents pass under node --test', { timeout: 240_000 }, async () => {
  const directory = await newDirectory('examples-');
  const files = await examples();
  await writeFile(join(directory, 'package.json'), '{"type":"module"}');
  for (const { name, code } of files) await writeFile(join(directory, name), withSources(code));

  const args = ['--test', '--test-isolation=none', '--test-reporter=tap'];
  const run = await promisify(execFile)(process.execPath, args, { cwd: directory }).catch(
    (failed: { readonly stdout: string }) => failed,
  );
  const tests = files.flatMap(({ code }) => code.match(/^test\('/gm) ?? []);
  expect(tests.length).toBeGreaterThanOrEqual(11);
  expect(run.stdout, run.stdout).toContain('# fail 0\n');
  expect(run.stdout).toContain(`# pass ${tests.length}\n`);
});

test('the examples compile in a project that a user creates', { timeout: 120_000 }, async () => {
  const directory = await newDirectory('typed-');
  for (const { name, code } of await examples()) await writeFile(join(directory, name), code);
  const project = {
    extends: join(packageRoot, 'test/published/tsconfig.json'),
    compilerOptions: sourceOptions,
    include: ['*.ts'],
  };
  const files = { 'package.json': { type: 'module' }, 'tsconfig.json': project };
  for (const [name, content] of Object.entries(files))
    await writeFile(join(directory, name), JSON.stringify(content));
  const tsc = join(packageRoot, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', directory, '--pretty', 'false'];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch(
    (failed: { readonly stdout: string }) => failed,
  );
  expect(stdout).toBe('');
});

async function examples() {
  const found = await Promise.all(pages.map(testsOn));
  return [...found.flat(), { name: 'site.ts', code: await finalKind() }];
}

async function testsOn(page: string) {
  const blocks = await blocksOf(page);
  const tests = blocks.filter(
    ({ language, text }) => language === 'ts' && text.includes("from 'node:test'"),
  );
  expect(tests.length, page).toBeGreaterThan(0);
  const stem = page.replace(/^docs\/(.*)\.md$/, '$1');
  return tests.map(({ text }, at) => ({ name: `${stem}-${at}.test.ts`, code: text }));
}

/** Returns the kind at the end of the tutorial. */
async function finalKind(): Promise<string> {
  const blocks = await blocksOf('docs/tutorial.md');
  return blocks
    .filter(({ language, text }) => language === 'diff' || text.includes('defineKind('))
    .reduce((code, { language, text }) => (language === 'diff' ? patched(code, text) : text), '');
}
