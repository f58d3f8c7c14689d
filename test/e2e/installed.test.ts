import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { access, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@serverless-reconciler/local-cluster/client';
import {
  type ControlPlane,
  startControlPlane,
} from '@serverless-reconciler/local-cluster/control-plane';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../infra/package-root.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { JsonObject, ResourceType } from '../../shared/kubernetes.ts';
import { applyManifest, openApi } from '../scenarios/api.ts';
import { eventually } from '../scenarios/eventually.ts';
import { reconciler } from '../scenarios/test-cluster.ts';
import { freePort, lineOf } from '../support/processes.ts';

const run = promisify(execFile);
const archives = join(packageRoot, 'dist', 'packages');
/** The Node that runs the tests, for npm and whatever it starts, too. */
const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
let parent: string;
let plane: ControlPlane;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'installed-'));
  await run('npm', ['run', 'package'], { cwd: packageRoot, env });
  plane = await startControlPlane({});
}, 900_000);
afterAll(async () => {
  await plane?.stop();
  await rm(parent, { recursive: true, force: true });
});

const managers = [
  { name: 'npm', install: ['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline'] },
  { name: 'pnpm', install: ['npx', '--yes', 'pnpm@12.21.0', 'install'] },
] as const;

describe.each(managers)('a project of its own, installed by $name', ({ name, install }) => {
  let project: string;
  const inProject = async (command: string, ...args: readonly string[]): Promise<string> =>
    (await run(command, args, { cwd: project, env, maxBuffer: 2 ** 26 })).stdout;
  const reconcilerCommand = (...args: readonly string[]): Promise<string> =>
    inProject(join('node_modules', '.bin', 'reconciler'), ...args);

  test('is made by init from the archive alone, and installed', { timeout: 600_000 }, async () => {
    const [archive = ''] = (await readdir(archives)).filter((file) =>
      /^serverless-reconciler-\d.*\.tgz$/.test(file),
    );
    const init = ['serverless-reconciler', 'init', `by-${name}`, '--yes'];
    await run('npx', ['--yes', '--package', join(archives, archive), ...init], {
      cwd: parent,
      env,
    });
    project = join(parent, `by-${name}`);
    const [command, ...args] = install;
    await inProject(command, ...args);
    await access(join(project, 'node_modules', 'serverless-reconciler', 'lib', 'index.d.ts'));
  });

  test('is checked by the compiler, which names a misspelt field', async () => {
    const tsc = join('node_modules', '.bin', 'tsc');
    await inProject(tsc);
    const kind = join(project, 'kinds', 'cache.ts');
    const code = await readFile(kind, 'utf8');
    await writeFile(kind, code.replace('containerPort:', 'containerPrt:'));
    onTestFinished(() => writeFile(kind, code));
    await expect(inProject(tsc)).rejects.toMatchObject({
      stdout: expect.stringMatching(/kinds\/cache\.ts.*containerPrt.*Did you mean.*containerPort/s),
    });
  });

  test('has tests that pass', async () => {
    expect(await inProject('npm', 'test')).toMatch(/fail 0\b/);
  });

  test('runs on the embedded cluster, and its commands work there', async () => {
    const ports = await Promise.all([1, 2, 3, 4].map(freePort));
    const names = ['--api-port', '--resync-port', '--audit-port', '--page-port'];
    const options = names.flatMap((option, at) => [option, String(ports[at])]);
    const started = spawn(process.execPath, [await commandFile(project), 'start', ...options], {
      cwd: project,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => ended(started));
    await lineOf(started, /caches\.example\.org default\/cache-sample: .* created/);
    await eventually(async () => {
      const resources = JSON.parse(await reconcilerCommand('status', '-o', 'json'));
      expect(resources).toMatchObject([{ name: 'cache-sample', ready: 'True' }]);
    });
    expect(await reconcilerCommand('plan')).toContain('Nothing to do');
    expect(JSON.parse(await reconcilerCommand('doctor', '-o', 'json'))).toMatchObject({ ok: true });
    expect(await reconcilerCommand('apply')).toContain('Nothing to do');
    expect(await reconcilerCommand('resync')).toMatch(/1 /);
  });

  test('is built, and what is built repairs drift on a real control plane', async () => {
    await reconcilerCommand('build');
    const crds = JSON.parse(await reconcilerCommand('generate', 'crds', '-o', 'json'));
    const rights = JSON.parse(
      await reconcilerCommand('generate', 'rbac', '--user', reconciler, '-o', 'json'),
    );
    const client = createClient({ url: plane.url, ca: plane.ca, token: plane.tokens.admin });
    onTestFinished(() => client.close());
    for (const manifest of [...crds.items, ...rights.items] as readonly Manifest[])
      await applyManifest(client, pathOf(manifest), manifest);
    const directory = join(project, 'dist', 'resync');
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], {
      cwd: directory,
      env,
    });
    const port = await freePort();
    const served = spawn(
      join('node_modules', '.bin', 'functions-framework'),
      ['--target', 'resync', '--port', String(port)],
      {
        cwd: directory,
        env: { ...env, KUBECONFIG: plane.kubeconfig, CLUSTER_CONTEXT: 'reconciler' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    onTestFinished(() => ended(served));
    const api = openApi(client, 'default');
    const resource = `by-${name}`;
    const child = `${resource}-cache`;
    await eventually(() => api.create(cache, resource, { spec: { megabytes: 128 } }));
    const tick = async (): Promise<void> => {
      const answer = await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      expect(answer.status).toBe(200);
    };
    await eventually(async () => {
      await tick();
      expect(await api.find(deployment, child)).toBeDefined();
    });
    await api.scale(deployment, child, 7);
    await eventually(async () => {
      await tick();
      expect((await api.get(deployment, child)).spec?.replicas).toBe(1);
    });
  });
});

const cache: ResourceType = {
  group: 'example.org',
  version: 'v1alpha1',
  kind: 'Cache',
  plural: 'caches',
};

interface Manifest extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const plurals: Readonly<Record<string, string>> = {
  CustomResourceDefinition: 'customresourcedefinitions',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
};

const pathOf = ({ apiVersion, kind, metadata }: Manifest): string =>
  `/apis/${apiVersion}/${plurals[kind]}/${metadata.name}`;

/** What the command is, without the shell script that some package managers put before it. */
async function commandFile(project: string): Promise<string> {
  const directory = join(project, 'node_modules', 'serverless-reconciler');
  const { bin } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  return join(directory, bin.reconciler);
}

/** Stops a process and waits for its end. */
const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve());
    if (child.exitCode !== null || !child.kill('SIGTERM')) resolve();
  });
