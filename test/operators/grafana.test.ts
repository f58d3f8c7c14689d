import { defineConfig } from 'serverless-reconciler';
import { expectConverged, expectReliable } from 'serverless-reconciler/testing';
import { expect, test, vi } from 'vitest';
import { isWhole } from '../properties/runs.ts';
import { grafana } from './grafana.ts';
import { dashboard, datasource } from './grafana-sources.ts';

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
])('no specification of a $kind breaks a law', async (kind, there) => {
  await expectReliable(all, { kind, given: there, ...search });
});
