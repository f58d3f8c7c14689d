import { execFile, spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort, lineOf } from '../support/processes.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
let copy: string;

/** A copy of the project for a reader who follows the README. */
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'kind-of-your-own-'));
  for (const part of [
    'shared',
    'systems',
    'functions',
    'infra',
    'index.ts',
    'reconciler.config.ts',
    'package.json',
  ])
    await cp(join(root, part), join(copy, part), { recursive: true });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  const [, file = '', code = ''] =
    /## A kind of your own\n\n.*?one file, `([^`]+)`:\n\n```ts\n(.*?)```/s.exec(
      await readFile(join(root, 'README.md'), 'utf8'),
    ) ?? [];
  await writeFile(join(copy, file), code);
  const list = join(copy, 'reconciler.config.ts');
  const before = await readFile(list, 'utf8');
  const after = `import { cache } from './systems/cache.ts';\n${before.replace(/\bfoo,?\s*\]/, 'foo, cache]')}`;
  expect(after).toContain('foo, cache]');
  await writeFile(list, after);
});
afterAll(() => rm(copy, { recursive: true, force: true }));

test('a sixth kind is one file and one line', { timeout: 90_000 }, async () => {
  await run(process.execPath, ['infra/app/generate.ts'], { cwd: copy });
  const definition = await readFile(join(copy, 'infra/crds/caches.example.org.yaml'), 'utf8');
  expect(definition).toContain('maximum: 4096');
  expect(await readFile(join(copy, 'infra/rbac/cluster-role.yaml'), 'utf8')).toContain(
    'caches/status',
  );

  const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const names = ['--api-port', '--resync-port', '--audit-port', '--page-port'];
  const options = names.flatMap((name, at) => [name, String(ports[at])]);
  const started = spawn(process.execPath, ['infra/cli/main.ts', 'start', ...options], {
    cwd: copy,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => started.once('exit', resolve));
  try {
    expect(await lineOf(started, /caches\.example\.org/)).toContain(
      'caches.example.org default/cache-sample: Deployment cache-sample-cache created',
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
  } finally {
    started.kill('SIGINT');
    await ended;
  }
});

test('a kind that is taken out leaves no file behind', { timeout: 60_000 }, async () => {
  const list = join(copy, 'reconciler.config.ts');
  await cp(join(root, 'reconciler.config.ts'), list);
  const generate = ['infra/app/generate.ts'];
  const { stdout } = await run(process.execPath, generate, { cwd: copy });
  expect(stdout).toContain('infra/crds/caches.example.org.yaml removed');
  for (const path of ['infra/crds', 'infra/samples', 'infra/rbac/cluster-role.yaml'])
    await expect(run('diff', ['-r', path, join(root, path)], { cwd: copy })).resolves.toMatchObject(
      {
        stdout: '',
      },
    );
});
