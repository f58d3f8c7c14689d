import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newDirectory } from '../support/directories.ts';
import { runAlone } from './command-runner.ts';

/** Returns the next steps that `init` prints in a directory with this package.json. */
async function nextAfterInit(manifest: object | undefined): Promise<readonly string[]> {
  const directory = await newDirectory('init-');
  const file = join(directory, 'package.json');
  if (manifest !== undefined) await writeFile(file, JSON.stringify(manifest));
  const { code, out } = await runAlone(['init', directory, '--yes'], { home: directory });
  expect(code).toBe(0);
  if (manifest !== undefined) expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(manifest);
  const lines = out.trimEnd().split('\n');
  return lines.slice(lines.indexOf('Next:') + 2).map((line) => line.trim());
}

test.each([
  [
    'in a new project, which already depends on the package',
    undefined,
    ['npm install', 'npm start'],
  ],
  [
    'in an existing package, which has to install the dependency',
    { name: 'shop', devDependencies: { typescript: '7.0.2' } },
    ['npm install serverless-reconciler', 'npx reconciler start'],
  ],
  [
    'in a package with the dependency, even on an archive',
    { name: 'shop', dependencies: { 'serverless-reconciler': 'file:../reconciler.tgz' } },
    ['npm install', 'npx reconciler start'],
  ],
])('the next steps are right %s', async (_, manifest, want) => {
  expect(await nextAfterInit(manifest)).toEqual(want);
});

test('the next steps quote a directory for the shell if necessary', async () => {
  const parent = await newDirectory('init-');
  const directory = join(parent, 'my reconciler');
  const { out } = await runAlone(['init', directory, '--yes'], { home: parent });
  expect(out).toContain(`\n  cd '${directory}'\n`);
});

test.each([
  {
    what: 'a configuration of other kinds',
    there: { 'reconciler.config.mjs': '' },
    code: 2,
    says: /reconciler\.config\.mjs already exists, and init changes no existing file: add Pool to it and write kinds\/pool\.ts by hand/,
  },
  {
    what: 'an invalid package.json',
    there: { 'package.json': '{' },
    code: 2,
    says: /package\.json is not valid JSON/,
  },
  {
    what: 'a file where a directory is needed',
    there: { kinds: '' },
    code: 1,
    says: /the project cannot be created: ENOTDIR.*; nothing was written/,
  },
])('init writes nothing if there is $what', async ({ there, code, says }) => {
  const directory = await newDirectory('init-');
  for (const [name, text] of Object.entries(there)) await writeFile(join(directory, name), text);
  const given = ['init', directory, '--yes', '--kind', 'Pool'];
  const { err, ...ended } = await runAlone(given, { home: directory });
  expect(ended).toEqual({ code, out: '' });
  expect(err).toMatch(says);
  expect(await readdir(directory)).toEqual(Object.keys(there));
});

test('a new project denies install scripts, of which npm and pnpm complain otherwise', async () => {
  const directory = await newDirectory('init-');
  await runAlone(['init', directory, '--yes'], { home: directory });
  const read = (name: string) => readFile(join(directory, name), 'utf8');
  expect(JSON.parse(await read('package.json'))).toMatchObject({
    allowScripts: { esbuild: false },
  });
  expect(await read('pnpm-workspace.yaml')).toBe('allowBuilds:\n  esbuild: false\n');
});

test('init adds the missing files of a project', async () => {
  const directory = await newDirectory('init-');
  const made = await runAlone(['init', directory, '--yes'], { home: directory });
  await rm(join(directory, 'README.md'));
  const again = await runAlone(['init', directory, '--yes'], { home: directory });
  expect([made.code, again.code]).toEqual([0, 0]);
  expect(again.out.match(/^created .*/gm)).toEqual(['created README.md']);
});

test.each([
  { npm: 'npm/11.19.1 node/v20.20.2 linux x64 workspaces/false', version: '20.20.2' },
  { npm: 'pnpm/10.12.0 npm/? node/v22.18.0 linux x64', version: '22.18.0' },
])('init writes nothing under $npm', async ({ npm, version }) => {
  const directory = await newDirectory('init-');
  const ended = await runAlone(['init', directory, '--yes'], {
    home: directory,
    env: { npm_config_user_agent: npm },
  });
  expect(ended.code).toBe(2);
  expect(ended.err).toContain(
    `a project needs Node 22.19.0 or newer, but npm here runs on Node ${version}: install a newer Node first; nothing was written`,
  );
  expect(await readdir(directory)).toEqual([]);
});
