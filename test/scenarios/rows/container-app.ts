import { expect } from 'vitest';
import { deployment } from '../../../shared/kinds/child-types/apps.ts';
import { service } from '../../../shared/kinds/child-types/core.ts';
import { authUrlAnnotation, withoutMarker } from '../../../shared/kinds/child-types/ingress.ts';
import { ingress } from '../../../shared/kinds/child-types/networking.ts';
import { horizontalPodAutoscaler } from '../../../shared/kinds/child-types/small-groups.ts';
import type { JsonObject, ResourceType } from '../../../shared/kubernetes.ts';
import { kinds } from '../../support/config.ts';
import { type Live, refusalOf } from '../api.ts';
import { eventually } from '../eventually.ts';
import { authUrl } from '../functions.ts';
import type { Place, Scenarios } from '../place.ts';
import { condition, foreignService, hold, isReady, letGo } from '../resources.ts';

const containerApp = kinds.find(({ kind }) => kind === 'ContainerApp') as ResourceType;

type Endpoints = readonly { readonly path: string; readonly scopes?: readonly string[] }[];

const newApp = (place: Place, spec: JsonObject = {}, name = 'shop'): Promise<Live> =>
  place.api.create(containerApp, name, { spec: { image: 'nginx:1', maxReplicas: 3, ...spec } });

const edit = (place: Place, spec: JsonObject): Promise<Live> =>
  place.api.patch(containerApp, 'shop', { spec });

const startedApp = async (place: Place, endpoints: Endpoints = []): Promise<void> => {
  await newApp(place, { endpoints });
  await place.converge();
};

const appOf = (place: Place): Promise<Live> => place.api.get(containerApp, 'shop');

