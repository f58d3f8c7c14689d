import { gzipSync } from 'node:zlib';
import { defineConfig, deployment, secret } from 'serverless-reconciler';
import {
  createTestEnvironment,
  expectConverged,
  expectReliable,
} from 'serverless-reconciler/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { valueAt } from '../../../shared/json.ts';
import { isWhole } from '../../properties/runs.ts';
import { definitionOf } from '../definition.ts';
import { route } from '../openshift.ts';
import { alertRuleGroup } from './alert-rules.ts';
import { alerting, contactPoint, muteTiming, notificationTemplate } from './alerting.ts';
import { dashboardOf, placeOf, unzipped } from './content.ts';
import { dashboard } from './dashboards.ts';
import { datasource } from './datasources.ts';
import { httpRoute } from './front.ts';
import { grafana } from './grafana.ts';
import { notificationPolicy, notificationPolicyRoute } from './notification-policies.ts';

vi.setConfig({ testTimeout: 180_000 });
/** The seed of `npm test` is fixed, so that it never fails by chance. */
const search = isWhole ? { seconds: 30 } : { seconds: 2, seed: 1 };

const all = defineConfig({
  kinds: [grafana, dashboard, datasource, notificationPolicyRoute, ...alerting],
});
const inDefault = (kind: string, name: string, labels: Readonly<Record<string, string>> = {}) => ({
  kind,
  metadata: { name, namespace: 'default', labels },
});
const apiVersion = 'grafana.integreatly.org/v1beta1';
const definitions = [route, httpRoute].map(definitionOf);
const team = 'team';
const readers = [dashboard, datasource, ...alerting].map(
  ({ plural }) => `default/${plural}.grafana.integreatly.org`,
);
const given = [
  ...definitions,
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: team } },
  {
    apiVersion,
    kind: 'Grafana',
    metadata: {
      name: 'far',
      namespace: team,
      labels: { team: 'shop' },
      annotations: { 'serverless-reconciler/readable-by': readers.join() },
    },
    spec: {},
  },
  { apiVersion, ...inDefault('Grafana', 'shop', { team: 'shop' }), spec: {} },
  { apiVersion, ...inDefault('Grafana', 'other', { team: 'other' }), spec: {} },
  { apiVersion: 'v1', ...inDefault('Secret', 'orders'), data: { password: 'b3JkZXJz' } },
];
const marked = {
  'grafana.integreatly.org/instance': 'shop',
  'grafana.integreatly.org/namespace': 'default',
};
const selecting = [
  ...definitions,
  {
    apiVersion: 'v1',
    ...inDefault('ConfigMap', 'orders', marked),
    data: { 'dashboard.json': '{}', folder: 'Sales' },
  },
  {
    apiVersion: 'v1',
    ...inDefault('Secret', 'orders', marked),
    data: { 'datasource.yaml': 'e30=' },
  },
  {
    apiVersion: 'v1',
    ...inDefault('Secret', 'pager', marked),
    data: { 'alerting.yaml': 'e30=' },
  },
];

test.each([
  [dashboard, 'ConfigMap orders-dashboard-shop'],
  [datasource, 'Secret orders-datasource-shop'],
  [alertRuleGroup, 'Secret orders-rules-shop'],
  [contactPoint, 'Secret pager-contact-shop'],
  [notificationPolicy, 'Secret all-policy-shop'],
  [notificationTemplate, 'Secret short-template-shop'],
  [muteTiming, 'Secret weekend-mute-shop'],
])('expectConverged accepts a $kind', async (kind, made) => {
  const { children } = await expectConverged(all, { kind, given });
  expect(children).toEqual([made]);
});

test.each([grafana, dashboard, datasource, ...alerting])(
  'expectReliable accepts a $kind',
  async (kind) => {
    await expectReliable(all, { kind, given: kind === grafana ? selecting : given, ...search });
  },
);

