import { spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort, lineOf } from '../support/processes.ts';
import { cloneRepository } from './clone.ts';
import { ended, env, run } from './project.ts';

/** Clone in which the recipe of the README is followed. */
let copy: string;

beforeAll(async () => {
  copy = await cloneRepository();
}, 300_000);
afterAll(() => rm(copy, { recursive: true, force: true }));

const git = (...args: readonly string[]): Promise<string> => run(copy, 'git', ...args);
const npm = (...args: readonly string[]): Promise<string> => run(copy, 'npm', ...args);

const quick = ['NO_COLOR=1', 'FC_RUNS=0.05'];
const how = ['--run', '--retry=1', '--reporter=dot'];
const vitest = (...args: readonly string[]): Promise<string> =>
  run(copy, 'env', ...quick, 'npm', 'exec', '--', 'vitest', ...args);

const testsIn = async (...directories: readonly string[]): Promise<readonly string[]> =>
  (await git('ls-files', ...directories)).split('\n').filter((file) => file.endsWith('.test.ts'));

const list = (): string => join(copy, 'reconciler.config.ts');

/** Follows the recipe up to `npm run generate`. Returns the name of the new kind's file. */
async function addCache(): Promise<string> {
  const [, file = '', code = ''] =
    /## A kind of your own\n\n.*?one file, `([^`]+)`:\n\n```ts\n(.*?)```/s.exec(
      await readFile(join(copy, 'README.md'), 'utf8'),
    ) ?? [];
  await writeFile(join(copy, file), code);
  await writeFile(list(), withKind(await readFile(list(), 'utf8'), 'cache'));
  return file;
}

test('the recipe: another kind needs one file and one line', { timeout: 120_000 }, async () => {
  const file = await addCache();
  await npm('run', 'generate');
  expect(await git('status', '--porcelain', '--untracked-files=all')).toBe(
    [
      ' M infra/audit/policy.yaml',
      ' M infra/kustomization.yaml',
      ' M infra/rbac/cluster-role.yaml',
      ' M reconciler.config.ts',
      ' M terraform/modules/filter/kinds.json',
      '?? infra/crds/caches.example.org.yaml',
      '?? infra/samples/cache.yaml',
      `?? ${file}\n`,
    ].join('\n'),
  );
});

/** Adds the import where the linter requires it, and the name at the end of the list. */
function withKind(config: string, name: string): string {
  const lines = config.split('\n');
  const path = `./systems/${name}.ts`;
  const at = lines.findIndex((line) => (/^import .* from '(.*)';$/.exec(line)?.[1] ?? '') > path);
  lines.splice(at, 0, `import { ${name} } from '${path}';`);
  lines.splice(lines.lastIndexOf('  ],'), 0, `    ${name},`);
  return lines.join('\n');
}

test('the recipe: npm start reconciles the new kind', { timeout: 120_000 }, async () => {
  const ports = await Promise.all([1, 2, 3, 4].map(freePort));
  const names = ['--api-port', '--resync-port', '--audit-port', '--page-port'];
  const options = names.flatMap((name, at) => [name, String(ports[at])]);
  const started = spawn(process.execPath, ['infra/cli/main.ts', 'start', ...options], {
    cwd: copy,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => ended(started));
  expect(await lineOf(started, /caches\.example\.org/)).toContain(
    'deployment.apps/cache-sample-cache created for caches.example.org default/cache-sample',
  );
  const api = `http://127.0.0.1:${ports[0]}`;
  const { spec } = (await (
    await fetch(`${api}/apis/apps/v1/namespaces/default/deployments/cache-sample-cache`)
  ).json()) as { spec: { template: { spec: { containers: { args: string[] }[] } } } };
  expect(spec.template.spec.containers[0]?.args).toEqual(['memcached', '-m', '128']);
  const refused = await fetch(`${api}/apis/example.org/v1/namespaces/default/caches`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'example.org/v1',
      kind: 'Cache',
      metadata: { name: 'tiny' },
      spec: { megabytes: 1 },
    }),
  });
  expect(refused.status).toBe(422);
});

test('the recipe: linter, compiler, documents and scenarios accept the new kind', {
  timeout: 900_000,
}, async () => {
  await npm('run', 'check');
  const lists = await testsIn('test/documents', 'test/generate', 'test/terraform');
  expect(await vitest(...how, ...lists)).toMatch(/Test Files +\d{2,} passed/);
  const scenarios = ['test/e2e/scenarios-embedded.test.ts', '--testNamePattern=Cache'];
  const config = '--config=vitest.e2e.config.ts';
  expect(await vitest(...how, config, ...scenarios)).toMatch(/Tests +\d+ passed/);
});

test('the recipe: removing the new kind leaves nothing behind', { timeout: 300_000 }, async () => {
  await git('checkout', '--quiet', '--', 'reconciler.config.ts');
  await rm(join(copy, 'systems', 'cache.ts'));
  await npm('run', 'generate');
  expect(await git('status', '--porcelain')).toBe('');
});

test('one of our own kinds can be replaced with its tests, and the tests of the others pass', {
  timeout: 1_800_000,
}, async () => {
  await git('checkout', '--quiet', '--', '.');
  await addCache();
  const config = await readFile(list(), 'utf8');
  const without = config.split('\n').filter((line) => !/\bapplication\b/.test(line));
  await writeFile(list(), without.join('\n'));
  for (const file of await withImporters('systems/application.ts')) await rm(join(copy, file));
  await npm('run', 'generate');
  expect((await git('status', '--porcelain', 'infra')).split('\n')).toEqual(
    expect.arrayContaining([
      ' D infra/crds/applications.application.sample.ibm.com.yaml',
      ' D infra/samples/application.yaml',
    ]),
  );
  await npm('run', 'check');
  // The documents of a removed kind have to be edited by hand.
  await rm(join(copy, 'test', 'documents'), { recursive: true });
  const lists = await testsIn('test/generate', 'test/terraform');
  // Omits what is slow. The compiler has found whatever imports the removed kind.
  const slow = ['operators', 'properties', 'testing', 'reconcile', 'rollout'];
  const omitted = slow.map((one) => `--exclude=test/${one}/**`);
  const others = [...omitted, 'reconciler.config.ts', ...lists];
  expect(await vitest('related', ...how, ...others)).toMatch(/Test Files +\d{3} passed/);
});

/** Returns a source and every test that imports it directly or indirectly. */
async function withImporters(source: string): Promise<ReadonlySet<string>> {
  const files = (await git('ls-files', 'test')).split('\n').filter((file) => file.endsWith('.ts'));
  const imports = new Map<string, readonly string[]>();
  for (const file of files) {
    const paths = (await readFile(join(copy, file), 'utf8')).matchAll(/from '(\.[^']+)'/g);
    imports.set(
      file,
      [...paths].map(([, path = '']) => join(dirname(file), path)),
    );
  }
  const found = new Set([source]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const [file, paths] of imports) if (paths.some((path) => found.has(path))) found.add(file);
  }
  return found;
}