/** Returns the exposure of each Ingress: scopes that nginx demands → paths below the application. */
async function exposed(place: Place): Promise<Readonly<Record<string, readonly string[]>>> {
  const ingresses = await place.api.list(ingress);
  return Object.fromEntries(
    ingresses.map(({ metadata, spec }) => {
      const address = metadata.annotations?.[authUrlAnnotation];
      const scopes =
        address === undefined ? 'anybody' : decodeURIComponent(address.split('?')[1] ?? '');
      const { rules } = spec as { rules: { http?: { paths: { path: string }[] } }[] };
      const paths = rules.flatMap(({ http }) =>
        (http?.paths ?? []).map(({ path }) => withoutMarker(path)),
      );
      return [scopes, paths.map((path) => path.replace(/^\/[^/(]*\/[^/(]*/, ''))];
    }),
  );
}

const root = '(?:/(.*))?$';
const below = (path: string): string => `/(${path}(?:/.*)?)$`;

/** Returns the uids of the Ingresses by name, which tell whether an object was replaced. */
const identities = async (place: Place): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    (await place.api.list(ingress)).map(({ metadata }) => [metadata.name, metadata.uid]),
  );

/** Lists the resources written after the first `before` writes, apart from the status of ContainerApps. */
async function written(place: Place, before: number): Promise<readonly string[]> {
  const since = (await place.writes()).slice(before).map(({ resource }) => resource);
  return [...new Set(since)].filter((one) => !/^(containerapps|events)/.test(one)).toSorted();
}

/** G-1 to G-7; the order of G-3 is tested by single calls elsewhere. */
export const containerApps: Scenarios = {
  async 'G-1 C-1 a ContainerApp gets its Service, Deployment, autoscaler and Ingresses'(place) {
    await startedApp(place, [{ path: '/' }, { path: 'a', scopes: ['x.read'] }]);
    expect(await isReady(place, containerApp, 'shop')).toBe(true);
    const live = await appOf(place);
    const children = await Promise.all([
      place.api.get(service, 'shop'),
      place.api.get(deployment, 'shop'),
      place.api.get(horizontalPodAutoscaler, 'shop'),
      ...(await place.api.list(ingress)),
    ]);
    expect(children).toHaveLength(5);
    for (const { metadata } of children) {
      expect(metadata.ownerReferences).toMatchObject([
        { uid: live.metadata.uid, controller: true, blockOwnerDeletion: true },
      ]);
      expect(metadata.labels).toMatchObject({
        'app.kubernetes.io/managed-by': 'serverless-reconciler',
        'app.kubernetes.io/instance': 'shop',
        'app.kubernetes.io/part-of': 'containerapp',
      });
    }
    const [front, workload, scaler] = children;
    expect(front?.spec).toMatchObject({
      type: 'ClusterIP',
      ports: [{ port: 80, targetPort: 'http', protocol: 'TCP' }],
    });
    expect(workload?.spec).toMatchObject({
      template: {
        metadata: { labels: front?.spec?.selector as object },
        spec: {
          containers: [
            {
              image: 'nginx:1',
              ports: [{ name: 'http', containerPort: 80 }],
              resources: { requests: { cpu: '100m' } },
              lifecycle: { preStop: { sleep: { seconds: 15 } } },
            },
          ],
        },
      },
    });
    expect(scaler?.spec).toMatchObject({ minReplicas: 1, maxReplicas: 3 });
    expect(await exposed(place)).toEqual({ anybody: [root], 'scopes=x.read': [below('a')] });
    expect(children.map(({ metadata }) => metadata.name).slice(3)).toContain('shop-public');
    expect((await place.api.list(ingress))[0]?.metadata.annotations?.[authUrlAnnotation]).toBe(
      `${authUrl}?scopes=x.read`,
    );
  },

  async 'G-1 each change writes only the children it concerns'(place) {
    await startedApp(place, [{ path: '/' }, { path: 'a', scopes: ['u'] }]);
    const changes: readonly (readonly [JsonObject, readonly string[]])[] = [
      [{ image: 'nginx:2' }, ['deployments']],
      [{ minReplicas: 2 }, ['horizontalpodautoscalers']],
      [{ maxReplicas: 5 }, ['horizontalpodautoscalers']],
      [{ endpoints: [{ path: '/' }, { path: 'b', scopes: ['u'] }] }, ['ingresses']],
    ];
    for (const [spec, want] of changes) {
      const { length } = await place.writes();
      await edit(place, spec);
      await place.converge();
      expect(await written(place, length)).toEqual(want);
    }
    const [open, closed] = (await place.api.list(ingress)).toSorted((a, b) =>
      a.metadata.name < b.metadata.name ? 1 : -1,
    );
    expect(open?.metadata.generation).toBe(1);
    expect(closed?.metadata.generation).toBeGreaterThan(1);
  },

  async 'G-2 unchanged groups keep their object, new ones are created, old ones deleted'(place) {
    await startedApp(place, [
      { path: '/', scopes: ['a'] },
      { path: 'b', scopes: ['b'] },
    ]);
    const before = await identities(place);
    await edit(place, {
      endpoints: [
        { path: '/', scopes: ['a'] },
        { path: 'x', scopes: ['a'] },
        { path: 'c', scopes: ['c'] },
      ],
    });
    await place.converge();
    expect(await exposed(place)).toEqual({
      'scopes=a': [root, below('x')],
      'scopes=c': [below('c')],
    });
    const after = await identities(place);
    const kept = Object.entries(after).filter(([name, uid]) => before[name] === uid);
    expect(kept).toHaveLength(1);
    expect(Object.keys(after)).toHaveLength(2);
    expect(await isReady(place, containerApp, 'shop')).toBe(true);
  },

  async 'G-2 without endpoints the service is private, without an Ingress'(place) {
    await startedApp(place, [{ path: '/' }, { path: 'a', scopes: ['u'] }, { path: 'a/b' }]);
    await edit(place, { endpoints: null } as unknown as JsonObject);
    await place.converge();
    expect(await place.api.list(ingress)).toEqual([]);
    expect(await isReady(place, containerApp, 'shop')).toBe(true);
    expect((await appOf(place)).status?.children).toHaveLength(3);
  },

  async 'G-3 an Ingress held by a finalizer loses its paths, and nothing waits for it'(place) {
    await startedApp(place, [{ path: '/', scopes: ['u'] }]);
    const [old] = await place.api.list(ingress);
    const name = old?.metadata.name ?? '';
    await place.api.patch(ingress, name, hold);
    await edit(place, { endpoints: [{ path: '/' }, { path: 'a', scopes: ['v'] }] });
    await eventually(async () => {
      await place.resync();
      expect(await exposed(place)).toEqual({
        anybody: [root],
        'scopes=u': [],
        'scopes=v': [below('a')],
      });
    });
    expect(condition(await appOf(place), 'Reconciling')).toBeDefined();
    await place.api.patch(ingress, name, letGo);
    await place.gone(ingress, name);
    await place.converge();
    expect(await exposed(place)).toEqual({ anybody: [root], 'scopes=v': [below('a')] });
  },

  async 'G-3 an authorization annotation removed from an Ingress is restored'(place) {
    await startedApp(place, [{ path: 'a', scopes: ['u'] }]);
    const [live] = await place.api.list(ingress);
    const annotations = { [authUrlAnnotation]: null };
    await place.api.patch(ingress, live?.metadata.name ?? '', { metadata: { annotations } });
    expect((await place.resync()).outcomes).toMatchObject({ updated: 1 });
    expect(await exposed(place)).toEqual({ 'scopes=u': [below('a')] });
  },

  async 'G-3 C-6 a foreign Service is not exposed'(place) {
    await place.api.create(service, 'shop', foreignService());
    await newApp(place, { endpoints: [{ path: '/' }] });
    await place.resync();
    expect(await place.api.list(ingress)).toEqual([]);
    expect(await place.api.find(deployment, 'shop')).toBeDefined();
    expect(condition(await appOf(place), 'Stalled')).toMatchObject({ reason: 'ErrResourceExists' });
    await place.api.remove(service, 'shop');
    await place.converge();
    expect(await exposed(place)).toEqual({ anybody: [root] });
  },

  async 'G-3 without AUTH_URL nothing is exposed'(place) {
    await newApp(place, { endpoints: [{ path: '/' }, { path: 'a', scopes: ['u'] }] });
    const other = await place.stage.functions.another('resync', { AUTH_URL: '' });
    try {
      await place.stage.functions.resync({ namespace: place.namespace }, other.url);
      expect(await place.api.list(ingress)).toEqual([]);
      expect(condition(await appOf(place), 'Stalled')).toMatchObject({ reason: 'AuthUrlMissing' });
      expect(await place.api.find(service, 'shop')).toBeDefined();
    } finally {
      await other.stop();
    }
    await place.converge();
    expect(Object.keys(await exposed(place))).toHaveLength(2);
  },

  async 'G-4 sets of scopes that collide under weak hashes stay apart'(place) {
    await startedApp(place, [
      { path: 'a', scopes: ['1', '2'] },
      { path: 'b', scopes: ['0', '3'] },
      { path: 'c', scopes: ['Aa', 'BB'] },
      { path: 'd' },
      { path: 'e', scopes: ['campgrounds.read', 'campgrounds.read'] },
    ]);
    expect(await exposed(place)).toEqual({
      'scopes=1 2': [below('a')],
      'scopes=0 3': [below('b')],
      'scopes=Aa BB': [below('c')],
      anybody: [below('d')],
      'scopes=campgrounds.read': [below('e')],
    });
  },

  async 'G-5 a replica count set by the autoscaler or by hand is left alone'(place) {
    await startedApp(place);
    await place.api.scale(deployment, 'shop', 2);
    await place.converge();
    const writes = await place.writes('deployments');
    await place.resync();
    expect(await place.writes('deployments')).toEqual(writes);
    expect((await place.api.get(deployment, 'shop')).spec?.replicas).toBe(2);
  },

  async 'G-5 a replica count that was ours keeps its value when we give it up'(place) {
    await startedApp(place);
    const { spec, metadata } = await place.api.get(deployment, 'shop');
    const { labels, ownerReferences } = metadata;
    const fields = { metadata: { labels, ownerReferences }, spec: { ...spec, replicas: 3 } };
    await place.api.apply(deployment, 'shop', fields as JsonObject, 'serverless-reconciler');
    await place.converge();
    expect((await place.api.get(deployment, 'shop')).spec?.replicas).toBe(3);
  },

  async 'G-6 the same list in another order writes nothing'(place) {
    await startedApp(place, [
      { path: '/a', scopes: ['y', 'x'] },
      { path: 'b' },
      { path: 'c', scopes: ['x', 'y'] },
    ]);
    const { length } = await place.writes();
    await edit(place, {
      endpoints: [
        { path: 'c', scopes: ['y', 'x', 'y'] },
        { path: '/b/' },
        { path: 'a', scopes: ['x', 'y'] },
      ],
    });
    await place.converge();
    expect(await written(place, length)).toEqual([]);
  },

  async 'G-7 invalid endpoints and bounds are refused, and nothing changes'(place) {
    await startedApp(place, [{ path: 'a' }]);
    const before = await appOf(place);
    const refused: readonly (readonly [JsonObject, string])[] = [
      [{ endpoints: [{ path: '/a' }, { path: 'a' }] }, 'must be unique'],
      [{ endpoints: [{ path: 'a', scopes: ['x y'] }] }, 'spec.endpoints[0].scopes[0]'],
      [{ endpoints: [{ path: 'A' }] }, 'spec.endpoints[0].path'],
      [{ minReplicas: 4 }, 'max replicas must not be less than min replicas'],
      [{ minReplicas: 0 }, 'spec.minReplicas'],
      [{ port: 81 }, 'port is immutable'],
    ];
    for (const [spec, message] of refused) {
      const refusal = await refusalOf(edit(place, spec));
      expect(refusal.code).toBe(422);
      expect(refusal.message).toContain(message);
    }
    expect(await appOf(place)).toEqual(before);
  },

  async 'G-7 maxReplicas defaults to minReplicas, and follows it'(place) {
    await newApp(place, { maxReplicas: undefined, minReplicas: 2 } as unknown as JsonObject);
    await place.converge();
    expect((await place.api.get(horizontalPodAutoscaler, 'shop')).spec).toMatchObject({
      minReplicas: 2,
      maxReplicas: 2,
    });
    expect((await appOf(place)).spec).not.toHaveProperty('maxReplicas');
    await edit(place, { minReplicas: 4 });
    await place.converge();
    expect((await place.api.get(horizontalPodAutoscaler, 'shop')).spec).toMatchObject({
      minReplicas: 4,
      maxReplicas: 4,
    });
  },

  async 'C-3 C-4 each child of a ContainerApp, edited or deleted, is restored'(place) {
    await startedApp(place, [{ path: '/' }]);
    await place.api.patch(horizontalPodAutoscaler, 'shop', { spec: { maxReplicas: 9 } });
    await place.api.patch(ingress, 'shop-public', { spec: { ingressClassName: 'theirs' } });
    await place.api.patch(service, 'shop', { spec: { selector: { app: 'theirs' } } });
    await place.resync();
    expect((await place.api.get(horizontalPodAutoscaler, 'shop')).spec?.maxReplicas).toBe(3);
    expect((await place.api.get(ingress, 'shop-public')).spec?.ingressClassName).toBe('nginx');
    const types = [service, deployment, horizontalPodAutoscaler];
    for (const type of types) await place.api.remove(type, 'shop');
    await place.api.remove(ingress, 'shop-public');
    await place.gone(deployment, 'shop');
    await place.converge();
    for (const type of types) expect(await place.api.find(type, 'shop')).toBeDefined();
    expect(await exposed(place)).toEqual({ anybody: [root] });
  },

  async 'C-3 fields that the server refuses together with ours are removed from a container'(
    place,
  ) {
    await startedApp(place);
    const edits: readonly JsonObject[] = [
      { ports: [{ name: 'http', containerPort: 81, protocol: 'TCP' }] },
      { resources: { requests: { cpu: '20m' }, limits: { cpu: '50m' } } },
    ];
    for (const fields of edits) {
      const live = await place.api.get(deployment, 'shop');
      const [before] = (live.spec as { template: { spec: { containers: JsonObject[] } } }).template
        .spec.containers;
      const containers = [{ ...before, ...fields }];
      await place.api.patch(deployment, 'shop', { spec: { template: { spec: { containers } } } });
      await place.converge();
      expect(await isReady(place, containerApp, 'shop')).toBe(true);
    }
    const grace = { spec: { template: { spec: { terminationGracePeriodSeconds: 10 } } } };
    const sleep = { preStop: { sleep: { seconds: 5 } } };
    const lifecycle = [
      { op: 'replace', path: '/spec/template/spec/containers/0/lifecycle', value: sleep },
    ];
    await place.api.patch(deployment, 'shop', lifecycle, { as: 'json' });
    await place.api.patch(deployment, 'shop', grace);
    await place.converge();
    expect(await isReady(place, containerApp, 'shop')).toBe(true);
    const container = {
      ports: [{ name: 'http', containerPort: 80 }],
      resources: { requests: { cpu: '100m' } },
      lifecycle: { preStop: { sleep: { seconds: 15 } } },
    };
    // If writes of the controller conflict five times in a row, the next resync succeeds.
    await eventually(async () => {
      await place.resync();
      expect((await place.api.get(deployment, 'shop')).spec).toMatchObject({
        template: { spec: { containers: [container] } },
      });
    });
  },

  async 'C-3 a port with the name of ours and source ranges of others give way together'(place) {
    await startedApp(place);
    const before = await place.api.get(service, 'shop');
    const edit = [{ op: 'replace', path: '/spec/ports/0/protocol', value: 'UDP' }];
    await place.api.patch(service, 'shop', edit, { as: 'json' });
    const balanced = { type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.0/8'] };
    await place.api.patch(service, 'shop', { spec: balanced });
    await place.resync();
    expect((await place.api.get(service, 'shop')).spec).toEqual(before.spec);
    await place.converge();
  },

  async 'C-12 a ContainerApp with a long name has legal children'(place) {
    const name = `${'n'.repeat(120)}.${'m'.repeat(120)}`;
    await newApp(place, { endpoints: [{ path: '/' }] }, name);
    await place.converge();
    expect(await isReady(place, containerApp, name)).toBe(true);
    const children = await Promise.all(
      [service, deployment, horizontalPodAutoscaler, ingress].map((type) => place.api.list(type)),
    );
    expect(children.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
  },
};
