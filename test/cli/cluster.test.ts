import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import type { ResourceStatusView } from '../../infra/cli/commands/status.ts';
import type { PlanFile } from '../../infra/cli/plan/plan-file.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../shared/kinds/child-types/core.ts';
import { digestOf, observeAnnotation, suspendAnnotation } from '../../shared/kinds/names.ts';
import { application } from '../../systems/application.ts';
import { containerApp } from '../../systems/container-app.ts';
import { database } from '../../systems/database.ts';
import { foo } from '../../systems/foo.ts';
import { defaultSettings } from '../../systems/settings.ts';
import { website } from '../../systems/website.ts';
import { type CliGround, openCliGround } from './command-runner.ts';

let ground: CliGround;
let dead = '';
let other = '';
beforeAll(async () => {
  ground = await openCliGround();
  dead = join(ground.directory, 'dead');
  const server = 'http://127.0.0.1:1';
  const config = parse(ground.cluster.kubeconfig()) as Record<string, unknown>;
  await writeFile(
    dead,
    stringify({ ...config, clusters: [{ name: 'local', cluster: { server } }] }),
  );
  other = join(ground.directory, 'other');
  await writeFile(
    other,
    stringify({
      clusters: [{ name: 'other', cluster: { server } }],
      users: [{ name: 'other', user: {} }],
      contexts: [{ name: 'other', context: { cluster: 'other', user: 'other' } }],
      'current-context': 'other',
    }),
  );
  await mkdir(join(ground.directory, 'home', '.kube'), { recursive: true });
  await writeFile(join(ground.directory, 'home', '.kube', 'config'), ground.cluster.kubeconfig());
  await ground.api.create(website, 'shop', { spec: { imageTag: 'v1', nodePort: 31700 } });
  await ground.api.create(foo, 'f', { spec: { deploymentName: 'a' } });
});
afterAll(() => ground.stop());

