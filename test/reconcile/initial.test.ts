import { expect, test } from 'vitest';
import { child, defineKind, deployment, job, Type } from '../../index.ts';
import { listAt, textAt, valueAt } from '../../shared/json.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { expectConverged, expectReliable } from '../../testing/index.ts';
import { pool } from '../support/pool.ts';
import { isWriteRequest } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

const pod = 'spec.template.spec';

/** A shop whose images others update after the creation, and a key with a dot. */
const shop = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Shop',
  plural: 'shops',
  spec: Type.Object({
    image: Type.String({ pattern: '^[a-z]+:[0-9]$' }),
    isNew: Type.Boolean({ default: false }),
  }),
  samples: [{ name: 'one', spec: { image: 'a:1' } }],
  owns: [deployment, job],
  children: ({ name, spec: { image, isNew } }) => [
    child(deployment, {
      name,
      annotations: { 'a.b/c': image },
      initial: [
        ...['web', ...(isNew ? ['new'] : [])].map(
          (one) => `${pod}.containers[name="${one}"].image`,
        ),
        `${pod}.containers[name="web"].env[name="LEVEL"].value`,
        'metadata.annotations.a.b/c',
      ],
      body: {
        spec: {
          minReadySeconds: 1,
          selector: { matchLabels: { app: 'shop' } },
          template: {
            metadata: { labels: { app: 'shop' } },
            spec: {
              containers: ['web', 'log', ...(isNew ? ['new'] : [])].map((one) => ({
                name: one,
                image,
                env: [
                  { name: 'LEVEL', value: image },
                  { name: 'IMAGE', value: image },
                ],
              })),
            },
          },
        },
      },
    }),
  ],
});

/** A shop whose Deployment waits for a step with each new image. */
const staged: Kind = {
  ...shop,
  desired: (resource) => {
    const desired = shop.desired(resource);
    if ('invalid' in desired) return desired;
    const { image } = resource.spec as { readonly image: string };
    const step = { type: job, name: `step-${image.replace(':', '-')}` };
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image }] } };
    return [
      child(job, { ...step, step: 'once', body: { spec: { template } } }),
      ...desired.map((one) => ({ ...one, needs: [step] })),
    ];
  },
};

const engine = useEngine({ controllers: 'paused', install: [pool, shop] });
const place = usePlace(engine, [pool, shop]);

const replicas = async (): Promise<unknown> =>
  valueAt((await place.api.get(deployment, 'one')).spec, 'replicas');
const created = async (): Promise<void> => {
  await place.api.create(pool, 'one', { spec: { image: 'a:1' } });
  await place.resync();
};
const writes = (begun: number): readonly string[] =>
  place
    .requests()
    .slice(begun)
    .filter((one) => isWriteRequest(one) && one.resource === 'deployments')
    .map(({ verb }) => verb);

test('an initial field is set when the child is created, and never written again', async () => {
  await created();
  expect(await replicas()).toBe(2);
  const begun = place.requests().length;
  await place.resync();
  expect(writes(begun)).toEqual([]);
});

test('an initial field keeps the value that others set, even if other fields change', async () => {
  await created();
  await place.api.scale(deployment, 'one', 5);
  await place.api.patch(pool, 'one', { spec: { image: 'a:2' } });
  const begun = place.requests().length;
  const { outcomes } = await place.resync();
  expect(outcomes).toMatchObject({ updated: 1 });
  expect(writes(begun)).toEqual(['patch']);
  expect(await replicas()).toBe(5);
  const live = await place.api.get(deployment, 'one');
  expect(live.metadata.annotations).toMatchObject({ note: 'new' });
});

test('a child that was deleted by others gets its initial field again', async () => {
  await created();
  await place.api.scale(deployment, 'one', 5);
  await place.api.remove(deployment, 'one');
  await place.resync();
  expect(await replicas()).toBe(2);
});

test('a child that a run recreates gets its initial field again', async () => {
  await created();
  await place.api.patch(pool, 'one', { spec: { tier: 'back' } });
  const begun = place.requests().length;
  await place.resync();
  expect(writes(begun)).toEqual(['delete', 'patch']);
  expect(await replicas()).toBe(2);
});