const templates = {
  deployment: {
    metadata: { labels: { tier: 'pages' } },
    spec: {
      replicas: 2,
      template: {
        spec: {
          containers: [{ name: 'grafana', env: [{ name: 'GF_LOG_LEVEL', value: 'debug' }] }],
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'shop-pvc' } }],
        },
      },
    },
  },
  service: { spec: { type: 'LoadBalancer', externalTrafficPolicy: 'Local' } },
  serviceAccount: { metadata: { annotations: { role: 'reader' } } },
  ingress: { spec: { hosts: ['shop.example.org'], tls: [{ secretName: 'shop-tls' }] } },
  route: { spec: { tls: { termination: 'edge' } } },
  httpRoute: { spec: { parentRefs: [{ name: 'public' }] } },
  persistentVolumeClaim: { spec: { resources: { requests: { storage: '1Gi' } } } },
};

test('expectConverged accepts a Grafana with a template for each of its objects', async () => {
  const resource = { name: 'shop', spec: templates };
  const { children } = await expectConverged(all, { kind: grafana, given: selecting, resource });
  expect(children).toContainEqual(expect.stringMatching(/^ConfigMap shop-folder-sales/));
  expect(children).toEqual(
    expect.arrayContaining(['Route shop-route', 'HTTPRoute shop-httproute']),
  );
});

test('templates are merged with the fields that Grafana needs', async () => {
  const env = await openEnvironment();
  await env.apply(grafana, { name: 'shop', spec: templates });
  await env.resync();
  const made = await env.get(deployment, 'shop-deployment');
  expect(made?.metadata.labels).toMatchObject({ tier: 'pages' });
  const pod = valueAt(made?.spec, 'template', 'spec');
  expect(pod).toMatchObject({
    containers: [{ image: 'grafana/grafana:12.3.0', env: [{ name: 'GF_LOG_LEVEL' }] }],
  });
  expect(valueAt(pod, 'volumes')).toContainEqual({
    name: 'data',
    persistentVolumeClaim: { claimName: 'shop-pvc' },
  });
});

test('dashboards and data sources of another namespace are used with a grant', async () => {
  const env = await openEnvironment();
  const granted = ['dashboards', 'datasources'].map(
    (plural) => `team/grafana${plural}.grafana.integreatly.org`,
  );
  const annotations = { 'serverless-reconciler/readable-by': granted.join() };
  await env.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: team } });
  await env.apply(grafana, { name: 'shop', labels: { team: 'shop' }, annotations, spec: {} });
  const password = { password: 'b3JkZXJz' };
  const metadata = { name: 'orders', namespace: team };
  await env.apply({ apiVersion: 'v1', kind: 'Secret', metadata, data: password });
  for (const kind of [dashboard, datasource])
    await env.apply(kind, {
      name: 'orders',
      namespace: team,
      spec: { ...kind.samples[0]?.spec, allowCrossNamespaceImport: true },
    });
  await env.apply(dashboard, {
    name: 'own',
    namespace: team,
    spec: dashboard.samples[0]?.spec ?? {},
  });
  for (let runs = 0; runs < 3; runs++) await env.resync();
  expect((await env.get(grafana, 'shop'))?.status).toMatchObject({ dashboards: 1, datasources: 1 });
  const made = await env.children(grafana, 'shop');
  const copy = made.find(({ metadata }) => metadata.name.startsWith('shop-datasource-team-'));
  const text = Buffer.from(String(valueAt(copy, 'data', 'datasource.yaml')), 'base64').toString();
  expect(text).toContain('"password":"orders"');
  const pod = JSON.stringify(await env.get(deployment, 'shop-deployment'));
  expect(pod).toContain(copy?.metadata.name);
});

test('a Grafana reads the alerting that selects it, and restarts when a Secret of a contact point changes', async () => {
  const env = await openEnvironment();
  const credentials = (password: string) => ({
    ...given.at(-1)!,
    data: { password: Buffer.from(password).toString('base64') },
  });
  await env.apply(credentials('one'));
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
          { uid: 'few-orders', condition: 'A' },
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
        ],
      },
    ],
  });
  const before = await template();
  await env.apply(credentials('two'));
  for (let runs = 0; runs < 2; runs++) await env.resync();
  expect(JSON.stringify(await made('pager-contact-shop'))).toContain('"two"');
  expect(valueAt(await template(), 'metadata', 'annotations')).not.toEqual(
    valueAt(before, 'metadata', 'annotations'),
  );
});

