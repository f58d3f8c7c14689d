import { beforeEach, describe, expect, test } from 'vitest';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { kindsFor } from '../support/config.ts';
import { leaks, listOf } from './admission.ts';
import { faultsIn, look } from './desired.ts';
import { engineUser, isWriteRequest, type Place, type Settings } from './engine.ts';
import { useEngine } from './use-engine.ts';

const containerApp = kindsFor({
  authUrl: 'https://auth.example.com/check',
  ingressClass: 'nginx',
}).find(({ kind }) => kind === 'ContainerApp') as Kind;

let now = new Date('2026-01-01T00:00:00Z').getTime();
const engine = useEngine({ controllers: 'paused', clock: () => new Date(now) });

const day = 24 * 3_600;
let place: Place;

/** Runs after this many seconds. */
function run(trigger: Settings['trigger'], seconds: number, settings: Partial<Settings> = {}) {
  now += seconds * 1000;
  return place.resync({ trigger, ...settings });
}

/** Lists the engine's writes of children and Events while `act` ran. */
async function writtenBy(act: () => Promise<unknown>): Promise<readonly string[]> {
  const before = place.requests().length;
  await act();
  return place
    .requests()
    .slice(before)
    .filter((one) => isWriteRequest(one) && one.status < 300)
    .filter(({ resource }) => !place.kinds.some(({ plural }) => plural === resource))
    .map(({ verb, resource }) => `${verb} ${resource}`);
}

const statusWrites = (): number =>
  place.requests().filter((one) => one.subresource === 'status' && isWriteRequest(one)).length;

const conditionOf = async (kind: Kind, name: string) =>
  (await place.api.get(kind, name)).status?.conditions?.find(({ type }) => type === 'Reconciling');

const rounds = async (act: () => Promise<unknown>, trigger: Settings['trigger'] = 'audit') => {
  for (let round = 0; round < 6; round++) {
    await act();
    await run(trigger, 2);
  }
};

describe('a Deployment of a Foo that', () => {
  beforeEach(async () => {
    place = await engine.place();
    await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
    await run('resync', 60);
    await run('resync', 60);
    now += 60_000;
  });

  const remove = () => place.api.remove(deployment, 'a').catch(() => undefined);
  const repaired = ['patch deployments', 'create events'];

  test.each(['audit', 'later'] as const)(
    'is deleted repeatedly is recreated once, then at the next resync (%s)',
    async (trigger) => {
      expect(await writtenBy(() => rounds(remove, trigger))).toEqual(repaired);
      expect(await conditionOf(foo, 'f')).toMatchObject({
        reason: 'Contested',
        message:
          'Deployment a is deleted again and again; only the scheduled resync creates it again',
      });
      expect(await writtenBy(() => run('resync', 1))).toEqual(repaired);
      expect(await writtenBy(() => rounds(remove, trigger))).toEqual([]);
      expect(await writtenBy(() => run('resync', 1))).toEqual(repaired);
      expect(faultsIn(await look(place.api))).toEqual([]);
    },
  );

  test('is deleted again after half a minute is recreated at once', async () => {
    await remove();
    await run('audit', 1);
    now += 31_000;
    await remove();
    expect(await writtenBy(() => run('audit', 1))).toEqual(repaired);
  });

  test('loses its managedFields repeatedly is applied once, then at the next resync', async () => {
    const clear = () =>
      place.api.patch(deployment, 'a', { metadata: { managedFields: [{}] } }, { manager: 'rival' });
    const written = await writtenBy(() => rounds(clear));
    expect(written.filter((one) => one === 'create events')).toHaveLength(1);
    expect(written.filter((one) => one === 'patch deployments').length).toBeLessThanOrEqual(2);
    expect(await writtenBy(() => rounds(clear))).toEqual([]);
    expect(await writtenBy(() => run('resync', 1))).toContain('create events');
  });

  test('gets an old managedFields entry repeatedly is consolidated at the next resync', async () => {
    const replicas = { 'f:spec': { 'f:replicas': {} } };
    const entry = {
      manager: 'before-first-apply',
      operation: 'Update',
      apiVersion: 'apps/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: replicas,
      time: '2025-01-01T00:00:00Z',
    };
    const entries = async () => (await place.api.get(deployment, 'a')).metadata.managedFields ?? [];
    const add = async () => {
      const managedFields = [
        ...(await entries()).filter(({ manager }) => manager !== entry.manager),
        entry,
      ];
      await place.api.patch(deployment, 'a', { metadata: { managedFields } });
    };
    expect(await writtenBy(() => rounds(add))).toEqual([]);
    expect(await writtenBy(() => run('resync', 1))).toEqual(['patch deployments']);
    expect((await entries()).map(({ manager }) => manager)).not.toContain(entry.manager);
  });

  test('loses a label repeatedly gets it back once, then at the next resync', async () => {
    const strip = () =>
      place.api.patch(deployment, 'a', {
        metadata: { labels: { 'app.kubernetes.io/part-of': null } },
      });
    expect(await writtenBy(() => rounds(strip))).toEqual(repaired);
    expect(await writtenBy(() => run('resync', 1))).toEqual(repaired);
  });

  test('has one contested field has another field repaired at once, and only once', async () => {
    const scale = () => place.api.scale(deployment, 'a', 4);
    await rounds(scale);
    const image = () =>
      place.api.patch(
        deployment,
        'a',
        { spec: { template: { spec: { containers: [{ name: 'nginx', image: 'theirs' }] } } } },
        { as: 'strategic', manager: 'rival' },
      );
    expect(await writtenBy(() => rounds(image))).toEqual(repaired);
  });
});

