import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { newDirectory } from '../support/directories.ts';

const root = join(import.meta.dirname, '../..');

test('the example in the README of the local cluster passes', {
  timeout: 60_000,
}, async () => {
  const readme = await readFile(join(root, 'infra/local/README.md'), 'utf8');
  const [, example = ''] = /```ts\n(import .*?)```/s.exec(readme) ?? [];
  const copy = await newDirectory('local-cluster-example-');
  for (const part of ['infra', 'node_modules', 'package.json'])
    await symlink(join(root, part), join(copy, part));
  await writeFile(join(copy, 'example.test.ts'), example);

  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [vitest, 'run', '--root', copy, 'example.test.ts'],
    { cwd: copy, env: { ...process.env, NO_COLOR: '1' } },
  );
  expect(stdout).toMatch(/Tests\s+1 passed \(1\)/);
});
