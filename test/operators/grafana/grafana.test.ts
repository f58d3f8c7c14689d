import { gzipSync } from 'node:zlib';
import { configMap, deployment, service } from 'serverless-reconciler';
import { expectConverged } from 'serverless-reconciler/testing';
import { expect, test, vi } from 'vitest';
import { valueAt } from '../../../shared/json.ts';
import type { JsonObject } from '../../../shared/kubernetes.ts';
import { dashboardOf, placeOf, unzipped } from './content.ts';
import { dashboard } from './dashboards.ts';
import { datasource } from './datasources.ts';
import { all, open, orders, selecting, team } from './fixtures.ts';
import { folder } from './folders.ts';
import { grafana } from './grafana.ts';

vi.setConfig({ testTimeout: 400_000 });

const claim = { spec: { resources: { requests: { storage: '1Gi' } } } };
const templates = {
  version: 'registry.example.org/grafana:12.3.0',
  config: { server: { http_port: '8080' } },
  deployment: {
    metadata: { labels: { tier: 'pages' } },
    spec: {
      replicas: 2,
      progressDeadlineSeconds: 60,
      template: {
        spec: {
          dnsPolicy: 'None',
          dnsConfig: { nameservers: ['10.0.0.53'] },
          hostAliases: [{ ip: '10.0.0.1', hostnames: ['ldap'] }],
          initContainers: [{ name: 'wait', image: 'wait:1', restartPolicy: 'Always' }],
          containers: [
            {
              name: 'grafana',
              env: [{ name: 'GF_LOG_LEVEL', value: 'debug' }],
              startupProbe: { httpGet: { path: '/api/health', port: 'grafana-http' } },
              lifecycle: { preStop: { sleep: { seconds: 5 } } },
            },
          ],
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'shop-pvc' } }],
        },
      },
    },
  },
  service: {
    spec: {
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      loadBalancerSourceRanges: ['10.0.0.0/8'],
      ports: [{ name: 'metrics', port: 9100, targetPort: 9100 }],
    },
  },
  serviceAccount: { metadata: { annotations: { role: 'reader' } } },
  ingress: {
    spec: {
      defaultBackend: { service: { name: 'shop-service', port: { number: 8080 } } },
      rules: [{ host: 'shop.example.org' }],
      tls: [{ secretName: 'shop-tls' }],
    },
  },
  route: { spec: { tls: { termination: 'edge' } } },
  httpRoute: { spec: { parentRefs: [{ name: 'public' }] } },
  persistentVolumeClaim: {
    spec: { volumeMode: 'Filesystem', resources: { requests: { storage: '1Gi' } } },
  },
};

test('a Grafana with a template for each of its objects obeys the laws of the engine', async () => {
  const { deployment: _, ...spec } = templates;
  const template = { spec: { dnsPolicy: 'Default', hostAliases: [{ ip: '10.0.0.1' }] } };
  const resource = { name: 'shop', spec: { ...spec, deployment: { spec: { template } } } };
  const { children } = await expectConverged(all, { kind: grafana, given: selecting, resource });
  expect(children).toContainEqual(expect.stringMatching(/^ConfigMap shop-folder-sales/));
  expect(children).toEqual(
    expect.arrayContaining(['Route shop-route', 'HTTPRoute shop-httproute']),
  );
});

test('everything that a Grafana makes inherits its labels, without a restart when they change', async () => {
  const env = await open();
  const resource = { name: 'shop', spec: { httpRoute: {}, persistentVolumeClaim: claim } };
  const labelled = (labels: Readonly<Record<string, string>>) =>
    env.apply(grafana, { ...resource, labels });
  const made = async () => {
    await env.deliver();
    await env.resync();
    const children = await env.children(grafana, 'shop');
    expect(children.length).toBeGreaterThan(6);
    return children.map(({ metadata }) => metadata.labels);
  };
  const template = async () =>
    valueAt((await env.get(deployment, 'shop-deployment'))?.spec, 'template');
  await labelled({ team: 'shop', 'applyset.kubernetes.io/part-of': 'applyset-1' });
  for (const labels of await made()) {
    expect(labels).toMatchObject({ team: 'shop', 'app.kubernetes.io/instance': 'shop' });
    expect(labels).not.toHaveProperty(['applyset.kubernetes.io/part-of']);
  }
  const before = await template();
  await labelled({ cost: '7' });
  for (const labels of await made()) {
    expect(labels).toMatchObject({ cost: '7' });
    expect(labels).not.toHaveProperty('team');
  }
  expect(await template()).toEqual(before);
});

