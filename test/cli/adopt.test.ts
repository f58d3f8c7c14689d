import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployment, statefulSet } from '../../shared/kinds/child-types/apps.ts';
import { persistentVolumeClaim, secret, service } from '../../shared/kinds/child-types/core.ts';
import type { JsonObject, ResourceType } from '../../shared/kubernetes.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { database } from '../../systems/database.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { isWriteRequest } from '../reconcile/engine.ts';
import { controllerOf, type Live } from '../scenarios/api.ts';
import { backUp, type Keeps, restore } from '../scenarios/backup.ts';
import { condition } from '../scenarios/resources.ts';
import { kinds } from '../support/config.ts';
import { childTypes } from '../support/observe.ts';
import { type CliGround, openCliGround } from './command-runner.ts';

let ground: CliGround;
beforeAll(async () => {
  ground = await openCliGround();
});
afterAll(() => ground.stop());

const env = { AUTH_URL: 'https://auth.example.com/check' };
const run = (...argv: readonly string[]) => ground.run(argv, { env });
/** The order in which Velero restores: data first, custom resources last. */
const types = [
  persistentVolumeClaim,
  secret,
  ...childTypes.filter((type) => type !== secret),
  ...kinds,
];

async function settled(): Promise<void> {
  const { controllers } = ground.cluster;
  controllers.resume();
  await controllers.settled();
  controllers.pause();
}

async function removeAll(): Promise<void> {
  for (const type of [...types, eventType])
    for (const { metadata } of await ground.api.list(type))
      await ground.api.remove(type, metadata.name);
  await settled();
  for (const type of types) expect(await ground.api.list(type)).toEqual([]);
}

/** Creates resources, makes them Ready, and restores them with their children. Returns the original objects. */
async function restored(create: () => Promise<unknown>, keeps: Keeps) {
  const { api } = ground;
  await removeAll();
  await create();
  for (let turn = 0; turn < 3; turn++) {
    await run('resync');
    await settled();
  }
  const saved = await backUp(api, types);
  await removeAll();
  await restore(api, saved, keeps);
  return new Map(saved.map(({ type, live }) => [`${type.kind} ${live.metadata.name}`, live]));
}

async function createSamples(): Promise<void> {
  for (const kind of kinds)
    for (const { name, spec } of kind.samples)
      await ground.api.create(kind, name, { spec: spec as JsonObject });
}

const createSite = () =>
  ground.api.create(website, 'shop', { spec: { imageTag: 'v1', nodePort: 31500 } });

const templateOf = ({ spec }: Live) => (spec as JsonObject | undefined)?.template;
const readyOf = async (name = 'shop') => condition(await ground.api.get(website, name), 'Ready');
const ownersOf = async (type: ResourceType = deployment) =>
  (await ground.api.get(type, 'shop')).metadata.ownerReferences?.map(({ uid }) => uid) ?? [];
const writes = () => ground.cluster.requests.list().filter(isWriteRequest);

describe.each<[string, Keeps]>([
  ['by Velero', { managedFields: true }],
  ['without managedFields', { managedFields: false }],
  ['with managedFields and former owners', { managedFields: true, owners: true }],
  ['with former owners and without managedFields', { managedFields: false, owners: true }],
])('after a restore %s', (_, keeps) => {
  it('adopt makes all resources Ready, with pods and passwords unchanged', async () => {
    const before = await restored(createSamples, keeps);
    for (const kind of kinds) {
      const { code, err, out } = await run('adopt', kind.kind, '--yes');
      expect({ code, err }).toEqual({
        code: 0,
        err: expect.stringMatching(/^Cluster \S+ context local\n$/),
      });
      const [, planned, more] =
        /^Planning took (\d+) requests; applying takes (\d+) more/m.exec(out) ?? [];
      expect(out).toMatch(new RegExp(`^${Number(planned) + Number(more)} requests in`, 'm'));
    }
    for (const type of [deployment, statefulSet])
      for (const live of await ground.api.list(type)) {
        const { name, generation } = live.metadata;
        expect(templateOf(live)).toEqual(templateOf(before.get(`${type.kind} ${name}`) as Live));
        expect(generation).toBe(1);
      }
    for (const live of await ground.api.list(secret))
      expect(live.data).toEqual(before.get(`Secret ${live.metadata.name}`)?.data);
    await settled();
    await run('resync');
    for (const kind of kinds)
      for (const live of await ground.api.list(kind))
        expect(condition(live, 'Ready')).toMatchObject({ status: 'True' });
    expect(await run('plan', '--exit-code')).toMatchObject({ code: 0 });
  });
});