describe('the cluster of a command', () => {
  const kubeconfigs = {
    'KUBECONFIG before npm start and ~/.kube/config': { KUBECONFIG: 'live', local: 'dead' },
    'the kubeconfig of npm start before ~/.kube/config': {
      KUBECONFIG: '',
      local: 'live',
      HOME: '/nonexistent',
    },
    '~/.kube/config if there is no other': { KUBECONFIG: '', HOME: 'home' },
    '~/.kube/config if only that has the context': {
      KUBECONFIG: '',
      local: 'other',
      HOME: 'home',
      argv: ['--context', 'local'],
    },
    'several files in KUBECONFIG': { KUBECONFIG: 'live:other' },
    '--kubeconfig before everything else': { KUBECONFIG: 'dead', argv: ['--kubeconfig', 'live'] },
    '--context before CLUSTER_CONTEXT': {
      KUBECONFIG: 'live',
      CLUSTER_CONTEXT: 'nope',
      argv: ['--context', 'local'],
    },
    'CLUSTER_CONTEXT before the current context': { KUBECONFIG: 'live', CLUSTER_CONTEXT: 'local' },
  };

  it.each(Object.entries(kubeconfigs))('is selected by %s', async (_, given) => {
    const {
      argv = [],
      local,
      ...env
    } = given as typeof given & { argv?: string[]; local?: string };
    const files: Record<string, string> = {
      live: ground.kubeconfig,
      dead,
      other,
      home: join(ground.directory, 'home'),
      'live:other': `${ground.kubeconfig}:${other}`,
    };
    const named = Object.entries(env).map(([name, value]) => [name, files[value] ?? value]);
    const { code, out, err } = await ground.run(
      ['app', 'list', ...argv.map((word) => files[word] ?? word)],
      {
        env: { DEADLINE_SECONDS: '5', ...Object.fromEntries(named) },
        ...(local === undefined ? {} : { localKubeconfig: files[local] ?? '' }),
      },
    );
    expect({ code, out }).toEqual({ code: 0, out: 'No ContainerApps.\n' });
    expect(err).toMatch(/^Cluster http:\S+, context \S+\n$/);
  });

  it('is never ~/.kube/config instead of an npm start that no longer responds', async () => {
    const env = { KUBECONFIG: '', HOME: join(ground.directory, 'home'), DEADLINE_SECONDS: '5' };
    const { code, err } = await ground.run(['apply', '--yes'], { env, localKubeconfig: dead });
    expect(code).toBe(1);
    expect(err).toContain('http://127.0.0.1:1: ');
    expect(err).toContain('is npm start still running?');
  });

  const naming: readonly (readonly [words: string, isNamed: boolean])[] = [
    ['plan', true],
    ['plan -o diff', true],
    ['plan -o markdown', false],
    ['plan -o json', false],
    ['status', true],
    ['status -o json', false],
    ['compare', true],
    ['compare -o json', false],
    ['doctor', true],
    ['doctor -o json', false],
  ];

  it.each(naming)('is named on stderr by %s: %j', async (words, isNamed) => {
    const { err } = await ground.run(words.split(' '));
    expect(err).toMatch(isNamed ? /^Cluster http:\S+, context local\n$/ : /^$/);
  });

  it.each(['status', 'plan', 'compare', 'resync', 'apply'])(
    'receives the same request from %s with KIND/NAME and KIND NAME',
    async (command) => {
      for (const words of [['website/nope'], ['websites', 'nope']])
        expect(await ground.run([command, ...words])).toMatchObject({
          code: 1,
          err: expect.stringMatching(/there is no websites? default\/nope/),
        });
    },
  );

  it('has the namespace and the settings of its context, unless they are overridden', async () => {
    const config = parse(ground.cluster.kubeconfig()) as {
      contexts: { context: Record<string, unknown> }[];
    };
    Object.assign(config.contexts[0]?.context ?? {}, {
      namespace: 'team',
      extensions: [{ name: 'serverless-reconciler', extension: { KINDS: 'Foo,ContainerApp' } }],
    });
    const file = join(ground.directory, 'extended');
    await writeFile(file, stringify(config));
    const argv = ['--kubeconfig', file];
    const foos = await ground.run(['status', '-o', 'json', ...argv]);
    expect(JSON.parse(foos.out)).toMatchObject({ resources: [{ kind: 'Foo' }] });
    const env = { KINDS: 'Website' };
    const websites = await ground.run(['status', '-o', 'json', ...argv], { env });
    expect(JSON.parse(websites.out)).toMatchObject({ resources: [{ kind: 'Website' }] });
    const gone = await ground.run(['app', 'teardown', 'nope', ...argv]);
    expect(gone.err).toMatch(/no ContainerApp team\/nope/);
  });
});

describe('AUTH_URL', () => {
  it('of the environment changes the plan', async () => {
    const kind = containerApp(defaultSettings);
    const spec = { image: 'nginx', endpoints: [{ path: '/a', scopes: ['a'] }] };
    await ground.api.create(kind, 'guarded', { spec });
    const argv = ['plan', '--kind', 'ContainerApp'];
    const without = await ground.run(argv);
    const env = { AUTH_URL: 'https://auth.example.com/check' };
    const withUrl = await ground.run(argv, { env });
    await ground.api.remove(kind, 'guarded');
    expect(without.out).toMatch(/block +Ingress guarded-\w+ .*AuthUrlMissing: .*AUTH_URL/);
    expect(withUrl.out).toMatch(/create +Ingress guarded-\w+/);
  });
});

