import { describe, expect, test } from 'vitest';
import {
  child,
  configMap,
  defineChildType,
  defineKind,
  deployment,
  labelValue,
  rollOnChange,
  Type,
} from '../../index.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { imageOf } from '../properties/rollout-fleet.ts';
import { eachCall } from './calls.ts';
import { useEngine } from './use-engine.ts';

/** Defines a web server that depends on the ConfigMap, and a worker of this version that does not. */
const versionOf = (worker: string) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Pair',
    plural: 'pairs',
    spec: Type.Object({}),
    samples: [{ name: 'pair', spec: {} }],
    owns: [deployment],
    reads: { settings: { type: configMap, name: () => 'settings' } },
    children({ name, reads: { settings } }) {
      const run = (role: string, image: string, annotations = {}) => {
        const labels = { pair: labelValue(name), role };
        const template = {
          metadata: { labels, annotations },
          spec: { containers: [{ name: role, image }] },
        };
        const body = { spec: { selector: { matchLabels: labels }, template } };
        return child(deployment, { name: `${name}-${role}`, body });
      };
      return [run('web', 'web:1', rollOnChange(settings)), run('worker', worker)];
    },
  });

const first = versionOf('worker:1');
const names = ['a', 'b', 'c'];

const engine = useEngine({ controllers: 'paused', install: [first] });

test.each(['before', 'after'])(
  'C-1 a code change waits for its rollout if the ConfigMap was created %s the resources, and was changed later',
  async (when) => {
    const { api, namespace, resync } = await engine.place([first]);
    const act = async (run: () => Promise<unknown>): Promise<void> => {
      await run();
      engine.cluster.controllers.resume();
      await engine.cluster.controllers.settled();
      engine.cluster.controllers.pause();
      await resync({ kinds: [first] });
    };
    const configure = () => api.create(configMap, 'settings', { data: { a: '1' } });
    if (when === 'before') await configure();
    await act(async () => {
      for (const name of names) await api.create(first, name, { spec: {} });
      await resync({ kinds: [first] });
    });
    if (when === 'after') await act(async () => (await configure()) && resync({ kinds: [first] }));
    await act(async () => {
      await api.patch(configMap, 'settings', { data: { a: '2' } });
      const { origins } = await resync({ kinds: [first] });
      expect(origins).toMatchObject({ reference: names.length, code: 0 });
    });
    const rollout = { budget: () => 1, timeoutMs: 600_000, failures: 0 };
    const next = { kinds: [versionOf('worker:2')], namespaces: [namespace], rollout };
    const { origins } = await engine.run({}, next);
    expect(origins).toEqual({ edit: 0, drift: 0, reference: 0, code: 1 });
    const images = (await api.list(deployment)).map(imageOf).filter((one) => one === 'worker:2');
    expect(images).toHaveLength(1);
  },
);

/** Defines a web server that refers to a Pair. */
const viewerOf = (image: string) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Viewer',
    plural: 'viewers',
    spec: Type.Object({}),
    samples: [{ name: 'viewer', spec: {} }],
    owns: [deployment],
    reads: { pair: { type: first, name: () => 'pair' } },
    children({ name, reads: { pair } }) {
      const labels = { viewer: labelValue(name), pair: pair?.name ?? '' };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'view', image }] } };
      const body = { spec: { selector: { matchLabels: labels }, template } };
      return [child(deployment, { name, body })];
    },
  });

describe('a kind that reads a resource of another kind', () => {
  const viewer = viewerOf('viewer:1');
  let now = Date.parse('2026-11-26T12:00:00Z');
  const clocked = useEngine({ install: [first, viewer], clock: () => new Date(now) });

  test('C-1 has rollouts of its code after the daily comparison of that resource', async () => {
    const { api, namespace, resync } = await clocked.place([first, viewer]);
    await api.create(first, 'pair', { spec: {} });
    for (const name of names) await api.create(viewer, name, { spec: {} });
    const settle = async (): Promise<void> => {
      for (let runs = 0; runs < 4; runs++) {
        await resync();
        await clocked.cluster.controllers.settled();
      }
    };
    await settle();
    now += 24 * 3_600_000;
    await settle();
    const rollout = { budget: () => 1, timeoutMs: 600_000, failures: 0 };
    const next = { kinds: [first, viewerOf('viewer:2')], namespaces: [namespace], rollout };
    const { origins } = await clocked.run({}, next);
    expect(origins).toEqual({ edit: 0, drift: 0, reference: 0, code: 1 });
  });
});