describe('children of a resource that was restored', () => {
  it('C-6 are named in one condition and Event, with the command to run', async () => {
    await restored(createSite, { managedFields: true });
    await run('resync');
    const sentence = 'Resource "shop" already exists and is not managed by Website; it is a ';
    const remedy =
      ', labelled as a child of this Website but not owned by it, as after a restore; to take it over: reconciler adopt Website shop -n default';
    const message = `${sentence}Deployment${remedy}; ${sentence}Service${remedy}`;
    expect(await readyOf()).toMatchObject({
      reason: 'ErrResourceExists',
      message,
    });
    const events = await ground.api.list(eventType);
    expect(events).toMatchObject([{ reason: 'ErrResourceExists', message }]);
    await run('resync');
    expect(await ground.api.list(eventType)).toHaveLength(1);
    const { out } = await run('adopt', 'Website', '--yes');
    expect(out).toMatch(
      /^update +Deployment shop +Website default\/shop +adopted\nupdate +Service/m,
    );
  });

  it('are adopted only after a confirmation', async () => {
    await restored(createSite, { managedFields: true });
    ground.cluster.requests.reset();
    const questions: string[] = [];
    const answer = (yes: boolean) => async (question: string) => {
      questions.push(question);
      return yes;
    };
    expect(await run('adopt', 'Website/shop')).toMatchObject({
      code: 2,
      err: expect.stringContaining('adopt cannot ask without a terminal: add --yes'),
    });
    const refused = await ground.run(['adopt', 'Website/shop'], { confirm: answer(false) });
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.out).toMatch(/^update +Deployment shop +Website default\/shop +adopted$/m);
    expect(refused.err).toContain('not applied, nothing was written');
    expect(writes()).toEqual([]);
    const { uid } = (await ground.api.get(website, 'shop')).metadata;
    expect(await ground.run(['adopt', 'Website/shop'], { confirm: answer(true) })).toMatchObject({
      code: 0,
    });
    expect(questions).toHaveLength(2);
    expect(await ownersOf()).toEqual([uid]);
    expect(await ownersOf(service)).toEqual([uid]);
    expect(await run('adopt', 'Website')).toMatchObject({
      code: 0,
      err: expect.stringContaining('no child to adopt'),
    });
  });

  it('are not adopted without the data that others rely on, and the reason is shown', async () => {
    const spec = { storage: { size: '1Gi' }, databaseName: 'shop', username: 'shop' };
    await restored(() => ground.api.create(database, 'shop', { spec }), { managedFields: true });
    await ground.api.patch(secret, 'shop-credentials', { data: { password: null } });
    for (const type of [service, statefulSet])
      for (const { metadata } of await ground.api.list(type))
        await ground.api.remove(type, metadata.name);
    const { code, err, out } = await run('adopt', 'Database', 'shop', '--yes');
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('no child to adopt') });
    expect(out).toMatch(/^block +Secret shop-credentials .* CredentialsLost: /m);
    expect(out).not.toContain('up to date');
  });

  it('are not adopted while the resource is only observed, and the reason is shown', async () => {
    await restored(createSite, { managedFields: true });
    const annotations = { 'serverless-reconciler/observe': 'true' };
    await ground.api.patch(website, 'shop', { metadata: { annotations } });
    const { err, out } = await run('adopt', 'Website', 'shop', '--yes');
    expect(err).toContain('no child to adopt');
    expect(out).toMatch(/^hold +Deployment shop .* its owner is only observed$/m);
    expect(await ownersOf()).toEqual([]);
  });

  it('are not adopted while a resource cannot be planned, and the resource is shown', async () => {
    await restored(createSite, { managedFields: true });
    const effect = { kind: 'status', code: 500 } as const;
    const undo = ground.cluster.faults.add({ verb: 'get', resource: 'websites', effect });
    const { code, err, out } = await run('adopt', 'Website', 'shop', '--yes').finally(undo);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('no child to adopt') });
    expect(out).toContain('etcdserver: request timed out');
  });

  it('are not adopted if they changed since they were shown', async () => {
    await restored(createSite, { managedFields: true });
    const confirm = async () => {
      await ground.api.scale(deployment, 'shop', 5);
      return true;
    };
    const { code, err } = await ground.run(['adopt', 'Website', 'shop'], { confirm });
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining('the plan is stale'),
    });
    expect(await ownersOf()).toEqual([]);
  });
});