test('the Event of a recreation names each change once', async () => {
  await created();
  await place.api.scale(deployment, 'one', 5);
  const renewed: Kind = {
    ...pool,
    desired: (resource) => pool.desired({ ...resource, spec: { image: 'a:1', tier: 'back' } }),
  };
  await place.resync({ kinds: [renewed] });
  const events = (await place.api.list(eventType)) as readonly { readonly message?: unknown }[];
  expect(events.map(({ message }) => message)).toEqual([
    'Deployment one: spec.replicas 5 → 2, changed by kubectl; spec.selector.matchLabels.tier "front" → "back"; spec.template.metadata.labels.tier "front" → "back"',
  ]);
});

test.each([1, 2, 3])(
  'a run that crashes before write %i of the creation loses no initial field',
  async (nth) => {
    await place.api.create(pool, 'one', { spec: { image: 'a:1' } });
    const remove = engine.cluster.faults.add({
      verb: 'patch',
      resource: 'deployments',
      namespace: place.namespace,
      nth,
      times: 100,
      effect: { kind: 'status', code: 409 },
    });
    await place.resync();
    remove();
    await place.resync();
    expect(await replicas()).toBe(2);
    await place.api.scale(deployment, 'one', 4);
    await place.resync();
    expect(await replicas()).toBe(4);
  },
);

test.each([2, 3])('a child is reported as created after a conflict at write %i', async (nth) => {
  await place.api.create(pool, 'one', { spec: { image: 'a:1' } });
  engine.cluster.faults.add({
    verb: 'patch',
    resource: 'deployments',
    namespace: place.namespace,
    nth,
    times: 1,
    effect: { kind: 'status', code: 409 },
  });
  const { outcomes } = await place.resync();
  expect(outcomes).toMatchObject({ created: 1, updated: 0 });
  expect(await replicas()).toBe(2);
});

test('a kind with an initial field keeps the laws of the engine', async () => {
  const { children } = await expectConverged(pool);
  expect(children).toEqual(['Deployment one']);
});

/** The image and variables of each container, such as `web a:1 LEVEL=a:1 IMAGE=a:1`. */
async function containers(): Promise<readonly string[]> {
  const { spec } = await place.api.get(deployment, 'one');
  return listAt(spec, 'template', 'spec', 'containers').map((one) => {
    const env = listAt(one, 'env').map(
      (each) => `${textAt(each, 'name')}=${textAt(each, 'value')}`,
    );
    return [textAt(one, 'name'), textAt(one, 'image'), ...env].join(' ');
  });
}

const setByKeel = () => {
  const env = ['LEVEL', 'IMAGE'].map((name) => ({ name, value: 'keel' }));
  const images = ['web', 'log'].map((name) => ({ name, image: 'keel:9', env }));
  return place.api.patch(deployment, 'one', {
    spec: { template: { spec: { containers: images } } },
  });
};

test('an initial field of a list item keeps the value that others set, and its neighbours do not', async () => {
  await place.api.create(shop, 'one', { spec: { image: 'a:1' } });
  await place.resync();
  const first = ['web a:1 LEVEL=a:1 IMAGE=a:1', 'log a:1 LEVEL=a:1 IMAGE=a:1'];
  expect(await containers()).toEqual(first);
  await setByKeel();
  const { outcomes } = await place.resync();
  expect(outcomes).toMatchObject({ updated: 1 });
  expect(await containers()).toEqual([
    'web keel:9 LEVEL=keel IMAGE=a:1',
    'log a:1 LEVEL=a:1 IMAGE=a:1',
  ]);
  await place.api.patch(shop, 'one', { spec: { image: 'a:2' } });
  await place.resync();
  expect(await containers()).toEqual([
    'web keel:9 LEVEL=keel IMAGE=a:2',
    'log a:2 LEVEL=a:2 IMAGE=a:2',
  ]);
  const { metadata } = await place.api.get(deployment, 'one');
  expect(metadata.annotations).toMatchObject({ 'a.b/c': 'a:1' });
});

test('a new list item of a live child gets its initial fields, which are then left to others', async () => {
  await place.api.create(shop, 'one', { spec: { image: 'a:1' } });
  await place.resync();
  await place.api.patch(shop, 'one', { spec: { isNew: true, image: 'a:2' } });
  await place.resync();
  const env = 'LEVEL=a:2 IMAGE=a:2';
  const all = ['web a:1 LEVEL=a:1 IMAGE=a:2', `log a:2 ${env}`, `new a:2 ${env}`];
  expect(await containers()).toEqual(all);
  await place.resync();
  await place.api.patch(shop, 'one', { spec: { image: 'a:3' } });
  await place.resync();
  expect((await containers()).at(-1)).toBe('new a:2 LEVEL=a:3 IMAGE=a:3');
});