describe('resync and status', () => {
  it('resync does the same as a scheduled resync, and --progress prints plain lines without a terminal', async () => {
    const { code, out, err } = await ground.run(['resync', '--progress']);
    expect(code).toBe(0);
    expect(out).toMatch(/^2 resources: 0 unchanged, 2 reconciled\nchildren: 3 created; 2 statuses/);
    expect(err).toMatch(
      /^Cluster \S+, context local\n1 of 2 resources, [\d.]+\/(s|min)\n2 of 2 resources, [\d.]+\/(s|min)\n$/,
    );
  });

  it('--progress draws a bar with the rate on a terminal', async () => {
    await ground.api.patch(foo, 'f', { spec: { replicas: 2 } });
    const { err } = await ground.run(['resync', '--progress'], { isTTY: true });
    expect(err).toMatch(/1 of 1, [\d.]+\/(s|min)$/m);
    expect(err).toContain('\u001b[');
  });

  it('-o json prints the report that the function returns, and failures exit with 1', async () => {
    const { code, out } = await ground.run(['resync', '-o', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      resources: { total: 2 },
      pruning: 'allowed',
      failures: [],
    });
    await ground.api.create(foo, 'second', { spec: { deploymentName: 'a' } });
    const blocked = await ground.run(['resync', '--kind', 'Foo']);
    await ground.api.remove(foo, 'second');
    expect(blocked.code).toBe(1);
    expect(blocked.err).toMatch(
      /foos.example.com default\/second: ErrResourceExists: Resource "a"/,
    );
  });

  it('status shows resources, children, readiness and the last writer', async () => {
    const { out } = await ground.run(['status', '--kind', 'Website']);
    expect(out).toMatch(/^RESOURCE +STATE +READY +CHANGED +BY +MESSAGE\n/);
    expect(out).toMatch(/Website default\/shop +Progressing +False +\d+s +Deployment shop: the /);
    expect(out).toMatch(
      / {2}Deployment shop +Progressing +InProgress +\d+s +serverless-reconciler +the Depl/,
    );
    expect(out).toMatch(/ {2}Service shop +InSync +Current +\d+s +serverless-reconciler/);
    const { code, err } = await ground.run(['status', '--kind', 'Website', 'nope']);
    expect(code).toBe(1);
    expect(err).toMatch(/there is no Website default\/nope/);
  });
});