describe('a Deployment that is not desired', () => {
  const unwanted = async (): Promise<JsonObject> => {
    const { apiVersion, kind, metadata } = await place.api.get(foo, 'f');
    const { name, uid } = metadata;
    const labels = {
      'app.kubernetes.io/managed-by': 'serverless-reconciler',
      'app.kubernetes.io/part-of': 'foo',
      'app.kubernetes.io/instance': 'f',
    };
    const containers = [{ name: 'nginx', image: 'nginx' }];
    return {
      metadata: { labels, ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] },
      spec: {
        selector: { matchLabels: { app: 'x' } },
        template: { metadata: { labels: { app: 'x' } }, spec: { containers } },
      },
    };
  };

  test('and created repeatedly is deleted at resyncs', async () => {
    place = await engine.place();
    await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
    await run('resync', 60);
    const manifest = await unwanted();
    const revive = () => place.api.create(deployment, 'old', manifest).catch(() => undefined);
    await revive();
    expect(await writtenBy(() => run('resync', 1))).toEqual(['delete deployments']);
    expect(await writtenBy(() => rounds(revive))).toEqual([]);
    expect(await conditionOf(foo, 'f')).toMatchObject({ reason: 'Contested' });
    expect(await writtenBy(() => run('resync', 1))).toEqual(['delete deployments']);
    // After a minute, a run for audit events keeps the Deployment, and one for a request message deletes it.
    await revive();
    expect(await writtenBy(() => run('audit', 60))).toEqual([]);
    expect(await writtenBy(() => run('request', 60))).toEqual(['delete deployments']);
  });
});

