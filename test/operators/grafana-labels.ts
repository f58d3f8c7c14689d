/** Marks what a Grafana reads: its value is the name of the Grafana. */
export const instanceLabel = 'grafana.integreatly.org/instance';
/** Keys of a ConfigMap with a dashboard. */
export const dashboardKey = 'dashboard.json';
export const folderKey = 'folder';
/** Key of a Secret with a data source. */
export const datasourceKey = 'datasource.yaml';
