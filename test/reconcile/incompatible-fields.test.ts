import { expect, test } from 'vitest';
import { type ChildType, child, defineKind, deployment, statefulSet, Type } from '../../index.ts';
import { openTestEnvironment } from '../../testing/open-test-environment.ts';
import { rehearse } from '../../testing/rehearse.ts';

const httpGet = { path: '/ready', port: 80 };
const template = {
  metadata: { labels: { app: 'shop' } },
  spec: { containers: [{ name: 'shop', image: 'shop:1', readinessProbe: { httpGet } }] },
};
const selector = { matchLabels: { app: 'shop' } };

/** A kind with a Deployment and a StatefulSet, whose strategies are set or defaulted. */
const shop = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Shop',
  plural: 'shops',
  spec: Type.Object({ isAlone: Type.Boolean({ default: false }) }),
  samples: [],
  owns: [deployment, statefulSet],
  children({ name, spec: { isAlone } }) {
    const strategy = isAlone ? { strategy: { type: 'Recreate' } } : {};
    const updateStrategy = isAlone ? { updateStrategy: { type: 'OnDelete' } } : {};
    const stateful = { serviceName: name, selector, template, ...updateStrategy };
    return [
      child(deployment, { name, body: { spec: { selector, template, ...strategy } } }),
      child(statefulSet, { name, body: { spec: stateful } }),
    ];
  },
});

/** Creates a Shop whose children are up to date. */
async function opened(spec: { readonly isAlone: boolean }) {
  const options = { controllers: 'paused', environment: { CONCURRENCY: '1' } } as const;
  const opened = await openTestEnvironment({ kinds: [shop] }, options);
  const { env } = opened;
  await env.apply(shop, { name: 'shop', spec });
  await env.resync();
  await env.resync();
  const where = { kind: shop, name: 'shop', namespace: 'default', what: 'the Shop' };
  return { world: env, run: () => rehearse({ ...opened, ...where }) };
}

const strategies: readonly [ChildType, string, object][] = [
  [deployment, 'strategy', { type: 'Recreate' }],
  [statefulSet, 'updateStrategy', { type: 'OnDelete' }],
];

test('C-3 a defaulted rolling update is replaced by another strategy', async () => {
  const { world: env, run } = await opened({ isAlone: false });
  await using _ = env;
  await env.patch(shop, 'shop', { body: { spec: { isAlone: true } } });
  const { report } = await run();
  expect(report.failures).toEqual([]);
  for (const [type, field, desired] of strategies)
    expect((await env.get(type, 'shop'))?.spec?.[field]).toEqual(desired);
  await env.resync();
  expect((await run()).writes).toEqual([]);
});

test.each(strategies)(
  'C-3 the strategy of a $kind that others replace is restored as planned',
  async (type, field, desired) => {
    const { world: env, run } = await opened({ isAlone: true });
    await using _ = env;
    await env.patch(type, 'shop', { body: { spec: { [field]: null } } });
    expect((await env.get(type, 'shop'))?.spec?.[field]).toHaveProperty('rollingUpdate');
    const { report, deviation } = await run();
    expect([report.failures, deviation]).toEqual([[], undefined]);
    expect((await env.get(type, 'shop'))?.spec?.[field]).toEqual(desired);
    await env.resync();
    expect((await run()).writes).toEqual([]);
  },
);

test('C-3 the handler of a probe that others replace is restored as planned', async () => {
  const { world: env, run } = await opened({ isAlone: false });
  await using _ = env;
  const probe = '/spec/template/spec/containers/0/readinessProbe';
  await env.patch(deployment, 'shop', {
    as: 'json',
    body: [
      { op: 'remove', path: `${probe}/httpGet` },
      { op: 'add', path: `${probe}/tcpSocket`, value: { port: 80 } },
    ],
  });
  const { report, deviation } = await run();
  expect([report.failures, deviation]).toEqual([[], undefined]);
  expect(JSON.stringify(await env.get(deployment, 'shop'))).not.toContain('"tcpSocket":{');
  await env.resync();
  expect((await run()).writes).toEqual([]);
});