describe('a Deployment that a webhook rewrites', () => {
  /** Replaces the image in a request, as an admission webhook would. */
  const through = (cluster: Cluster): Cluster => ({
    ...cluster,
    withTimeout: (ms) => through(cluster.withTimeout(ms)),
    apply: (type, manifest, as) =>
      cluster.apply(
        type,
        type.kind === 'Deployment'
          ? JSON.parse(JSON.stringify(manifest).replaceAll('nginx:latest', 'mirror/nginx'))
          : manifest,
        as,
      ),
  });

  const again = (trigger: Settings['trigger'], seconds: number, settings: Partial<Settings>) =>
    writtenBy(() => run(trigger, seconds, settings));
  const imageOf = async () => {
    const { spec } = (await place.api.get(deployment, 'a')) as unknown as {
      readonly spec: {
        readonly template: { readonly spec: { readonly containers: readonly { image: string }[] } };
      };
    };
    return spec.template.spec.containers[0]?.image;
  };

  test('is applied once, and is up to date afterwards', async () => {
    place = await engine.place();
    await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
    await run('resync', 60, { through });
    const written = statusWrites();
    expect(await again('audit', 1, { through })).toEqual([]);
    expect(await again('later', 1, { through })).toEqual([]);
    expect(await again('audit', 60, { through })).toEqual([]);
    expect(await again('resync', 300, { through })).toEqual([]);
    expect(statusWrites()).toBe(written);
    expect(await imageOf()).toBe('mirror/nginx');
    expect(await conditionOf(foo, 'f')).toMatchObject({ reason: 'Progressing' });
    // The webhook changes the dry run of the daily comparison in the same way.
    expect(await again('resync', day, { through })).toEqual([]);
  });

  test('is applied again within a day after the webhook is gone', async () => {
    place = await engine.place();
    await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
    await run('resync', 60, { through });
    expect(await again('resync', day, {})).toContain('patch deployments');
    expect(faultsIn(await look(place.api))).toEqual([]);
    expect(await again('resync', 60, {})).toEqual([]);
  });

  test('is repaired if others change the field', async () => {
    place = await engine.place();
    await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
    await run('resync', 60, { through });
    await place.api.patch(
      deployment,
      'a',
      { spec: { template: { spec: { containers: [{ name: 'nginx', image: 'theirs' }] } } } },
      { as: 'strategic', manager: 'rival' },
    );
    expect(await again('audit', 60, { through })).toEqual(['patch deployments', 'create events']);
    expect(await imageOf()).toBe('mirror/nginx');
    expect(await again('audit', 1, { through })).toEqual([]);
  });

  test('is applied only once while the resource is Stalled, or while its generation is not observed', async () => {
    place = await engine.place();
    await place.api.create(foo, 'f', { spec: { deploymentName: 'old', replicas: 1 } });
    await run('resync', 60, { through });
    const { namespace } = place;
    const repair = engine.cluster.faults.add({
      user: engineUser,
      namespace,
      verb: 'delete',
      resource: 'deployments',
      effect: { kind: 'status', code: 410 },
    });
    await place.api.patch(foo, 'f', { spec: { deploymentName: 'a' } });
    await run('resync', 60, { through });
    const patches = async (seconds: number) =>
      (await writtenBy(() => run('audit', seconds, { through }))).filter(
        (one) => one === 'patch deployments',
      );
    expect(await patches(1)).toEqual([]);
    expect(await patches(60)).toEqual([]);
    repair();
  });

  test('causes only dry runs, and no Event, if the status is lost', async () => {
    place = await engine.place();
    await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
    await run('resync', 60, { through });
    const lose = (status: JsonObject) =>
      place.api.patch(foo, 'f', { status }, { subresource: 'status' });
    await lose({ conditions: [] });
    expect(await again('audit', 1, { through })).toEqual([]);
    await lose({ lastApplied: null });
    expect(await again('audit', 1, { through })).toEqual([]);
    expect(await again('audit', 1, { through })).toEqual([]);
  });
});