test('a notification policy contains the routes that it selects, and follows them', async () => {
  const env = await openEnvironment();
  await env.apply(grafana, { name: 'shop', labels: { team: 'shop' }, spec: {} });
  const route = (receiver: string) =>
    env.apply(notificationPolicyRoute, {
      name: 'sales',
      labels: { team: 'sales' },
      spec: { receiver, object_matchers: [['team', '=', 'sales']] },
    });
  await route('pager');
  const routeSelector = { matchLabels: { team: 'sales' } };
  await env.apply(notificationPolicy, {
    name: 'all',
    spec: {
      instanceSelector: { matchLabels: { team: 'shop' } },
      route: { receiver: 'mail', routes: [{ receiver: 'chat' }], routeSelector },
    },
  });
  const receivers = async () => {
    await env.resync();
    const text = valueAt(await env.get(secret, 'all-policy-shop'), 'data', 'alerting.yaml');
    const file = JSON.parse(Buffer.from(String(text), 'base64').toString());
    return file.policies[0].routes.map((one: { receiver: string }) => one.receiver);
  };
  expect(await receivers()).toEqual(['chat', 'pager']);
  await route('phone');
  expect(await receivers()).toEqual(['chat', 'phone']);
});

test.each([
  [
    `{"title":"a","x":"${placeOf('DS')}"}`,
    { datasources: [{ inputName: 'DS', datasourceName: 'A "b"' }] },
    { x: 'A "b"' },
  ],
  ['{"title":"a"}', { uid: 'start' }, { uid: 'start' }],
  [
    '{"templating":{"list":[{"name":"v"}]}}',
    { variables: [{ name: 'v', value: 'all' }] },
    {
      templating: { list: [{ name: 'v', current: { selected: true, text: 'all', value: 'all' } }] },
    },
  ],
  [
    '{"title":"a"}',
    { variables: [{ name: 'v', value: 'all' }] },
    'the dashboard has no variable v',
  ],
  ['{"title":"a"}', { datasources: [{ inputName: 'DS', datasourceName: 'A' }] }, 'no input DS'],
  ['[1]', {}, 'the dashboard is no JSON object'],
])('the dashboard %s with %o', (text, given, want) => {
  const made = dashboardOf(text, { datasources: [], variables: [], ...given });
  if (typeof want === 'string') expect(made).toEqual({ problem: expect.stringContaining(want) });
  else expect('text' in made ? JSON.parse(made.text) : made).toMatchObject(want);
});

test('a compressed dashboard is unpacked up to a size limit', () => {
  const zip = (text: string): string => gzipSync(text).toString('base64');
  expect(unzipped(zip('{}'))).toBe('{}');
  expect(unzipped(zip('x'.repeat(600_000)))).toBeUndefined();
  expect(unzipped('no gzip')).toBeUndefined();
});

async function openEnvironment() {
  const env = await createTestEnvironment(all);
  onTestFinished(() => env.close());
  for (const one of definitions) await env.apply(one);
  return env;
}

test('a Grafana installs the plugins of its dashboards and data sources, and shows its home dashboard', async () => {
  const env = await openEnvironment();
  const instanceSelector = { matchLabels: { team: 'shop' } };
  const plugins = (version: string) => [{ name: 'grafana-clock-panel', version }];
  const preferences = { homeDashboardUid: 'start' };
  const resource = { name: 'shop', labels: { team: 'shop' }, spec: { preferences } };
  await env.apply(grafana, resource);
  await env.apply(dashboard, {
    name: 'orders',
    spec: {
      instanceSelector,
      folder: 'Sales',
      json: '{"uid":"start"}',
      plugins: plugins('2.1.9'),
    },
  });
  await env.apply(datasource, {
    name: 'clock',
    spec: {
      instanceSelector,
      datasource: { name: 'clock', type: 'clock' },
      plugins: plugins('2.1.10'),
    },
  });
  await env.resync();
  await env.resync();
  const made = await env.get(deployment, 'shop-deployment');
  const containers = valueAt(made?.spec, 'template', 'spec', 'containers');
  expect(valueAt((containers as readonly unknown[])[0], 'env')).toEqual([
    { name: 'GF_PLUGINS_PREINSTALL_SYNC', value: 'grafana-clock-panel@2.1.10' },
    {
      name: 'GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH',
      value: '/dashboards/Sales/default_orders-dashboard-shop.json',
    },
  ]);
});