describe('adopt does not change', () => {
  const withDeployment = async (metadata: JsonObject): Promise<Live> => {
    await restored(createSite, { managedFields: true });
    const { spec } = await ground.api.get(deployment, 'shop');
    await ground.api.remove(deployment, 'shop');
    return ground.api.create(deployment, 'shop', { metadata, spec: spec as JsonObject });
  };
  const labels = {
    'app.kubernetes.io/managed-by': 'serverless-reconciler',
    'app.kubernetes.io/instance': 'shop',
    'app.kubernetes.io/part-of': 'website',
  };
  const owner = {
    apiVersion: 'kubecon.my.domain/v1beta1',
    kind: 'Website',
    name: 'shop',
    uid: 'gone',
  };

  it.each<[string, JsonObject]>([
    ['an object without our labels', { labels: {} }],
    [
      'a child of another resource',
      { labels: { ...labels, 'app.kubernetes.io/instance': 'blog' } },
    ],
    ['a child of another kind', { labels: { ...labels, 'app.kubernetes.io/part-of': 'foo' } }],
    [
      'a child that a former resource of another name owns',
      { labels, ownerReferences: [{ ...owner, name: 'blog', controller: true }] },
    ],
    [
      'a child that a former resource of another kind owns',
      { labels, ownerReferences: [{ ...owner, kind: 'Foo', controller: true }] },
    ],
    [
      'a child that a former resource of another group owns',
      {
        labels,
        ownerReferences: [{ ...owner, apiVersion: 'example.com/v1beta1', controller: true }],
      },
    ],
  ])('%s', async (_, metadata) => {
    const before = await withDeployment(metadata);
    await run('adopt', 'Website', 'shop', '--yes');
    expect(await ground.api.get(deployment, 'shop')).toEqual(before);
  });

  it('F-8 a child that another living resource owns', async () => {
    await ground.api
      .create(foo, 'shop', { spec: { deploymentName: 'other' } })
      .catch(() => undefined);
    await restored(createSite, { managedFields: true });
    const other = await ground.api.create(foo, 'shop', { spec: { deploymentName: 'other' } });
    await ground.api.patch(deployment, 'shop', {
      metadata: { ownerReferences: [controllerOf(other)] },
    });
    const before = await ground.api.get(deployment, 'shop');
    await run('adopt', 'Website', 'shop', '--yes');
    expect(await ground.api.get(deployment, 'shop')).toEqual(before);
  });

  it('resources beyond the first hundred', async () => {
    await removeAll();
    for (let at = 0; at < 103; at++) {
      await ground.api.create(foo, `f${at}`, { spec: { deploymentName: `d${at}` } });
      await ground.api.create(deployment, `d${at}`, {
        metadata: {
          labels: {
            ...labels,
            'app.kubernetes.io/instance': `f${at}`,
            'app.kubernetes.io/part-of': 'foo',
          },
        },
        spec: {
          selector: { matchLabels: { app: 'nginx', controller: `f${at}` } },
          template: {
            metadata: { labels: { app: 'nginx', controller: `f${at}` } },
            spec: { containers: [{ name: 'nginx', image: 'nginx:latest' }] },
          },
        },
      });
    }
    const { code, err } = await run('adopt', 'Foo', '--yes');
    expect({ code, err }).toMatchObject({
      code: 0,
      err: expect.stringContaining('3 more resources with children to adopt'),
    });
    const owned = (await ground.api.list(deployment)).filter(
      ({ metadata }) => metadata.ownerReferences,
    );
    expect(owned).toHaveLength(100);
  });
});

it('adopt requires a kind', async () => {
  expect(await run('adopt')).toMatchObject({ code: 2, err: expect.stringContaining('KIND') });
});
