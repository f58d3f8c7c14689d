import { defineConfig, deployment } from 'serverless-reconciler';
import {
  createTestEnvironment,
  expectConverged,
  expectReliable,
} from 'serverless-reconciler/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { valueAt } from '../../../shared/json.ts';
import { isWhole } from '../../properties/runs.ts';
import { grafana } from './grafana.ts';
import { dashboard, datasource } from './sources.ts';

vi.setConfig({ testTimeout: 180_000 });
/** The seed of `npm test` is fixed, so that it never fails by chance. */
const search = isWhole ? { seconds: 30 } : { seconds: 2, seed: 1 };

const all = defineConfig({ kinds: [grafana, dashboard, datasource] });
const inDefault = (kind: string, name: string, labels: Readonly<Record<string, string>> = {}) => ({
  kind,
  metadata: { name, namespace: 'default', labels },
});
const apiVersion = 'grafana.integreatly.org/v1beta1';
const given = [
  { apiVersion, ...inDefault('Grafana', 'shop', { team: 'shop' }), spec: {} },
  { apiVersion, ...inDefault('Grafana', 'other', { team: 'other' }), spec: {} },
  { apiVersion: 'v1', ...inDefault('Secret', 'orders'), data: { password: 'b3JkZXJz' } },
];
const marked = { 'grafana.integreatly.org/instance': 'shop' };
const selecting = [
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
];

test('a Grafana obeys the laws of the engine', async () => {
  const { children } = await expectConverged(all, { kind: grafana, given: selecting });
  expect(children).toContainEqual(expect.stringMatching(/^ConfigMap shop-folder-sales/));
});

test.each([
  [dashboard, 'ConfigMap orders-dashboard-shop'],
  [datasource, 'Secret orders-datasource-shop'],
])('a $kind obeys the laws of the engine', async (kind, made) => {
  const { children } = await expectConverged(all, { kind, given });
  expect(children).toEqual([made]);
});

test.each([
  [grafana, selecting],
  [dashboard, given],
  [datasource, given],
])('no spec of a $kind breaks a law', async (kind, there) => {
  await expectReliable(all, { kind, given: there, ...search });
});

test('a Grafana installs the plugins of what selects it, and shows its home dashboard', async () => {
  const env = await createTestEnvironment({ kinds: [grafana, dashboard, datasource] });
  onTestFinished(() => env.close());
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
      value: '/dashboards/Sales/orders-dashboard-shop.json',
    },
  ]);
});
