import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { containerApp } from '../../systems/container-app.ts';
import { defaultSettings } from '../../systems/settings.ts';
import { type CliGround, openCliGround } from './command-runner.ts';

const kind = containerApp(defaultSettings);

let ground: CliGround;
let endpoints = '';
beforeAll(async () => {
  ground = await openCliGround();
  endpoints = join(ground.directory, 'endpoints.yaml');
  await writeFile(endpoints, '- path: /\n- path: /orders\n  scopes: [orders.read]\n');
});
afterAll(() => ground.stop());

beforeEach(async () => {
  await ground.api.create(kind, 'shop', {
    spec: { image: 'nginx:1', minReplicas: 2, maxReplicas: 4 },
  });
  ground.cluster.requests.reset();
});
afterEach(async () => {
  ground.cluster.undisturb();
  for (const { metadata } of await ground.api.list(kind))
    await ground.api.remove(kind, metadata.name);
});

const spec = async (name = 'shop'): Promise<JsonObject> =>
  (await ground.api.get(kind, name)).spec as JsonObject;
/** The requests about resources, without that for the server's version, with which each command begins. */
const requests = () =>
  ground.cluster.requests
    .list()
    .filter(({ resource }) => resource !== '')
    .map(({ verb, resource }) => `${verb} ${resource}`);

describe('G-8 deploy', () => {
  it('creates a ContainerApp with the given options, and defaults for the rest', async () => {
    const options = ['--min', '1', '--max', '3', '--port', '8080', '--endpoints', endpoints];
    const { code, out } = await ground.run(['app', 'deploy', 'new', 'nginx:2', ...options]);
    expect(code).toBe(0);
    expect(out).toMatch(/^ContainerApp default\/new deployed\n/);
    expect(await spec('new')).toEqual({
      image: 'nginx:2',
      port: 8080,
      minReplicas: 1,
      maxReplicas: 3,
      endpoints: [{ path: '/' }, { path: '/orders', scopes: ['orders.read'] }],
    });
    await ground.run(['app', 'deploy', 'least', 'nginx:2']);
    expect(await spec('least')).toEqual({ image: 'nginx:2', port: 80, minReplicas: 1 });
  });

  it('refuses a name that is in use, and changes nothing', async () => {
    const before = await ground.api.get(kind, 'shop');
    const { code, out, err } = await ground.run(['app', 'deploy', 'shop', 'nginx:2']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/ContainerApp default\/shop already exists.*app update shop/);
    expect(await ground.api.get(kind, 'shop')).toEqual(before);
  });

  it('sends no request if the endpoints file is invalid', async () => {
    const bad = join(ground.directory, 'bad.yaml');
    await writeFile(bad, '- path: /A\n');
    const { code, err } = await ground.run(['app', 'deploy', 'new', 'nginx', '--endpoints', bad]);
    expect(code).toBe(2);
    expect(err).toMatch(/bad.yaml: endpoints.0.path must match pattern/);
    expect(requests()).toEqual([]);
  });

  it('refuses the same path in two spellings, and names the field', async () => {
    const twice = join(ground.directory, 'twice.json');
    await writeFile(twice, '[{"path": "/a"}, {"path": "a"}]');
    const { code, err } = await ground.run(['app', 'deploy', 'new', 'nginx', '--endpoints', twice]);
    expect(code).toBe(2);
    expect(err).toMatch(/spec.endpoints: endpoint paths must be unique/);
    expect(requests()).toEqual([]);
  });
});