test('a list item that the kind drops is removed, although others have set its initial field', async () => {
  await place.api.create(shop, 'one', { spec: { isNew: true, image: 'a:1' } });
  await place.resync();
  const images = [{ name: 'new', image: 'keel:9' }];
  await place.api.patch(deployment, 'one', {
    spec: { template: { spec: { containers: images } } },
  });
  await place.resync();
  expect((await containers()).at(-1)).toBe('new keel:9 LEVEL=a:1 IMAGE=a:1');
  await place.api.patch(shop, 'one', { spec: { isNew: false } });
  await place.resync();
  const env = 'LEVEL=a:1 IMAGE=a:1';
  expect(await containers()).toEqual([`web a:1 ${env}`, `log a:1 ${env}`]);
  const begun = place.requests().length;
  await place.resync();
  expect(writes(begun)).toEqual([]);
});

test('an initial text that is too long for a plan keeps the value that others set, and the initial one', async () => {
  const seeded = (note: string): Kind => ({
    ...pool,
    desired: (resource) => {
      const desired = pool.desired(resource);
      return 'invalid' in desired
        ? desired
        : desired.map((one) => ({
            ...one,
            annotations: { label: note, seed: 's'.repeat(3000) },
            initial: [...(one.initial ?? []), 'metadata.annotations.seed'],
          }));
    },
  });
  const seed = async () => (await place.api.get(deployment, 'one')).metadata.annotations?.seed;
  await place.api.create(pool, 'one', { spec: { image: 'a:1' } });
  await place.resync({ kinds: [seeded('a')] });
  await place.resync({ kinds: [seeded('b')] });
  expect(await seed()).toBe('s'.repeat(3000));
  const annotations = { seed: 'o'.repeat(3000) };
  await place.api.patch(deployment, 'one', { metadata: { annotations } });
  await place.resync({ kinds: [seeded('c')] });
  expect(await seed()).toBe('o'.repeat(3000));
  expect((await place.api.get(deployment, 'one')).metadata.annotations?.label).toBe('c');
});

test('a repair while a child waits for a step keeps initial fields', async () => {
  const settled = async (): Promise<void> => {
    for (let runs = 0; runs < 3; runs++) {
      await place.resync({ kinds: [staged] });
      engine.cluster.controllers.resume();
      await engine.cluster.controllers.settled();
      engine.cluster.controllers.pause();
    }
  };
  await place.api.create(shop, 'one', { spec: { image: 'a:1' } });
  await settled();
  const first = ['web a:1 LEVEL=a:1 IMAGE=a:1', 'log a:1 LEVEL=a:1 IMAGE=a:1'];
  expect(await containers()).toEqual(first);
  await place.api.patch(shop, 'one', { spec: { image: 'a:2' } });
  await place.resync({ kinds: [staged] });
  await place.api.patch(deployment, 'one', { spec: { minReadySeconds: 9 } });
  await place.resync({ kinds: [staged] });
  expect(await containers()).toEqual(first);
  const { metadata, spec } = await place.api.get(deployment, 'one');
  expect(spec).toMatchObject({ minReadySeconds: 1 });
  expect(metadata.annotations).toMatchObject({ 'a.b/c': 'a:1' });
});

test('a field of a list item that becomes initial keeps its value', async () => {
  const all: Kind = {
    ...shop,
    desired: (resource) => {
      const desired = shop.desired(resource);
      return 'invalid' in desired ? desired : desired.map(({ initial: _, ...one }) => one);
    },
  };
  await place.api.create(shop, 'one', { spec: { image: 'a:1' } });
  await place.resync({ kinds: [all] });
  await place.api.patch(shop, 'one', { spec: { image: 'a:2' } });
  await place.resync();
  expect(await containers()).toEqual([
    'web a:1 LEVEL=a:1 IMAGE=a:2',
    'log a:2 LEVEL=a:2 IMAGE=a:2',
  ]);
});

test('a kind with initial fields in lists keeps the laws of the engine', async () => {
  const { children } = await expectConverged(shop);
  expect(children).toEqual(['Deployment one']);
  await expectReliable(shop, { seconds: 3, seed: 1 });
});
