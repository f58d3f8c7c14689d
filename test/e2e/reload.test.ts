import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/processes.ts';

const root = join(import.meta.dirname, '../..');

/** A project outside this repository as `init` creates it, which is started once and edited by each test. */
let directory: string;
let api: string;
let started: ChildProcess;
const lines: string[] = [];
let nextLine = Promise.withResolvers<void>();
const print = (text: string): void => {
  lines.push(text);
  nextLine.resolve();
  nextLine = Promise.withResolvers();
};

const cache = (image: string): string => `
import { child, defineKind, deployment, labelValue, Type, workloadName } from 'serverless-reconciler';

export const cache = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Cache',
  plural: 'caches',
  spec: Type.Object({ megabytes: Type.Integer({ minimum: 16, default: 64 }) }),
  samples: [{ name: 'sample', spec: { megabytes: 128 } }],
  owns: [deployment],
  children({ name, spec: { megabytes } }) {
    const labels = { cache: labelValue(name) };
    const args = ['memcached', '-m', String(megabytes)];
    return [
      child(deployment, {
        name: workloadName(name),
        body: {
          spec: {
            replicas: 1,
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: { containers: [{ name: 'memcached', image: '${image}', args }] },
            },
          },
        },
      }),
    ];
  },
});
`;

const config = (kinds: readonly string[]): string =>
  [
    `import { defineConfig } from 'serverless-reconciler';`,
    ...kinds.map((kind) => `import { ${kind} } from './${kind}.ts';`),
    `export default defineConfig({ kinds: [${kinds.join(', ')}] });\n`,
  ].join('\n');

const save = (file: string, text: string, project = directory): Promise<void> =>
  writeFile(join(project, file), text);

const portOptions = async (...names: readonly string[]): Promise<string[]> => {
  const ports = await Promise.all(names.map(freePort));
  return names.flatMap((name, at) => [name, String(ports[at])]);
};

const start = (cwd: string, options: readonly string[], env = {}): ChildProcess =>
  spawn(process.execPath, [join(root, 'infra/cli/main.ts'), 'start', ...options], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** Collects the output of a process. */
function read(child: ChildProcess, onLine: (text: string) => void): void {
  for (const stream of [child.stdout, child.stderr])
    if (stream !== null) createInterface(stream).on('line', onLine);
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await ended;
}

/** Waits for the first matching line from index `from` on, which is where the edit of a test begins. */
async function line(pattern: RegExp, from: number): Promise<string> {
  for (let at = from; ; at++) {
    while (at >= lines.length) await nextLine.promise;
    const found = lines[at] ?? '';
    if (pattern.test(found)) return found;
  }
}

async function get(path: string) {
  const response = await fetch(`${api}${path}`);
  return { status: response.status, body: (await response.json()) as LiveDeployment };
}

interface LiveDeployment {
  readonly metadata: { readonly uid: string };
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { image: string }[] } };
  };
}

const deployments = '/apis/apps/v1/namespaces/default/deployments';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const imageOf = async (name: string): Promise<string | undefined> =>
  (await get(`${deployments}/${name}`)).body.spec.template.spec.containers[0]?.image;

async function create(kind: 'Cache' | 'Queue', name: string): Promise<void> {
  const path = `/apis/example.org/v1/namespaces/default/${kind.toLowerCase()}s`;
  const response = await fetch(`${api}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'example.org/v1',
      kind,
      metadata: { name },
      spec: {},
    }),
  });
  expect(response.status).toBe(201);
}

async function makeProject(kind: string): Promise<string> {
  const project = await realpath(await mkdtemp(join(tmpdir(), 'reload-')));
  await mkdir(join(project, 'node_modules'));
  await symlink(root, join(project, 'node_modules', 'serverless-reconciler'));
  await save('package.json', JSON.stringify({ type: 'module' }), project);
  await save('cache.ts', kind, project);
  await save('reconciler.config.ts', config(['cache']), project);
  return project;
}

beforeAll(async () => {
  directory = await makeProject(cache('memcached:1'));
  const options = await portOptions('--api-port', '--resync-port', '--audit-port', '--page-port');
  api = `http://127.0.0.1:${options[1]}`;
  started = start(directory, ['--interval', '3600', ...options]);
  read(started, print);
  await line(/deployment.apps\/sample created/, 0);
}, 120_000);
afterAll(async () => {
  await end(started);
  await rm(directory, { recursive: true, force: true });
});

test('a saved kind is reconciled with its new code, and the cluster keeps its state', async () => {
  const from = lines.length;
  await create('Cache', 'mine');
  await line(/deployment.apps\/mine created for \S+ default\/mine/, from);
  const { uid } = (await get(`${deployments}/mine`)).body.metadata;

  await save('cache.ts', cache('memcached:2'));
  expect(await line(/^\S+ {2}kinds/, from)).toMatch(/kinds {3}reloaded: Cache changed$/);
  await line(/deployment.apps\/mine updated for \S+ default\/mine/, from);
  expect(await imageOf('mine')).toBe('memcached:2');
  expect((await get(`${deployments}/mine`)).body.metadata.uid).toBe(uid);
});