it('status fits a terminal of 80 columns', async () => {
  const { out } = await ground.run(['status'], {
    isTTY: true,
    columns: 80,
    env: { NO_COLOR: '1' },
  });
  expect(out).toMatch(/^ {2}Service shop +InSync +Current +\d+s\n {4}serverless-reconciler$/m);
  expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

describe('status agrees with plan', () => {
  it('C-4 C-6 C-14 does not show a resource as in sync if its child is missing or foreign, or if it is suspended', async () => {
    const spec = { imageTag: 'v1', nodePort: 31701 };
    await ground.api.create(website, 'agreed', { spec });
    const resync = () => ground.run(['resync', '--kind', 'Website', 'agreed']);
    const named = ['--kind', 'Website', 'agreed', '-o', 'json'];
    const state = async (): Promise<readonly string[]> => {
      const { out } = await ground.run(['status', ...named]);
      const [found] = (JSON.parse(out) as { resources: ResourceStatusView[] }).resources;
      if (found === undefined) throw new Error('no status');
      return [found.sync.state, ...found.children.map(({ sync }) => sync.state)];
    };
    const verbs = async (): Promise<readonly string[]> => {
      const { out } = await ground.run(['plan', ...named]);
      const { resources } = (JSON.parse(out) as PlanFile).preview;
      return resources.flatMap(({ actions }) => actions.map(({ verb }) => verb));
    };
    expect(await state()).toEqual(['Missing', 'Missing', 'Missing']);
    expect(await verbs()).toEqual(['create', 'create']);
    await resync();
    await ground.api.patch(
      deployment,
      'agreed',
      {
        status: {
          observedGeneration: 1,
          replicas: 2,
          updatedReplicas: 2,
          readyReplicas: 2,
          availableReplicas: 2,
          conditions: [{ type: 'Available', status: 'True' }],
        },
      },
      { subresource: 'status' },
    );
    await resync();
    expect(await state()).toEqual(['InSync', 'InSync', 'InSync']);
    const table = async () => (await ground.run(['status', '--kind', 'Website', 'agreed'])).out;
    expect(await table()).toContain('up to date and ready');
    expect(await verbs()).toEqual([]);
    await ground.api.remove(service, 'agreed');
    expect(await state()).toEqual(['Missing', 'InSync', 'Missing']);
    expect(await verbs()).toEqual(['create']);
    await ground.api.create(service, 'agreed', { spec: { ports: [{ port: 80 }] } });
    expect(await state()).toEqual(['Foreign', 'InSync', 'Foreign']);
    expect(await verbs()).toEqual(['block']);
    expect(await table()).not.toContain('up to date and ready');
    await resync();
    const reasons = (await table()).match(/already exists/g);
    expect(reasons, 'one for the resource, one for its child').toHaveLength(2);
    await ground.api.patch(website, 'agreed', {
      metadata: { annotations: { [suspendAnnotation]: 'true' } },
    });
    expect(await state()).toEqual(['Suspended', 'InSync', 'Foreign']);
    expect(await verbs()).toEqual([]);
    await ground.api.remove(service, 'agreed');
    await ground.api.patch(website, 'agreed', {
      metadata: { annotations: { [suspendAnnotation]: null, [observeAnnotation]: 'true' } },
    });
    await ground.api.scale(deployment, 'agreed', 7);
    expect(await state()).toEqual(['Observed', 'Drifted', 'Missing']);
    expect(await verbs()).toEqual(['hold', 'block']);
    const plan = async () => (await ground.run(['plan', '--kind', 'Website', 'agreed'])).out;
    expect(await plan()).toMatch(/ObservedOnly[\s\S]*spec\.replicas 7 → 2/);
    await resync();
    expect((await ground.run(['plan', ...named, '--exit-code'])).code).toBe(0);
    await ground.api.remove(website, 'agreed');
  });
});

describe('a plan contains no value of a Secret in any form', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const plans = async (kind: string): Promise<string> => {
    const formats = ['table', 'diff', 'json', 'markdown'];
    const runs = formats.map((format) => ground.run(['plan', '--kind', kind, '-o', format]));
    return (await Promise.all(runs)).map(({ out, err }) => out + err).join('\n');
  };

  it('if the Secret is created, changed, or changed by another manager', async () => {
    const { api, run } = ground;
    await api.create(application, 'hello', { spec: { greeting: 'first-secret' } });
    const created = await plans('Application');
    expect(created).toMatch(/^\+ {2}GREETING_MESSAGE: \(secret changed\)$/m);
    await run(['resync', '--kind', 'Application']);
    await api.patch(application, 'hello', { spec: { greeting: 'second-secret' } });
    const edited = await plans('Application');
    expect(edited).toMatch(/data.GREETING_MESSAGE \(secret changed\)/);
    const data = { GREETING_MESSAGE: base64('third-secret') };
    await api.patch(secret, 'hello-secret-greeting', { data });
    const tampered = await plans('Application');
    expect(tampered).toMatch(/data.GREETING_MESSAGE \(secret changed\), changed by kubectl-edit/);
    const { metadata, data: live } = (await api.get(
      secret,
      'hello-secret-greeting',
    )) as unknown as Secret;
    const digests = ['first-secret', 'second-secret', 'third-secret'].map((greeting) =>
      digestOf({ GREETING_MESSAGE: base64(greeting) }),
    );
    for (const text of [created, edited, tampered]) {
      expect(text).not.toMatch(/(first|second|third)-secret/);
      for (const one of [...digests, ...Object.values(live)]) expect(text).not.toContain(one);
      expect(text).toContain(metadata.name);
    }
    await api.remove(application, 'hello');
  });

  it('if the value will be generated, and both applies are shown', async () => {
    const spec = { storage: { size: '1Gi' }, databaseName: 'd', username: 'u' };
    await ground.api.create(database, 'db', { spec });
    const { out } = await ground.run(['plan', '--kind', 'Database', '-o', 'json']);
    const { preview } = JSON.parse(out) as PlanFile;
    const [credentials] = preview.resources[0]?.actions ?? [];
    const password = credentials?.differences.find(({ path }) => path === 'data.password');
    expect(password).toMatchObject({ to: '(secret changed)' });
    const requests = credentials?.requests.map((one) => [one.verb, one.manager ?? one.object]);
    const engine = 'serverless-reconciler';
    expect(requests).toEqual([
      ['get', 'StatefulSet default/db'],
      ['get', 'PersistentVolumeClaim default/data-db-0'],
      ['apply', `${engine}-generated`],
      ['apply', engine],
    ]);
    await ground.api.remove(database, 'db');
  });
});

interface Secret {
  readonly metadata: { readonly name: string };
  readonly data: Readonly<Record<string, string>>;
}

it('the command runs as a process with an exit code and output', async () => {
  const main = join(import.meta.dirname, '..', '..', 'infra', 'cli', 'main.ts');
  const env = { PATH: process.env.PATH ?? '', KUBECONFIG: ground.kubeconfig };
  const argv = [main, 'plan', '--kind', 'Foo', '-o', 'json'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, argv, { env });
  expect((JSON.parse(stdout) as PlanFile).request).toEqual({ kind: 'Foo' });
  expect(stderr).toBe('');
  const failed = promisify(execFile)(process.execPath, [main, 'plan', '--nope'], { env });
  await expect(failed).rejects.toMatchObject({ code: 2, stdout: '' });
});

it.each(['stdout', 'stderr'] as const)(
  'the command completes and exits with its own code even if nobody reads its %s',
  async (unread) => {
    const name = `unread-${unread}`;
    await ground.api.create(foo, name, { spec: { deploymentName: name } });
    const main = join(import.meta.dirname, '..', '..', 'infra', 'cli', 'main.ts');
    const { PATH = '' } = process.env;
    const env = { PATH, KUBECONFIG: ground.kubeconfig, SETTLE_SECONDS: '0' };
    const argv = [main, 'apply', '--yes', '--kind', 'Foo'];
    const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    child[unread].destroy();
    const read = unread === 'stdout' ? child.stderr : child.stdout;
    const [[code], shown] = await Promise.all([once(child, 'exit'), text(read)]);
    expect({ code, isPipeError: shown.includes('EPIPE') }).toEqual({ code: 0, isPipeError: false });
    expect(await ground.api.get(deployment, name)).toBeDefined();
  },
);

const full = '/dev/full';
it.runIf(existsSync(full))(
  'a result that cannot be written is an error that says why',
  async () => {
    const main = join(import.meta.dirname, '..', '..', 'infra', 'cli', 'main.ts');
    const out = await open(full, 'w');
    onTestFinished(() => out.close());
    const argv = [main, 'plan', '--kind', 'Foo', '--kubeconfig', ground.kubeconfig, '-o', 'json'];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', out.fd, 'pipe'] });
    const [[code], shown] = await Promise.all([
      once(child, 'exit'),
      text(child.stderr ?? Readable.from([])),
    ]);
    expect({ code, shown }).toEqual({
      code: 1,
      shown: expect.stringMatching(/^the output cannot be written: .*ENOSPC.*\n$/),
    });
  },
);

it('a command that runs until it is stopped ends once its output is closed', async () => {
  const main = join(import.meta.dirname, '..', '..', 'infra', 'cli', 'main.ts');
  const config = join(import.meta.dirname, '..', '..', 'reconciler.config.ts');
  const env = { PATH: process.env.PATH ?? '', KUBECONFIG: ground.kubeconfig };
  const argv = [main, '--config', config, 'dashboard', '--port', '0'];
  const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  child.stdout.destroy();
  expect(await once(child, 'exit')).toEqual([0, null]);
});