/** While true, runs note an alarm in the status of a Keeper. */
let isAlarmed = false;

/** Defines a web server that stays at the image which its status remembers. */
const keeperOf = (log: string) => {
  const names = { group: 'example.org', version: 'v1', kind: 'Keeper', plural: 'keepers' };
  const itself = defineChildType(names);
  return defineKind({
    ...names,
    spec: Type.Object({}),
    samples: [{ name: 'keeper', spec: {} }],
    owns: [deployment],
    reads: { itself: { type: itself, name: ({ name }) => name } },
    status: { image: Type.String(), alarmed: Type.Boolean() },
    children({ name, reads }) {
      const labels = { keeper: labelValue(name) };
      const { image = 'web:1' } = (reads.itself?.status ?? {}) as { image?: string };
      const template = {
        metadata: { labels },
        spec: { containers: [{ name: 'web', image, args: [log] }] },
      };
      return [
        child(deployment, {
          name,
          body: { spec: { selector: { matchLabels: labels }, template } },
        }),
      ];
    },
    statusOf({ reads }) {
      const { alarmed = false } = (reads?.itself?.status ?? {}) as { alarmed?: boolean };
      return { image: 'web:1', alarmed: alarmed || isAlarmed };
    },
  });
};

describe('a kind that reads its own status', () => {
  const keeper = keeperOf('--quiet');
  const own = useEngine({ install: [keeper] });

  test('C-1 has rollouts of its code, also for resources that are marked', async () => {
    const { api, namespace, resync } = await own.place([keeper]);
    for (const name of names) await api.create(keeper, name, { spec: {} });
    for (let runs = 0; runs < 3; runs++) {
      await resync();
      await own.cluster.controllers.settled();
    }
    const writes = await resync();
    expect(writes.statusWrites).toBe(0);
    const rollout = { budget: () => 1, timeoutMs: 600_000, failures: 0 };
    const next = { kinds: [keeperOf('--verbose')], namespaces: [namespace], rollout };
    const { origins } = await own.run({}, next);
    expect(origins).toEqual({ edit: 0, drift: 0, reference: 0, code: 1 });
    await own.run({}, next);
    const changed = (await api.list(deployment)).filter((one) =>
      JSON.stringify(one).includes('--verbose'),
    );
    expect(changed.length).toBeLessThan(names.length);
  });

  test('C-1 has rollouts of its code once the status has changed', async () => {
    const { api, namespace, resync } = await own.place([keeper]);
    for (const name of names) await api.create(keeper, name, { spec: {} });
    const settle = async (): Promise<void> => {
      for (let runs = 0; runs < 3; runs++) {
        await resync();
        await own.cluster.controllers.settled();
      }
      expect((await resync()).statusWrites).toBe(0);
    };
    await settle();
    isAlarmed = true;
    await settle();
    isAlarmed = false;
    const rollout = { budget: () => 1, timeoutMs: 600_000, failures: 0 };
    const next = { kinds: [keeperOf('--verbose')], namespaces: [namespace], rollout };
    const { origins } = await own.run({}, next);
    expect(origins).toEqual({ edit: 0, drift: 0, reference: 0, code: 1 });
  });

  test('forgets nothing that another run notes while a rollout begins', async () => {
    const { api, namespace, resync } = await own.place([keeper]);
    await api.create(keeper, 'a', { spec: {} });
    for (let runs = 0; runs < 3; runs++) {
      await resync();
      await own.cluster.controllers.settled();
    }
    const rollout = { budget: () => 1, timeoutMs: 600_000, failures: 0 };
    const next = { kinds: [keeperOf('--verbose')], namespaces: [namespace], rollout };
    let lists = 0;
    const through = (cluster: Cluster): Cluster =>
      eachCall(cluster, async (what, call) => {
        // The second list shows the choice of this run.
        if (what === 'list keepers' && ++lists === 2) {
          isAlarmed = true;
          await own.run({}, { ...next, trigger: 'audit' });
          isAlarmed = false;
        }
        return call();
      });
    await own.run({}, { ...next, through });
    expect(JSON.stringify(await api.get(deployment, 'a'))).toContain('--verbose');
    expect((await api.get(keeper, 'a')).status).toMatchObject({ alarmed: true });
  });
});