const refusals = [
  {
    reason: 'a syntax error, reported with file and line',
    text: cache('memcached:4').replace("version: 'v1',", "version: 'v1'"),
    says: /Expected ',', got .*\(file:\/\/\/\S+\/cache\.ts:7.*previous functions keep serving/,
  },
  {
    reason: 'a wrong configuration, reported at its location',
    text: cache('memcached:4').replace("plural: 'caches'", "plural: 'Caches'"),
    says: /Caches.*\(file:\/\/\/\S+\/cache\.ts:4/,
  },
  {
    reason: 'a module that never finishes loading, which reports nothing itself',
    text: `${cache('memcached:4')}\nawait new Promise(() => {});\n`,
    says: /cannot be loaded: the process exited with 13/,
  },
  {
    reason: 'an exception in children, which would fail every resource',
    text: cache('memcached:4').replace('const args =', 'null.oops; const args ='),
    says: /Cache: sample sample: .*oops.*cache\.ts:14/,
  },
  {
    reason: 'a version that was replaced although resources are stored in it',
    text: cache('memcached:4').replace("version: 'v1'", "version: 'v2'"),
    says: /cannot install \S+caches\.example\.org: [^{]*v1 was previously a storage version.*; keep the former version in `versions`/,
  },
];

test('code that cannot be loaded is reported once, and the previous functions keep serving until it is repaired', async () => {
  const from = lines.length;
  for (const { reason, text, says } of refusals) {
    const saved = lines.length;
    await save('cache.ts', text);
    expect(await line(/not reloaded/, saved), reason).toMatch(says);
  }
  await create('Cache', 'meanwhile');
  await line(/deployment.apps\/meanwhile created for \S+ default\/meanwhile/, from);
  expect(await imageOf('meanwhile')).toBe('memcached:2');

  await save('cache.ts', cache('memcached:3'));
  await line(/ reloaded: Cache changed/, from);
  await line(/deployment.apps\/meanwhile updated for \S+ default\/meanwhile/, from);
  expect(await imageOf('meanwhile')).toBe('memcached:3');
  const reported = lines.slice(from).filter((one) => / {2}kinds /.test(one));
  expect(reported.map((one) => one.includes('not reloaded'))).toEqual([
    ...refusals.map(() => true),
    false,
  ]);
});

test('a missing file is loaded once it exists, and an added kind is served', async () => {
  const from = lines.length;
  const queue = cache('rabbitmq:4').replaceAll('Cache', 'Queue').replaceAll('cache', 'queue');
  await save('reconciler.config.ts', config(['cache', 'queue']));
  expect(await line(/not reloaded/, from)).toContain(join(directory, 'queue.ts'));
  await save('queue.ts', queue.replaceAll("'sample'", "'sample-queue'"));
  await line(/ reloaded: Queue added/, from);
  await line(/deployment.apps\/sample-queue created for \S+ default\/sample-queue/, from);
  expect(await imageOf('sample-queue')).toBe('rabbitmq:4');
  // No resync is due, so only an audit entry can cause the run.
  await create('Queue', 'more');
  await line(/deployment.apps\/more created for \S+ default\/more/, from);
});

test('the CRD of a removed kind stays, with its resources and their children', async () => {
  const from = lines.length;
  await save('reconciler.config.ts', config(['cache']));
  await line(/ reloaded: Queue removed, its CRD and resources stay/, from);
  expect((await get(`${definitions}/queues.example.org`)).status).toBe(200);
  expect((await get('/apis/example.org/v1/namespaces/default/queues/sample-queue')).status).toBe(
    200,
  );
  expect(await imageOf('sample-queue')).toBe('rabbitmq:4');
});

test('with --context only the functions are replaced, and missing manifests are listed, and with --no-watch nothing is replaced', async () => {
  const kind = cache('memcached:1')
    .replaceAll("'Cache'", "'Pool'")
    .replaceAll("'caches'", "'pools'");
  const project = await makeProject(kind);
  onTestFinished(() => rm(project, { recursive: true, force: true }));
  const from = lines.length;
  const begin = async (name: string, ...more: readonly string[]): Promise<void> => {
    const ports = await portOptions('--resync-port', '--audit-port');
    const options = ['--context', 'local', '--interval', '3600', ...ports, ...more];
    const child = start(project, options, { KUBECONFIG: join(directory, '.local/kubeconfig') });
    onTestFinished(() => end(child));
    read(child, (text) => print(`${name}: ${text}`));
  };
  await Promise.all([begin('watching'), begin('unwatched', '--no-watch')]);
  await Promise.all([line(/watching: .*files are watched/, from), line(/unwatched: ready/, from)]);
  await save('cache.ts', kind.replace('default: 64', 'default: 32'), project);
  expect(await line(/watching: .*not applied/, from)).toMatch(
    /customresourcedefinitions\/pools\.example\.org: not applied, because with --context only the functions are replaced; to apply them, see .*generate/,
  );
  await line(/watching: .* reloaded: Pool changed/, from);
  expect((await get(`${definitions}/pools.example.org`)).status).toBe(404);
  expect(lines.slice(from).filter((text) => /unwatched: .*kinds/.test(text))).toEqual([]);
});

test('--pause is refused without a terminal', async () => {
  const from = lines.length;
  const refused = start(directory, ['--pause']);
  const ended = new Promise((resolve) => refused.once('exit', resolve));
  read(refused, (text) => print(`refused: ${text}`));
  await line(/refused: --pause waits for Enter, but there is no terminal: omit --pause/, from);
  expect(await ended, 'exit code for wrong usage').toBe(2);
});