test('templates are merged with what Grafana needs', async () => {
  const env = await open();
  await env.apply(grafana, { name: 'shop', spec: templates });
  await env.resync();
  const made = await env.get(deployment, 'shop-deployment');
  expect(made?.metadata.labels).toMatchObject({ tier: 'pages' });
  const pod = valueAt(made?.spec, 'template', 'spec');
  expect(pod).toMatchObject({
    dnsPolicy: 'None',
    initContainers: [{ name: 'wait', image: 'wait:1' }],
    containers: [
      {
        image: 'registry.example.org/grafana:12.3.0',
        env: [{ name: 'POD_IP' }, { name: 'GF_LOG_LEVEL' }],
        ports: [{ containerPort: 8080 }, { containerPort: 9094 }],
        startupProbe: { httpGet: { port: 'grafana-http' } },
      },
    ],
  });
  expect(valueAt(pod, 'volumes')).toContainEqual({
    name: 'data',
    persistentVolumeClaim: { claimName: 'shop-pvc' },
  });
  expect((await env.get(service, 'shop-service'))?.spec).toMatchObject({
    loadBalancerSourceRanges: ['10.0.0.0/8'],
    ports: [{ name: 'http', port: 8080 }, { name: 'metrics' }],
  });
  expect((await env.get(service, 'shop-alerting'))?.spec).toMatchObject({ clusterIP: 'None' });
});

test('what the API server refuses in a template is in the condition, until it is corrected', async () => {
  const env = await open();
  const specOf = (...volumeMounts: JsonObject[]) => ({
    deployment: {
      spec: { template: { spec: { containers: [{ name: 'grafana', volumeMounts }] } } },
    },
  });
  await env.apply(grafana, { name: 'shop', spec: specOf({ name: 'none', mountPath: '/none' }) });
  await env.resync();
  const { Ready, Stalled } = await env.conditions(grafana, 'shop');
  expect(Stalled).toMatchObject({ status: 'True' });
  expect(Ready?.message).toContain('Not found: "none"');
  expect(await env.get(service, 'shop-service')).toBeDefined();
  expect(await env.get(deployment, 'shop-deployment')).toBeUndefined();

  await env.apply(grafana, { name: 'shop', spec: specOf({ name: 'data', mountPath: '/none' }) });
  await env.resync();
  expect((await env.conditions(grafana, 'shop')).Stalled).toBeUndefined();
  expect(await env.get(deployment, 'shop-deployment')).toBeDefined();
});

test('pods restart when a Secret changes that their template refers to', async () => {
  const env = await open();
  await env.apply(orders('one'));
  const envFrom = [{ secretRef: { name: 'orders' } }];
  const template = { spec: { containers: [{ name: 'grafana', envFrom }] } };
  await env.apply(grafana, { name: 'shop', spec: { deployment: { spec: { template } } } });
  const annotations = async () => {
    await env.resync();
    return valueAt((await env.get(deployment, 'shop-deployment'))?.spec, 'template', 'metadata');
  };
  const former = await annotations();
  await env.apply(orders('two'));
  expect(await annotations()).not.toEqual(former);
});

test('a dashboard is in the folder that it refers to, and waits for it', async () => {
  const env = await open();
  await env.apply(grafana, { name: 'shop', labels: { team: 'shop' }, spec: {} });
  const instanceSelector = { matchLabels: { team: 'shop' } };
  const spec = { instanceSelector, json: '{"uid":"start"}' };
  await env.apply(dashboard, { name: 'by-name', spec: { ...spec, folderRef: 'sales' } });
  await env.apply(dashboard, { name: 'by-uid', spec: { ...spec, folderUID: 'sales' } });
  await env.apply(dashboard, { name: 'elsewhere', spec });
  await env.resync();
  const ready = (await env.conditions(dashboard, 'by-name')).Ready;
  expect(ready).toMatchObject({ reason: 'FolderMissing' });
  await env.apply(folder, folder.samples[0]!);
  for (let runs = 0; runs < 3; runs++) await env.resync();
  const settings = (await env.get(configMap, 'shop-ini'))?.data as { 'dashboards.yaml': string };
  const { providers } = JSON.parse(settings['dashboards.yaml']);
  expect(providers).toMatchObject([{ folder: 'Sales', folderUid: 'sales' }, { folder: 'default' }]);
  const folders = await env.list(configMap);
  const { data } = folders.find(({ metadata }) => metadata.name.startsWith('shop-folder-sales'))!;
  expect(Object.keys(data as object)).toEqual([
    'default_by-name-dashboard-shop.json',
    'default_by-uid-dashboard-shop.json',
  ]);
});

test('dashboards and data sources of another namespace are shown where that is granted', async () => {
  const env = await open();
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

test('a Grafana installs the plugins of what selects it, and shows its home dashboard', async () => {
  const env = await open();
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
    { name: 'POD_IP', valueFrom: expect.anything() },
    { name: 'GF_PLUGINS_PREINSTALL_SYNC', value: 'grafana-clock-panel@2.1.10' },
    {
      name: 'GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH',
      value: expect.stringMatching(
        /^.dashboards.shop-folder-sales-.*default_orders-dashboard-shop.json$/,
      ),
    },
  ]);
});
