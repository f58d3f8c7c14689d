import { deployment, secret } from 'serverless-reconciler';
import { expect, test } from 'vitest';
import { valueAt } from '../../../../shared/json.ts';
import type { JsonObject } from '../../../../shared/kubernetes.ts';
import { open, orders } from '../fixtures.ts';
import { grafana } from '../grafana.ts';
import { alerting } from './alerting.ts';
import { notificationPolicy } from './policies.ts';
import { notificationPolicyRoute } from './routes.ts';

test('a Grafana reads the alerting that selects it, and restarts when a Secret of a contact point changes', async () => {
  const env = await open();
  await env.apply(orders('one'));
  await env.apply(grafana, { name: 'shop', labels: { team: 'shop' }, spec: {} });
  for (const kind of alerting) await env.apply(kind, kind.samples[0]!);
  for (let runs = 0; runs < 3; runs++) await env.resync();
  const made = async (name: string) => {
    const found = await env.get(secret, name);
    const text = Buffer.from(String(valueAt(found, 'data', 'alerting.yaml')), 'base64').toString();
    return JSON.parse(text);
  };
  const names = [
    'all-policy-shop',
    'orders-rules-shop',
    'pager-contact-shop',
    'short-template-shop',
    'weekend-mute-shop',
  ];
  const template = async () =>
    valueAt((await env.get(deployment, 'shop-deployment'))?.spec, 'template');
  const volumes = valueAt(await template(), 'spec', 'volumes');
  expect(volumes).toContainEqual(
    expect.objectContaining({
      name: 'alerting',
      projected: expect.objectContaining({
        sources: names.map((name) => ({
          secret: { name, items: [{ key: 'alerting.yaml', path: `${name}.yaml` }] },
        })),
      }),
    }),
  );
  expect(await made('orders-rules-shop')).toMatchObject({
    apiVersion: 1,
    groups: [
      {
        name: 'orders',
        folder: 'Sales',
        rules: [
          { uid: 'few-orders', condition: 'A', missing_series_evals_to_resolve: 2 },
          { condition: 'A', record: { from: 'A', targetDatasourceUid: 'long-term' } },
        ],
      },
    ],
  });
  expect(await made('all-policy-shop')).toMatchObject({ policies: [{ receiver: 'pager' }] });
  expect(await made('pager-contact-shop')).toMatchObject({
    contactPoints: [
      {
        name: 'pager',
        receivers: [
          { settings: { authorization_credentials: 'one', url: 'https://pager.example.org' } },
          { type: 'email', settings: { addresses: 'sales@example.org' } },
        ],
      },
    ],
  });
  const before = await template();
  await env.apply(orders('two'));
  for (let runs = 0; runs < 2; runs++) await env.resync();
  expect(JSON.stringify(await made('pager-contact-shop'))).toContain('"two"');
  expect(valueAt(await template(), 'metadata', 'annotations')).not.toEqual(
    valueAt(before, 'metadata', 'annotations'),
  );
});

test('a notification policy contains the routes that it and its routes select, and follows them', async () => {
  const env = await open();
  await env.apply(grafana, { name: 'shop', labels: { team: 'shop' }, spec: {} });
  const route = (name: string, spec: JsonObject, of = name) =>
    env.apply(notificationPolicyRoute, { name, labels: { of }, spec });
  const routeSelector = (name: string) => ({ matchLabels: { of: name } });
  await route('sales', {
    receiver: 'phone',
    matchers: [{ name: 'severity', value: 'info|none', isRegex: true, isEqual: false }],
    match_re: { team: 'sales.*' },
  });
  await route('night', { receiver: 'duty', routeSelector: routeSelector('deep') });
  await route('deep', { receiver: 'sleep' });
  await env.apply(notificationPolicy, {
    name: 'all',
    spec: {
      instanceSelector: { matchLabels: { team: 'shop' } },
      route: {
        receiver: 'mail',
        routes: [
          {
            receiver: 'chat',
            routes: [{ receiver: 'board', routeSelector: routeSelector('night') }],
          },
        ],
        routeSelector: routeSelector('sales'),
      },
    },
  });
  const run = async () => (await env.deliver()) && env.resync();
  const policy = async () => {
    await run();
    const text = valueAt(await env.get(secret, 'all-policy-shop'), 'data', 'alerting.yaml');
    return JSON.parse(Buffer.from(String(text), 'base64').toString()).policies[0];
  };
  const object_matchers = [
    ['severity', '!~', 'info|none'],
    ['team', '=~', 'sales.*'],
  ];
  const sales = { receiver: 'phone', object_matchers, routes: [] };
  const board = (...routes: readonly object[]) => ({
    receiver: 'chat',
    routes: [{ receiver: 'board', routes }],
  });
  const night = (...routes: readonly object[]) => ({ receiver: 'duty', routes });
  const deep = { receiver: 'sleep', routes: [] };
  expect(await policy()).toEqual({ receiver: 'mail', routes: [board(night(deep)), sales] });

  await route('deep', { receiver: 'sleep' }, 'sales');
  expect(await policy()).toMatchObject({ routes: [board(night()), deep, sales] });

  await route('deep', { receiver: 'sleep', routeSelector: routeSelector('sales') }, 'sales');
  expect(await policy()).toMatchObject({ routes: [board(night()), deep, sales] });
  const { Stalled } = await env.conditions(notificationPolicy, 'all');
  expect(Stalled).toMatchObject({ reason: 'LoopDetected', message: 'route deep selects itself' });
});