describe('G-8 update', () => {
  const changes = {
    image: { options: ['--image', 'nginx:2'], want: { image: 'nginx:2' } },
    min: { options: ['--min', '3'], want: { minReplicas: 3 } },
    max: { options: ['--max', '9'], want: { maxReplicas: 9 } },
    endpoints: {
      options: ['--endpoints', 'FILE'],
      want: { endpoints: [{ path: '/' }, { path: '/orders', scopes: ['orders.read'] }] },
    },
  } as const;

  it.each(Object.entries(changes))('changes only %s', async (_, { options, want }) => {
    const before = await spec();
    ground.cluster.requests.reset();
    const words = options.map((word) => (word === 'FILE' ? endpoints : word));
    expect((await ground.run(['app', 'update', 'shop', ...words])).code).toBe(0);
    expect(requests()).toEqual(['get containerapps', 'patch containerapps']);
    expect(await spec()).toEqual({ ...before, ...want });
  });

  it('checks a bound against the live value of the other bound', async () => {
    const { code, err } = await ground.run(['app', 'update', 'shop', '--min', '5']);
    expect(code).toBe(2);
    expect(err).toMatch(/spec.maxReplicas: max replicas must not be less than min replicas/);
    expect(requests()).toEqual(['get containerapps']);
  });

  it('keeps the changes of two concurrent writers', async () => {
    const { api, cluster, run } = ground;
    let raced = false;
    cluster.intercept(async ({ verb, resource }) => {
      if (raced || verb !== 'patch' || resource !== 'containerapps') return;
      raced = true;
      expect((await run(['app', 'update', 'shop', '--max', '9'])).code).toBe(0);
    });
    expect((await run(['app', 'update', 'shop', '--image', 'nginx:2'])).code).toBe(0);
    expect(await spec()).toMatchObject({ image: 'nginx:2', maxReplicas: 9, minReplicas: 2 });
    expect(await api.list(kind)).toHaveLength(1);
  });

  it('is refused if a concurrent change makes its bounds impossible, and that change stays', async () => {
    const { cluster, run } = ground;
    let raced = false;
    cluster.intercept(async ({ verb, resource }) => {
      if (raced || verb !== 'patch' || resource !== 'containerapps') return;
      raced = true;
      await run(['app', 'update', 'shop', '--max', '2']);
    });
    const { code, err } = await run(['app', 'update', 'shop', '--min', '3']);
    expect(code).toBe(2);
    expect(err).toMatch(/max replicas must not be less/);
    expect(await spec()).toMatchObject({ minReplicas: 2, maxReplicas: 2 });
  });

  it('is applied once and reported as done if the response is lost', async () => {
    const effect = { kind: 'drop', when: 'after' } as const;
    ground.cluster.faults.add({ verb: 'patch', resource: 'containerapps', nth: 1, effect });
    expect((await ground.run(['app', 'update', 'shop', '--max', '9'])).code).toBe(0);
    expect(await spec()).toMatchObject({ maxReplicas: 9 });
  });

  it('reports NotFound for an unknown name, with exit code 1', async () => {
    const { code, err } = await ground.run(['app', 'update', 'nope', '--max', '9']);
    expect(code).toBe(1);
    expect(err).toMatch(/NotFound: there is no ContainerApp default\/nope.*app list -A/);
  });

  it('sends no request without options', async () => {
    expect((await ground.run(['app', 'update', 'shop'])).code).toBe(2);
    expect(requests()).toEqual([]);
  });
});

describe('G-9', () => {
  it('teardown deletes the ContainerApp and its children', async () => {
    const { api, cluster, run } = ground;
    await run(['resync', '--kind', 'ContainerApp']);
    for (const type of kind.owns.slice(0, 3)) expect(await api.list(type)).toHaveLength(1);
    const { code, out } = await run(['app', 'teardown', 'shop']);
    expect({ code, out }).toEqual({ code: 0, out: 'ContainerApp default/shop deleted\n' });
    cluster.controllers.resume();
    await cluster.controllers.settled();
    cluster.controllers.pause();
    for (const type of [kind, ...kind.owns]) expect(await api.list(type)).toEqual([]);
  });

  it('teardown of an unknown name is NotFound, exit code 1', async () => {
    const { code, err } = await ground.run(['app', 'teardown', 'nope']);
    expect(code).toBe(1);
    expect(err).toMatch(/NotFound/);
  });

  it('list prints name, image, port, bounds, endpoints, ready, age', async () => {
    await ground.run(['app', 'update', 'shop', '--endpoints', endpoints]);
    const { out } = await ground.run(['app', 'list']);
    expect(out.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['NAMESPACE', 'NAME', 'IMAGE', 'PORT', 'REPLICAS', 'ENDPOINTS', 'READY', 'AGE'],
      [
        'default',
        'shop',
        'nginx:1',
        '80',
        '2-4',
        '/ (public)',
        'Unknown',
        expect.stringMatching(/^\d+s$/),
      ],
      ['/orders (orders.read)'],
      [''],
    ]);
    const { out: json, err } = await ground.run(['app', 'list', '-A', '-o', 'json']);
    expect(err).toBe('');
    expect(JSON.parse(json)).toMatchObject([
      {
        namespace: 'default',
        name: 'shop',
        port: 80,
        minReplicas: 2,
        maxReplicas: 4,
        ready: 'Unknown',
      },
    ]);
  });

  it('list prints that there are no ContainerApps', async () => {
    expect((await ground.run(['app', 'list', '-n', 'kube-system'])).out).toBe(
      'No ContainerApps.\n',
    );
  });
});
