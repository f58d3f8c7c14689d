import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { openOperations } from '../../infra/dashboard/open-operations.ts';
import type {
  DetailView,
  ManifestView,
  PlanView,
  ResourceView,
} from '../../infra/dashboard/views.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../shared/kinds/child-types/core.ts';
import { suspendAnnotation } from '../../shared/kinds/names.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { application } from '../../systems/application.ts';
import { website } from '../../systems/website.ts';
import {
  type DashboardGround,
  type Follower,
  follow,
  type Message,
  openDashboardGround,
  openDashboardOn,
  openSessionOn,
  post,
} from './ground.ts';
import { startLogRelay } from './log-relay.ts';

let ground: DashboardGround;
let page: Follower;
beforeAll(async () => {
  ground = await openDashboardGround();
  await ground.api.create(website, 'shop', { spec: { imageTag: 'v1', nodePort: 31710 } });
  page = await follow(ground.dashboard.url);
});
afterAll(async () => {
  page.close();
  await ground.stop();
});

const resourcesIn = ({ name, data }: Message): readonly ResourceView[] =>
  name === 'snapshot' ? data.resources : name === 'delta' ? data.changed : [];

/** Resolves with what the page shows of a resource once it is in this state. */
async function shown(name: string, state: ResourceView['sync']['state'], from = 0) {
  const is = (message: Message): boolean =>
    page.all.indexOf(message) >= from &&
    resourcesIn(message).some((one) => one.name === name && one.sync.state === state);
  const found = resourcesIn(await page.until(is)).find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} is not shown`);
  return found;
}

const send = (path: string, body: unknown) => post(ground.dashboard.url, path, body);
const request = { kind: 'Website', namespace: 'default', name: 'shop' };

test.each(['//', '//a/b?c', '/%'])(
  'a URL such as %s gets a 404, and the server survives',
  async (path) => {
    const { hostname, port } = new URL(ground.dashboard.url);
    const codeOf = (at: string) =>
      new Promise((resolve, reject) => {
        const asked = get({ hostname, port, path: at }, (response) =>
          resolve(response.resume().statusCode),
        );
        asked.on('error', reject);
      });
    expect(await codeOf(path)).toBe(404);
    expect(await codeOf('/')).toBe(200);
  },
);

test('the dashboard keeps what it has read while the cluster does not respond', async () => {
  const relay = await startLogRelay(ground.cluster, () => undefined);
  const kubeconfig = () => ground.cluster.kubeconfig().replaceAll(ground.cluster.url, relay.url);
  const dashboard = await openDashboardOn({ kubeconfig });
  const own = await follow(dashboard.url);
  await own.until((message) => resourcesIn(message).length > 0);
  await relay.stop();
  const next = await own.until(
    ({ name, data }) => name === 'unread' || (name === 'delta' && data.removed.length > 0),
  );
  expect(next).toMatchObject({
    name: 'unread',
    data: { message: expect.stringMatching(/^cannot list \S+: no valid response from /) },
  });
  own.close();
  await dashboard.stop();
});

test('the dashboard tries a cluster again that was unreachable at first', async () => {
  let tries = 0;
  const prepare = async () => {
    if (tries++ === 0) throw new Error('no response');
  };
  const session = await openSessionOn(ground.cluster, { prepare });
  try {
    await expect(session.begin()).rejects.toThrow('no response');
    for (let runs = 0; runs < 2; runs++)
      expect((await session.begin()).policy.trigger).toBe('resync');
    expect(tries).toBe(2);
  } finally {
    await session.close();
  }
});

describe('the stream to the page', () => {
  it('begins with a snapshot, and continues with changes only', async () => {
    const { children } = await shown('shop', 'Missing');
    expect(children.map(({ health }) => health.state)).toEqual(['Absent', 'Absent']);
    expect((await send('resync', { request })).code).toBe(200);
    await shown('shop', 'InSync');
    const from = page.all.length;
    await ground.api.patch(deployment, 'shop', { spec: { replicas: 7 } });
    const drifted = await shown('shop', 'Drifted', from);
    expect(drifted.children).toMatchObject([
      { differences: [{ path: 'spec.replicas', from: 7, to: 2 }], origin: 'drift' },
      { differences: [] },
    ]);
    expect(drifted.children[1]).not.toHaveProperty('origin');
    const after = page.all.slice(from).filter(({ name }) => name === 'snapshot');
    expect(after, 'no second snapshot').toEqual([]);
  });

  it('sends changes that a watch reports without being asked', async () => {
    const from = page.all.length;
    await ground.api.remove(service, 'shop');
    const { sync } = await shown('shop', 'Missing', from);
    expect(sync.message).toBe('Service shop: gone, will be created again');
  });

  it('names deleted resources', async () => {
    const from = page.all.length;
    const { metadata } = await ground.api.create(website, 'brief', {
      spec: { imageTag: 'v1', nodePort: 31711 },
    });
    await shown('brief', 'Missing', from);
    await ground.api.remove(website, 'brief');
    await page.until(({ name, data }) => name === 'delta' && data.removed.includes(metadata.uid));
  });

  it('D-3 contains no value of a Secret in any form', async () => {
    const from = page.all.length;
    await ground.api.create(application, 'quiet', { spec: { greeting: 'open-sesame' } });
    const asked = { kind: 'Application', namespace: 'default', name: 'quiet' };
    expect((await send('resync', { request: asked })).code).toBe(200);
    const name = 'quiet-secret-greeting';
    await ground.api.patch(secret, name, { stringData: { GREETING_MESSAGE: 'changed-by-hand' } });
    const { id, children } = await shown('quiet', 'Drifted', from);
    expect(children.some(({ differences }) => differences.length > 0)).toBe(true);
    const { response: plan } = await send('plan', { request: asked });
    const { response: detail } = await send('detail', { id });
    const { response: manifest } = await send('manifest', { id, child: `v1/Secret/${name}` });
    const seen = JSON.stringify([page.all, plan, detail, manifest]);
    expect(seen).toContain('GREETING_MESSAGE: (secret)');
    for (const value of ['open-sesame', 'changed-by-hand'])
      for (const form of [value, Buffer.from(value).toString('base64')])
        expect(seen.includes(form), form).toBe(false);
    await ground.api.remove(application, 'quiet');
  });

  it('shares one read among all pages', async () => {
    const others = await Promise.all([1, 2, 3].map(() => follow(ground.dashboard.url)));
    const firsts = await Promise.all(
      others.map((one) => one.until(({ name }) => name === 'snapshot')),
    );
    const times = firsts.map(({ name, data }) => (name === 'snapshot' ? data.at : 0));
    expect(new Set(times).size).toBe(1);
    for (const other of others) other.close();
  });
});

describe('a button', () => {
  it('applies exactly the plan that was shown, once', async () => {
    const { response } = await send('plan', { request });
    const { id, preview, impact } = response as PlanView;
    expect(impact).toEqual(['reduces availability: 1 Deployment', 'opens exposure: 1 Service']);
    expect(preview.resources[0]?.actions.map(({ verb }) => verb)).toContain('update');
    const from = page.all.length;
    expect(await send('apply', { id })).toMatchObject({ code: 200, response: { problems: [] } });
    expect(await ground.api.get(deployment, 'shop')).toMatchObject({ spec: { replicas: 2 } });
    await page.until(
      ({ name, data }, all) =>
        all.length > from &&
        name === 'timeline' &&
        data.runs.some((one) => one.trigger === 'dashboard'),
    );
    expect(await send('apply', { id })).toMatchObject({
      code: 409,
      response: { error: 'the dashboard no longer has this plan: plan again' },
    });
  });

  it('refuses a plan whose objects have changed, and writes nothing', async () => {
    await send('resync', { request });
    await ground.api.patch(deployment, 'shop', { spec: { replicas: 3 } });
    const { response } = await send('plan', { request });
    await ground.api.patch(deployment, 'shop', { spec: { replicas: 4 } });
    expect(await send('apply', { id: (response as PlanView).id })).toMatchObject({
      code: 409,
      response: {
        error: expect.stringMatching(/^the plan is stale, so nothing was written: .*changed/),
      },
    });
    expect(await ground.api.get(deployment, 'shop')).toMatchObject({ spec: { replicas: 4 } });
  });

  it('does not suspend a resource that someone else changes at the same moment', async () => {
    const { id } = await shown('shop', 'InSync');
    const effect = { kind: 'status', code: 409 } as const;
    ground.cluster.faults.add({ resource: 'websites', verb: 'patch', effect });
    const result = await send('suspend', { id });
    ground.cluster.undisturb();
    expect(result).toEqual({
      code: 409,
      response: { error: expect.stringContaining('check it and try again') },
    });
  });

  it('C-14 suspends and resumes, and keeps other annotations', async () => {
    await send('resync', { request });
    await ground.api.patch(website, 'shop', { metadata: { annotations: { team: 'a' } } });
    const { id } = await shown('shop', 'InSync');
    const annotations = async () => (await ground.api.get(website, 'shop'))?.metadata.annotations;
    expect((await send('suspend', { id })).code).toBe(200);
    expect(await annotations()).toEqual({ team: 'a', [suspendAnnotation]: 'true' });
    expect((await send('suspend', { id })).code, 'again').toBe(200);
    expect((await send('resume', { id })).code).toBe(200);
    expect(await annotations()).toEqual({ team: 'a' });
  });

  it('shows Events, and the age of each child', async () => {
    await ground.api.remove(service, 'shop');
    await send('resync', { request });
    const { id } = await shown('shop', 'InSync');
    const { response } = await send('detail', { id });
    const { history, createdChildren, failures } = response as DetailView;
    expect(history.map(({ title }) => title)).toContain('Repaired');
    expect(createdChildren.map(({ kind }) => kind).toSorted()).toEqual(['Deployment', 'Service']);
    expect(failures).toEqual([]);
  });
});

describe('an object that the dashboard shows on request', () => {
  const manifestOf = async (body: object): Promise<string> => {
    const { response } = await send('manifest', body);
    return (response as ManifestView).lines
      .map(({ text, ours }) => `${ours ? '>' : ' '}${text}`)
      .join('\n');
  };

  it('is a resource or child as YAML, with our fields marked', async () => {
    const { id } = await shown('shop', 'InSync');
    const own = await manifestOf({ id });
    expect(own).toMatch(/^ {3}imageTag: v1$/m);
    expect(own).toMatch(/^> {2}observedGeneration: 1$/m);
    const child = await manifestOf({ id, child: 'apps/v1/Deployment/shop' });
    expect(child).toMatch(/^> {2}replicas: 2$/m);
    expect(child).toMatch(/^ {3}progressDeadlineSeconds: 600$/m);
    expect(child).toMatch(/^ {3}readyReplicas: 2$/m);
  });

  it('must be on the page', async () => {
    const { id } = await shown('shop', 'InSync');
    for (const path of ['manifest', 'pods'])
      expect(await send(path, { id, child: 'v1/Secret/other' })).toMatchObject({
        code: 409,
        response: { error: 'child v1/Secret/other no longer exists' },
      });
  });

  it('is reported as missing if it no longer exists', async () => {
    const { id } = await shown('shop', 'InSync');
    const from = page.all.length;
    await ground.api.remove(service, 'shop');
    await shown('shop', 'Missing', from);
    expect(await send('manifest', { id, child: 'v1/Service/shop' })).toMatchObject({
      code: 409,
      response: { error: 'Service default/shop no longer exists' },
    });
    await send('resync', { request });
  });

  it('includes Events below a child, even without pods', async () => {
    const { id } = await shown('shop', 'InSync');
    const { response } = await send('pods', { id, child: 'apps/v1/Deployment/shop' });
    expect(response).toEqual({ pods: [], isCut: false, events: [], logs: [], failures: [] });
  });
});

it('the dashboard escapes control and bidirectional characters from the cluster', async () => {
  const { id } = await shown('shop', 'InSync');
  await ground.api.create(eventType, 'hostile', {
    involvedObject: { kind: 'Website', namespace: 'default', name: 'shop', uid: id },
    type: 'Warning',
    reason: 'Hostile',
    message: 'a\u202eb\u001b[31m',
  });
  const { response } = await send('detail', { id });
  expect((response as DetailView).history.map(({ text }) => text)).toContain(
    'a\\u202eb\\u001b[31m',
  );
});

it('the dashboard releases the memory of each run', async () => {
  const session = await openSessionOn(ground.cluster);
  const open = new Set<object>();
  const begin = async () => {
    const run = await session.begin();
    const { memory } = run.limits;
    open.add(memory);
    const close = (): void => {
      memory[Symbol.dispose]();
      open.delete(memory);
    };
    return { ...run, limits: { ...run.limits, memory: { ...memory, [Symbol.dispose]: close } } };
  };
  const given = { readOnly: false, reported: undefined };
  const operations = openOperations({ ...session, begin }, given);
  const { resources } = await operations.read();
  const shop = resources.find(({ name }) => name === 'shop');
  if (shop === undefined) throw new Error('shop is not there');
  await operations.timeline();
  await operations.detail(shop);
  await operations.resync(request);
  await operations.apply((await operations.plan(request)).id);
  await operations.suspend(shop, false);
  await expect(operations.detail({ ...shop, resource: 'nope' })).rejects.toThrow('configuration');
  expect(open.size).toBe(0);
  await session.close();
});

it('the dashboard shows why Events cannot be read, and its own runs', async () => {
  const session = await openSessionOn(ground.cluster);
  const begin = async () => {
    const run = await session.begin();
    const list: typeof run.cluster.list = async (type, selection, receive) => {
      if (type.kind === 'Event') throw new Error('events is forbidden');
      return run.cluster.list(type, selection, receive);
    };
    return { ...run, cluster: { ...run.cluster, list } };
  };
  const operations = openOperations(
    { ...session, begin },
    { readOnly: false, reported: undefined },
  );
  await operations.resync(request);
  expect(await operations.timeline()).toMatchObject({
    source: 'events',
    failure: 'events is forbidden',
    runs: [{ trigger: 'dashboard' }],
  });
  await session.close();
});

describe("the dashboard's server refuses", () => {
  const writes = ['apply', 'resync', 'suspend', 'resume'];

  it.each([...writes, 'plan', 'detail', 'manifest', 'pods'])(
    '%s without the token of the page',
    async (path) => {
      for (const token of ['', 'x'.repeat(32)])
        expect((await post(ground.dashboard.url, path, { request }, token)).code).toBe(403);
    },
  );

  it.each(writes)('%s with --read-only', async (path) => {
    const readOnly = await openDashboardOn(ground.cluster, { readOnly: true });
    try {
      const before = await ground.api.get(website, 'shop');
      const follower = await follow(readOnly.url);
      await follower.until(({ name }) => name === 'snapshot');
      const id = before?.metadata.uid;
      const { response } = await post(readOnly.url, 'plan', { request });
      const body = { apply: { id: response.id }, resync: { request } }[path] ?? { id };
      expect(await post(readOnly.url, path, body)).toMatchObject({
        code: 409,
        response: { error: expect.stringMatching(/read-only/) },
      });
      expect(await ground.api.get(website, 'shop')).toEqual(before);
      follower.close();
    } finally {
      await readOnly.stop();
    }
  });

  it.each([
    ['a request with an unknown field', 'plan', { request: { kind: 'Website', all: true } }],
    ['a resource that does not exist', 'suspend', { id: 'nope' }],
    ['the manifest of a resource that does not exist', 'manifest', { id: 'nope' }],
    ['the pods of a resource that does not exist', 'pods', { id: 'nope', child: 'v1/Pod/x' }],
    ['a plan that was not made', 'apply', { id: 'nope' }],
    ['a body that is not an object', 'resync', []],
    ['a body that is too large', 'plan', { request: {}, more: 'x'.repeat(70_000) }],
  ])('%s', async (_, path, body) => {
    expect((await send(path, body)).code).toBe(409);
  });

  it.each(['state', 'page.tsx', '../package.json', 'nothing'])(
    'the unknown path %s',
    async (path) => {
      expect((await fetch(`${ground.dashboard.url}${path}`)).status).toBe(404);
    },
  );

  it('scripts and styles from elsewhere, and embedding in a frame', async () => {
    const { headers } = await fetch(ground.dashboard.url);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
  });
});
