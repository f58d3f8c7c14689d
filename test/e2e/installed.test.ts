import { spawn } from 'node:child_process';
import { access, cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@serverless-reconciler/local-cluster/client';
import {
  type ControlPlane,
  startControlPlane,
} from '@serverless-reconciler/local-cluster/control-plane';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../infra/package-root.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { cronJob } from '../../shared/kinds/child-types/batch.ts';
import {
  configMap,
  limitRange,
  namespace,
  persistentVolumeClaim,
  resourceQuota,
  service,
  serviceAccount,
} from '../../shared/kinds/child-types/core.ts';
import { networkPolicy } from '../../shared/kinds/child-types/networking.ts';
import { roleBinding } from '../../shared/kinds/child-types/small-groups.ts';
import type { JsonObject, ResourceType } from '../../shared/kubernetes.ts';
import { type Api, openApi, refusalOf } from '../scenarios/api.ts';
import { eventually } from '../scenarios/eventually.ts';
import { freePort, lineOf } from '../support/processes.ts';
import {
  commandFile,
  ended,
  env,
  installKinds,
  reconcilerCommand,
  run,
  type Served,
  serveBuilt,
} from './project.ts';

const archives = join(packageRoot, 'dist', 'packages');
let parent: string;
let plane: ControlPlane;
let client: Client;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'installed-'));
  await run(packageRoot, 'npm', 'run', 'package');
  plane = await startControlPlane({});
  client = createClient({ url: plane.url, ca: plane.ca, token: plane.tokens.admin });
}, 900_000);
afterAll(async () => {
  await client?.close();
  await plane?.stop();
  await rm(parent, { recursive: true, force: true });
});

const managers = [
  { name: 'npm', install: ['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline'] },
  { name: 'pnpm', install: ['npx', '--yes', 'pnpm@12.21.0', 'install'] },
] as const;

const directoryOf = (name: string): string => join(parent, `by-${name}`);

/** Projects, each of which is created and installed once. */
const made = new Map<string, Promise<void>>();
const makeProject = (name: string): Promise<void> => {
  const begun = made.get(name) ?? initAndInstall(name);
  made.set(name, begun);
  return begun;
};

async function initAndInstall(name: string): Promise<void> {
  const [archive = ''] = (await readdir(archives)).filter((file) =>
    /^serverless-reconciler-\d.*\.tgz$/.test(file),
  );
  const init = ['serverless-reconciler', 'init', `by-${name}`, '--yes'];
  await run(parent, 'npx', '--yes', '--package', join(archives, archive), ...init);
  const [command = '', ...args] = managers.find((one) => one.name === name)?.install ?? [];
  await run(directoryOf(name), command, ...args);
}

