import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runAlone } from './command-runner.ts';

/** What `init` prints in a directory with this package.json, after the files. */
async function nextAfterInit(manifest: object | undefined): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'init-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, 'package.json');
  if (manifest !== undefined) await writeFile(file, JSON.stringify(manifest));
  const { code, out } = await runAlone(['init', directory, '--yes'], { home: directory });
  expect(code).toBe(0);
  if (manifest !== undefined) expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(manifest);
  const lines = out.trimEnd().split('\n');
  return lines.slice(lines.indexOf('Next:') + 2).map((line) => line.trim());
}

test.each([
  ['a new project has the package', undefined, ['npm install', 'npm start']],
  [
    'to a package it is added',
    { name: 'shop', devDependencies: { typescript: '7.0.2' } },
    ['npm install serverless-reconciler', 'npx reconciler start'],
  ],
  [
    'where it is, from an archive or not, nothing is',
    { name: 'shop', dependencies: { 'serverless-reconciler': 'file:../reconciler.tgz' } },
    ['npm install', 'npx reconciler start'],
  ],
])('%s', async (_, manifest, want) => {
  expect(await nextAfterInit(manifest)).toEqual(want);
});
