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

test('the example of docs/testing.md passes under node --test', { timeout: 60_000 }, async () => {
  const page = await readFile(join(root, 'docs/testing.md'), 'utf8');
  let [, example = ''] = /```ts\n(import .*?)```/s.exec(page) ?? [];
  for (const [name, file] of Object.entries(entryPoints))
    example = example.replace(`'${name}'`, `'${pathToFileURL(join(root, file))}'`);
  const folder = await mkdtemp(join(tmpdir(), 'testing-example-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'cache.test.mts'), example);

  const args = ['--test', '--test-reporter=tap', 'cache.test.mts'];
  const run = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
    (failed: { readonly stdout: string }) => failed,
  );
  expect(run.stdout).toContain('# pass 3\n');
  expect(run.stdout).toContain('# fail 0\n');
});
