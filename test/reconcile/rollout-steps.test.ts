import { expect, test } from 'vitest';
import {
  child,
  configMap,
  defineKind,
  deployment,
  job,
  labelValue,
  ofType,
  Type,
} from '../../index.ts';
import { imageOf, policy } from '../properties/rollout-fleet.ts';
import { condition } from '../scenarios/resources.ts';
import type { Place } from './engine.ts';
import { useEngine } from './use-engine.ts';

/** A kind with a step and a Deployment of this version, and a ConfigMap that needs both. */
const versionOf = (image: string) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Site',
    plural: 'sites',
    spec: Type.Object({ note: Type.Optional(Type.String()) }),
    samples: [{ name: 'site', spec: {} }],
    owns: [deployment, configMap, job],
    status: { image: Type.Optional(Type.String()), waits: Type.Optional(Type.Boolean()) },
    children({ name, spec: { note = '' } }) {
      const labels = { site: labelValue(name) };
      const containers: [{ name: string; image: string }] = [{ name: 'web', image }];
      const migrate = { type: job, name: `${name}-migrate-${image}`, step: 'once' } as const;
      const pod = { restartPolicy: 'Never' as const, containers };
      return [
        child(job, { ...migrate, body: { spec: { template: { spec: pod } } } }),
        child(deployment, {
          name,
          needs: [migrate],
          body: {
            spec: {
              replicas: 1,
              selector: { matchLabels: labels },
              template: { metadata: { labels }, spec: { containers } },
            },
          },
        }),
        child(configMap, {
          name: `${name}-live-${image}`,
          needs: [{ type: deployment, name, until: 'ready' }],
          body: { data: { image } },
        }),
        child(configMap, { name, body: { data: { note } } }),
      ];
    },
    statusOf({ children }) {
      const [web] = ofType(children, deployment);
      return web === undefined ? {} : { image: web.facts.images?.web, waits: !web.upToDate };
    },
  });
const kind = versionOf('v1');
const names = ['a', 'b', 'c', 'd'];

let now = Date.now();
const engine = useEngine({ controllers: 'paused', clock: () => new Date(now), install: [kind] });

const settled = async (): Promise<void> => {
  engine.cluster.controllers.resume();
  await engine.cluster.controllers.settled();
  engine.cluster.controllers.pause();
};

async function begin({ api, namespace }: Place) {
  const resync = async (image: string): Promise<void> => {
    now += 61_000;
    const kinds = [versionOf(image)];
    await engine.run({}, { kinds, namespaces: [namespace], rollout: policy });
    await settled();
  };
  for (const name of names) await api.create(kind, name, { spec: {} });
  for (let resyncs = 0; resyncs < 6; resyncs++) await resync('v1');
  return {
    resync,
    changedTo: async (image: string) =>
      (await api.list(deployment))
        .filter((live) => imageOf(live) === image)
        .map(({ metadata }) => metadata.name),
    migrated: async (image: string) =>
      (await api.list(job))
        .map(({ metadata }) => metadata.name)
        .filter((name) => name.endsWith(image)),
    readyOf: async (name: string) => condition(await api.get(kind, name), 'Ready')?.status,
  };
}

test.each([
  ['resources that did not change since their creation', undefined],
  ['resources that were edited since their Deployment was last written', 'edited'],
  ['resources whose Deployments were scaled by hand', 'scaled'],
])(
  'a step of a new version runs only when its resource has a slot in the rollout, for %s',
  async (_, how) => {
    const place = await engine.place([kind]);
    const { resync, changedTo, migrated, readyOf } = await begin(place);
    if (how === 'edited') {
      for (const name of names) await place.api.patch(kind, name, { spec: { note: 'b' } });
      for (let resyncs = 0; resyncs < 2; resyncs++) await resync('v1');
    }
    if (how === 'scaled') {
      for (const name of names) await place.api.scale(deployment, name, 3);
      await settled();
    }
    let turns = 0;
    for (let resyncs = 0; resyncs < 14; resyncs++) {
      const begun = await migrated('v2');
      await resync('v2');
      const fresh = (await migrated('v2')).filter((name) => !begun.includes(name));
      expect(fresh.length).toBeLessThanOrEqual(begun.length === 0 ? 1 : 2);
      if (fresh.length > 0) turns++;
      const changed = await changedTo('v2');
      for (const { metadata, spec } of await place.api.list(deployment))
        if (!changed.includes(metadata.name)) expect(spec?.replicas).toBe(1);
      const waiting = names.filter((name) => !begun.concat(fresh).includes(`${name}-migrate-v2`));
      for (const name of waiting) {
        // The repair of its Deployment is left to the next resync.
        if (resyncs > 0) expect(await readyOf(name)).toBe('True');
        expect(await migrated('v1')).toContain(`${name}-migrate-v1`);
        const { status } = await place.api.get(kind, name);
        expect(status).toMatchObject({ image: 'v1', waits: true });
      }
    }
    expect(turns).toBeGreaterThan(1);
    expect(await changedTo('v2')).toEqual(names);
    const all = (await place.api.list(deployment)).map(({ spec }) => spec?.replicas);
    expect(all).toEqual([1, 1, 1, 1]);
    expect(await migrated('v1')).toEqual([]);
    for (const { status } of await place.api.list(kind))
      expect(status).toMatchObject({ image: 'v2', waits: false });
  },
);

test('the complete Jobs of a former step are deleted, although PRUNE_LIMIT withholds other deletions', async () => {
  const place = await engine.place([kind]);
  const { migrated, readyOf } = await begin(place);
  for (let resyncs = 0; resyncs < 5; resyncs++) {
    now += 61_000;
    const options = {
      kinds: [versionOf('v2')],
      namespaces: [place.namespace],
      pruneLimit: () => 0,
    };
    await engine.run({}, options);
    await settled();
  }
  expect(await migrated('v1')).toEqual([]);
  const live = (await place.api.list(configMap)).map(({ metadata }) => metadata.name);
  expect(live.filter((name) => name.endsWith('-live-v1'))).toHaveLength(names.length);
  expect(await readyOf('a')).toBe('False');
});
