/** Marks what a Grafana reads: its value is the name of the Grafana. */
export const instanceLabel = 'grafana.integreatly.org/instance';
/** Keys of a ConfigMap with a dashboard. */
export const dashboardKey = 'dashboard.json';
export const folderKey = 'folder';
export const generalFolder = 'General';
/** Keys `plugin_NAME_VERSION`, without a value: of a Secret only the keys can be read. */
export const pluginKey = (name: string, version: string) => `plugin_${name}_${version}`;
export const isPluginKey = (key: string) => key.startsWith('plugin_');
/** Key of a Secret with a data source. */
export const datasourceKey = 'datasource.yaml';