describe('G-3 an Ingress', () => {
  const list = { '/': [], '/a': ['u'] };
  beforeEach(async () => {
    place = await engine.place([containerApp]);
    const spec = { image: 'nginx', endpoints: listOf(list) };
    await place.api.create(containerApp, 'shop', { spec });
    await run('resync', 60);
    await run('resync', 60);
    now += 60_000;
  });

  const privatePath = async () => {
    const gates = await place.api.list(ingress);
    const scoped = gates.find(({ metadata }) => !metadata.name.endsWith('-public'));
    const spec = scoped?.spec as
      | { readonly rules: readonly { readonly http: { readonly paths: readonly JsonObject[] } }[] }
      | undefined;
    return spec?.rules[0]?.http.paths[0];
  };
  const leaking = async () => leaks(await place.api.list(ingress), [list]);

  /** Expects the next run to close each opened path, with one Event. */
  async function expectClosed(open: () => Promise<unknown>): Promise<void> {
    const events = async () => (await place.api.list(eventType)).length;
    const before = await events();
    for (let round = 0; round < 5; round++) {
      await open();
      expect(await leaking()).not.toEqual([]);
      await run('audit', 2);
      expect(await leaking()).toEqual([]);
      expect((await conditionOf(containerApp, 'shop'))?.reason).not.toBe('Contested');
    }
    expect((await events()) - before).toBe(1);
  }

  test('to which a private path is added repeatedly is repaired each time', async () => {
    const path = await privatePath();
    const value = { ...path, path: String(path?.path).replace(/~~.{8}/, '~~public--') };
    await expectClosed(() =>
      place.api.patch(
        ingress,
        'shop-public',
        [{ op: 'add', path: '/spec/rules/0/http/paths/-', value }],
        { as: 'json', manager: 'rival' },
      ),
    );
  });

  test('that requires scopes and is deleted repeatedly is recreated each time', async () => {
    await expectClosed(async () => {
      const gates = await place.api.list(ingress);
      const scoped = gates.find(({ metadata }) => !metadata.name.endsWith('-public'));
      await place.api.remove(ingress, scoped?.metadata.name ?? '');
    });
  });

  test('that is public and is deleted repeatedly is left to the next resync', async () => {
    const close = () => place.api.remove(ingress, 'shop-public').catch(() => undefined);
    const written = await writtenBy(() => rounds(close));
    expect(written).toEqual(['patch ingresses', 'create events']);
    expect(await leaking()).toEqual([]);
  });
});

describe('W-3 a Website whose Service was moved again from its node port, which another Service took', () => {
  const site = 'shop';
  let port = 0;
  const move = (nodePort: number) =>
    place.api.patch(service, site, { spec: { ports: [{ ...httpPort, nodePort }] } });
  const httpPort = { port: 80, protocol: 'TCP', targetPort: 80 };
  const readyOf = async () =>
    (await place.api.get(website, site)).status?.conditions?.find(({ type }) => type === 'Ready');
  const warnings = async () =>
    (await place.api.list(eventType)).filter(({ type }) => String(type) === 'Warning');

  beforeEach(async () => {
    place = await engine.place();
    port = place.nodePort();
    await place.api.create(website, site, { spec: { imageTag: 'v1', nodePort: port } });
    await run('resync', 60);
    await run('resync', 60);
    now += 60_000;
    await move(place.nodePort());
    await run('resync', 1);
    await move(place.nodePort());
    now += 1000;
    await place.api.create(service, 'other', {
      spec: {
        type: 'NodePort',
        selector: { app: 'theirs' },
        ports: [{ ...httpPort, nodePort: port }],
      },
    });
  });

  test.each([
    ['audit', 'resync'],
    ['request', 'resync', 'later'],
    ['resync', 'audit'],
  ] as const)(
    'has one reason and one Event, whatever triggers the runs (%s first)',
    async (...triggers) => {
      const reasons: unknown[] = [];
      for (let round = 0; round < 3; round++)
        for (const trigger of triggers) {
          await run(trigger, 5);
          reasons.push((await readyOf())?.reason);
        }
      expect(new Set(reasons.slice(1))).toEqual(new Set(['NodePortTaken']));
      expect(await warnings()).toHaveLength(1);
    },
  );

  test('gets its port back once it is free', async () => {
    await run('resync', 5);
    await run('audit', 5);
    await place.api.remove(service, 'other');
    await run('resync', 5);
    expect(faultsIn(await look(place.api))).toEqual([]);
  });
});
