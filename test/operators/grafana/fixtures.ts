import { defineConfig } from 'serverless-reconciler';
import { createTestEnvironment } from 'serverless-reconciler/testing';
import { onTestFinished } from 'vitest';
import { definitionOf } from '../definition.ts';
import { route } from '../openshift.ts';
import { alerting } from './alerting/alerting.ts';
import { notificationPolicyRoute } from './alerting/routes.ts';
import { dashboard } from './dashboards.ts';
import { datasource } from './datasources.ts';
import { folder } from './folders.ts';
import { httpRoute } from './front.ts';
import { grafana } from './grafana.ts';

export const all = defineConfig({
  kinds: [grafana, folder, dashboard, datasource, notificationPolicyRoute, ...alerting],
});
const inDefault = (kind: string, name: string, labels: Readonly<Record<string, string>> = {}) => ({
  kind,
  metadata: { name, namespace: 'default', labels },
});
const apiVersion = 'grafana.integreatly.org/v1beta1';
const definitions = [route, httpRoute].map(definitionOf);
export const team = 'team';
const readers = [folder, dashboard, datasource, ...alerting].map(
  ({ plural }) => `default/${plural}.grafana.integreatly.org`,
);
/** A Secret with a password. */
export const orders = (password: string) => ({
  apiVersion: 'v1',
  ...inDefault('Secret', 'orders'),
  data: { password: Buffer.from(password).toString('base64') },
});
/** What the kinds read. */
export const given = [
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
  orders('orders'),
];
const marked = {
  'grafana.integreatly.org/instance': 'shop',
  'grafana.integreatly.org/namespace': 'default',
};
/** What a Grafana reads. */
export const selecting = [
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

export async function open() {
  const env = await createTestEnvironment(all);
  onTestFinished(() => env.close());
  for (const one of definitions) await env.apply(one);
  return env;
}
