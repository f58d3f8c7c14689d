import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bundleFunction } from '../../infra/build/bundle.ts';
import { configFile } from '../support/config.ts';

it('a bundle checks the Node version before any other code runs', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'bundle-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const { files } = await bundleFunction(configFile, 'audit');
  const bundle = join(directory, 'index.cjs');
  await writeFile(bundle, files['index.js']!);
  const older = join(directory, 'older.cjs');
  const versions = "{ ...process.versions, node: '20.20.2' }";
  await writeFile(
    older,
    `Object.defineProperty(process, 'versions', { value: ${versions} });
Object.defineProperty(process, 'version', { value: 'v20.20.2' });`,
  );
  const { status, stderr } = spawnSync(process.execPath, ['--require', older, bundle], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([
    1,
    'serverless-reconciler needs Node 24 or newer, and this is v20.20.2\n',
  ]);
});
