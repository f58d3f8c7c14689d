import { digestOf } from 'serverless-reconciler';

interface Found {
  readonly namespace: string;
  readonly data?: Readonly<Record<string, string>> | undefined;
}

/** Marks what a Grafana reads: its value is the name of the Grafana. */
export const instanceLabel = 'grafana.integreatly.org/instance';
/** Marks in which namespace that Grafana is. */
export const placeLabel = 'grafana.integreatly.org/namespace';
/** Grants an object to the Grafanas of a namespace. */
export const grantTo = (namespace: string) => ({
  'serverless-reconciler/readable-by': `${namespace}/grafanas.grafana.integreatly.org`,
});
/** The file of a dashboard in its folder. */
export const fileOf = (one: { readonly namespace: string; readonly name: string }): string =>
  `${one.namespace}_${one.name}.json`;
/** Keys of a ConfigMap with a dashboard. */
export const dashboardKey = 'dashboard.json';
export const folderKey = 'folder';
export const folderUidKey = 'folderUid';
/** The title of the folder of a dashboard, or of a folder without dashboards. */
export const titleOf = ({ namespace, data }: Found): string => data?.[folderKey] ?? namespace;
/** Keys `plugin_NAME_VERSION`, without a value: of a Secret only the keys can be read. */
export const pluginKey = (name: string, version: string) => `plugin_${name}_${version}`;
export const isPluginKey = (key: string) => key.startsWith('plugin_');
/** Key of a Secret with a data source, and of one with a part of Grafana's alerting. */
export const datasourceKey = 'datasource.yaml';
export const alertingKey = 'alerting.yaml';

/** A part of a name, for an object of another namespace. */
export const far = ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
  `${namespace}-${name}-${digestOf([namespace, name]).slice(0, 8)}`;