describe.each(managers)('a separate project, installed by $name', ({ name }) => {
  const project = (): string => directoryOf(name);
  beforeAll(() => makeProject(name), 600_000);

  test('is created by init from the archive alone, with the types and the documents of the package', async () => {
    for (const file of ['lib/index.d.ts', 'docs/upgrading.md', 'docs/child-types.md'])
      await access(join(project(), 'node_modules', 'serverless-reconciler', file));
  });

  test('is checked by the compiler, which names a misspelt field', async () => {
    const tsc = join('node_modules', '.bin', 'tsc');
    await run(project(), tsc);
    const kind = join(project(), 'kinds', 'cache.ts');
    const code = await readFile(kind, 'utf8');
    await writeFile(kind, code.replace('containerPort:', 'containerPrt:'));
    onTestFinished(() => writeFile(kind, code));
    await expect(run(project(), tsc)).rejects.toMatchObject({
      stdout: expect.stringMatching(/kinds\/cache\.ts.*containerPrt.*Did you mean.*containerPort/s),
    });
  });

  test('has tests that pass', async () => {
    expect(await run(project(), 'npm', 'test')).toMatch(/fail 0\b/);
  });

  test('runs on the embedded cluster, and its commands work there', async () => {
    const ports = await Promise.all([1, 2, 3, 4].map(freePort));
    const names = ['--api-port', '--resync-port', '--audit-port', '--page-port'];
    const options = names.flatMap((option, at) => [option, String(ports[at])]);
    const started = spawn(process.execPath, [await commandFile(project()), 'start', ...options], {
      cwd: project(),
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => ended(started));
    await lineOf(started, / created for caches\.example\.org default\/cache-sample/);
    await eventually(async () => {
      const { resources } = JSON.parse(await reconcilerCommand(project(), 'status', '-o', 'json'));
      expect(resources).toMatchObject([{ name: 'cache-sample', ready: 'True' }]);
    });
    await eventually(async () => {
      const script = await fetch(`http://127.0.0.1:${ports[3]}/page.js`);
      expect([script.status, (await script.text()).length > 10_000]).toEqual([200, true]);
    });
    expect(await reconcilerCommand(project(), 'plan')).toContain('Nothing to do');
    expect(JSON.parse(await reconcilerCommand(project(), 'doctor', '-o', 'json'))).toMatchObject({
      ok: true,
    });
    expect(await reconcilerCommand(project(), 'apply')).toContain('Nothing to do');
    expect(await reconcilerCommand(project(), 'resync')).toMatch(/1 /);
  });

  test('can be built, and its functions repair drift on a real control plane', async () => {
    await installKinds(project(), client);
    const { resync, stop } = await serveBuilt(project(), plane);
    onTestFinished(stop);
    const api = openApi(client, 'default');
    const resource = `by-${name}`;
    const child = `${resource}-cache`;
    await eventually(() => api.create(cache, resource, { spec: { megabytes: 128 } }));
    await eventually(async () => {
      await resync();
      expect(await api.find(deployment, child)).toBeDefined();
    });
    await api.scale(deployment, child, 7);
    await eventually(async () => {
      await resync();
      expect((await api.get(deployment, child)).spec?.replicas).toBe(1);
    });
  });
});

/** Installs the package for the project in `test/published/`, which is written as by a user. */
describe('a project of several kinds', () => {
  const project = (): string => join(parent, 'published');
  let served: Served;
  beforeAll(() => makeProject('npm'), 600_000);
  afterAll(() => served?.stop());

  test('compiles, and its tests pass on the embedded cluster', { timeout: 600_000 }, async () => {
    await cp(join(packageRoot, 'test', 'published'), project(), { recursive: true });
    await symlink(join(directoryOf('npm'), 'node_modules'), join(project(), 'node_modules'));
    await run(project(), 'npm', 'run', 'check');
    expect(await run(project(), 'npm', 'test')).toMatch(/fail 0\b/);
  });

  test('is installed and served on a real control plane', { timeout: 300_000 }, async () => {
    await installKinds(project(), client);
    served = await serveBuilt(project(), plane);
  });

  test('has a Backup that is created, repaired, edited and deleted', {
    timeout: 300_000,
  }, async () => {
    const api = openApi(client, 'default');
    const claims = { source: 'data', target: 'archives' };
    const spec = { ...claims, schedule: '0 4 * * mon-fri' };
    const weekday7 = { spec: { ...claims, schedule: '0 4 * * 7' } };
    await eventually(async () => {
      const refused = await refusalOf(api.create(backup, 'refused', weekday7));
      expect(refused.message).toMatch(/spec\.schedule.*must have five fields/);
    });
    await api.create(backup, 'nightly', { spec });
    await ready(served, api, backup, 'nightly');
    await silent(served, api, [cronJob, configMap, serviceAccount, backup]);

    const script = (await api.get(configMap, 'nightly-backup')).data as JsonObject;
    await api.patch(configMap, 'nightly-backup', { data: { 'backup.sh': 'exit 0', more: '1' } });
    await api.patch(cronJob, 'nightly', { spec: { suspend: true } });
    await api.remove(serviceAccount, 'nightly-backup');
    await served.resync();
    expect((await api.get(configMap, 'nightly-backup')).data).toEqual({ ...script, more: '1' });
    expect((await api.get(cronJob, 'nightly')).spec).toMatchObject({ suspend: false });
    await api.get(serviceAccount, 'nightly-backup');

    await api.patch(backup, 'nightly', { spec: { keep: 30 } });
    await served.resync();
    expect(JSON.stringify((await api.get(cronJob, 'nightly')).spec)).toContain('"value":"30"');
    const ran = { lastScheduleTime: currentTime() };
    await api.patch(cronJob, 'nightly', { status: ran }, { subresource: 'status' });
    await served.resync();
    const { status } = await api.get(backup, 'nightly');
    expect(status).toMatchObject(ran);
    expect(status?.conditions?.map(({ type }) => type)).toContain('LastRunFailed');

    await api.remove(backup, 'nightly');
    await gone(api, [cronJob, configMap, serviceAccount], 'nightly');
  });

  test('has a Wiki with its own Backup', { timeout: 300_000 }, async () => {
    const api = openApi(client, 'default');
    await bindClaim(client, api, 'pages');
    await api.create(wiki, 'home', { spec: { claim: 'pages', backup: { target: 'archives' } } });
    await ready(served, api, wiki, 'home');
    const types = [deployment, service, backup, cronJob, configMap, serviceAccount, wiki];
    await silent(served, api, types);

    const lastSuccessfulTime = currentTime();
    const status = { lastScheduleTime: lastSuccessfulTime, lastSuccessfulTime };
    await api.patch(cronJob, 'home-pages', { status }, { subresource: 'status' });
    await served.resync();
    await served.resync();
    const { data } = await api.get(configMap, 'home-wiki-notice');
    expect(data, 'from the status of the Backup').toEqual({ saved: lastSuccessfulTime });

    await api.patch(deployment, 'home-wiki', { spec: { strategy: null } });
    await api.patch(backup, 'home-pages', { spec: { source: 'other' } });
    await ready(served, api, wiki, 'home');
    expect((await api.get(deployment, 'home-wiki')).spec?.strategy).toEqual({ type: 'Recreate' });
    expect((await api.get(backup, 'home-pages')).spec).toMatchObject({ source: 'pages' });

    await api.remove(backup, 'home-pages');
    await gone(api, [cronJob, configMap, serviceAccount], 'home-pages');
    await ready(served, api, wiki, 'home');
    await api.get(cronJob, 'home-pages');

    await api.patch(wiki, 'home', { spec: { backup: null } });
    await served.resync();
    await gone(api, [backup], 'home');
    await gone(api, [cronJob, configMap, serviceAccount], 'home-pages');
    await api.remove(wiki, 'home');
    await gone(api, [deployment, service, configMap], 'home');
  });

  test('has a Team with a Namespace and children in it', { timeout: 300_000 }, async () => {
    const cluster = openApi(client);
    const inside = openApi(client, 'team-blue');
    await cluster.create(team, 'blue', { spec: { group: 'blue' } });
    await ready(served, cluster, team, 'blue');
    expect((await inside.get(resourceQuota, 'team')).spec).toMatchObject({ hard: { pods: '50' } });
    await silent(served, inside, [resourceQuota, limitRange, networkPolicy, roleBinding]);

    await inside.remove(networkPolicy, 'team');
    await inside.patch(limitRange, 'team', { spec: { limits: [{ type: 'Pod' }] } });
    await cluster.patch(team, 'blue', { spec: { pods: 80 } });
    await ready(served, cluster, team, 'blue');
    await inside.get(networkPolicy, 'team');
    expect(JSON.stringify((await inside.get(limitRange, 'team')).spec)).toContain('"100m"');
    expect((await inside.get(resourceQuota, 'team')).spec).toMatchObject({ hard: { pods: '80' } });

    await cluster.remove(team, 'blue');
    await eventually(async () => {
      expect(await cluster.find(namespace, 'team-blue')).toBeUndefined();
    });
  });
});

/** Returns the type of a kind in these projects. */
const kindOf = (group: string, kind: string): ResourceType => ({
  group,
  version: 'v1alpha1',
  kind,
  plural: `${kind.toLowerCase()}s`,
});

const cache = kindOf('example.org', 'Cache');
const backup = kindOf('backup.example.org', 'Backup');
const wiki = kindOf('wiki.example.org', 'Wiki');
const team = kindOf('team.example.org', 'Team');

/** Creates a claim with a volume, without which the scheduler places no pod. */
async function bindClaim(client: Client, api: Api, name: string): Promise<void> {
  const common = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
  await openApi(client).create(persistentVolume, name, {
    spec: { ...common, capacity: { storage: '1Gi' }, hostPath: { path: '/pages' } },
  });
  const resources = { requests: { storage: '1Gi' } };
  await api.create(persistentVolumeClaim, name, {
    spec: { ...common, volumeName: name, resources },
  });
}

const persistentVolume: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
};

/** Returns the current second; the CronJob controller starts a run that was missed since the last one. */
const currentTime = (): string => `${new Date().toISOString().slice(0, 19)}Z`;

/** Resyncs until the resource is Ready. */
const ready = (served: Served, api: Api, type: ResourceType, name: string): Promise<void> =>
  eventually(async () => {
    await served.resync();
    const { status } = await api.get(type, name);
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'True' }),
    );
  });

/** Checks that another resync writes nothing. */
async function silent(served: Served, api: Api, types: readonly ResourceType[]): Promise<void> {
  const versions = async (): Promise<readonly string[]> =>
    (await Promise.all(types.map((type) => api.list(type))))
      .flat()
      .map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`);
  const before = await versions();
  expect(await served.resync()).toMatchObject({ failures: [], statusWrites: 0 });
  expect(await versions()).toEqual(before);
}

/** Waits until the garbage collector has deleted the children of a resource. */
const gone = (api: Api, types: readonly ResourceType[], instance: string): Promise<void> =>
  eventually(async () => {
    const labelSelector = `app.kubernetes.io/instance=${instance}`;
    const lists = await Promise.all(types.map((type) => api.list(type, { labelSelector })));
    expect(lists.flat()).toEqual([]);
  });
