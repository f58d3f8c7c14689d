import { gzipSync } from 'node:zlib';
import { child, configMap, defineKind, Type } from 'serverless-reconciler';
import { dashboardOf, placeOf, unzipped } from './content.ts';
import { folderCount, folderFields, folderOf, folders } from './folders.ts';
import { dashboardKey, folderKey, folderUidKey } from './labels.ts';
import {
  common,
  key,
  list,
  names,
  pluginKeys,
  plugins,
  selected,
  targets,
  uid,
} from './selecting.ts';

const short = Type.String({ minLength: 1, maxLength: 200 });
const sources = ['json', 'gzipJson', 'configMapRef'] as const;

/** A dashboard, for every Grafana that its selector finds: each reads a ConfigMap of its own. */
export const dashboard = defineKind({
  ...names,
  kind: 'GrafanaDashboard',
  plural: 'grafanadashboards',
  spec: Type.Object({
    ...common,
    uid,
    ...folderFields,
    json: Type.Optional(Type.String({ minLength: 2, maxLength: 500_000 })),
    gzipJson: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9+/]+=*$', maxLength: 500_000 })),
    configMapRef: Type.Optional(key),
    datasources: Type.Array(Type.Object({ inputName: short, datasourceName: short }), list),
    variables: Type.Array(Type.Object({ name: short, value: short }), list),
    plugins,
  }),
  samples: [
    {
      name: 'orders',
      spec: {
        instanceSelector: { matchLabels: { team: 'shop' } },
        json: JSON.stringify({
          title: 'Orders',
          panels: [{ datasource: placeOf('DS_SHOP') }],
          templating: { list: [{ name: 'shop' }] },
        }),
        datasources: [{ inputName: 'DS_SHOP', datasourceName: 'Shop' }],
        variables: [{ name: 'shop', value: 'all' }],
      },
    },
    {
      name: 'shared',
      spec: {
        instanceSelector: { matchLabels: { team: 'shop' } },
        configMapRef: { name: 'dashboards', key: 'orders' },
      },
    },
    {
      name: 'small',
      spec: {
        instanceSelector: { matchLabels: { team: 'shop' } },
        gzipJson: gzipSync('{"title":"Small"}').toString('base64'),
      },
    },
  ],
  owns: [configMap],
  reads: {
    instances: selected,
    folders,
    source: { type: configMap, name: ({ spec }) => spec.configMapRef?.name },
  },
  refuse(spec) {
    if (sources.filter((one) => spec[one] !== undefined).length !== 1)
      return `set exactly one of ${sources.join(', ')}`;
    return folderCount(spec) > 1 ? 'set one of folder, folderRef and folderUID' : undefined;
  },
  children({ name, namespace, spec, reads: { instances, folders, source } }) {
    const { json, gzipJson = '', configMapRef, plugins } = spec;
    const given = configMapRef ? source?.data?.[configMapRef.key] : (json ?? unzipped(gzipJson));
    const missing = configMapRef
      ? `ConfigMap ${configMapRef.name} has no key ${configMapRef.key}`
      : 'gzipJson is no gzip in base64';
    const made = given === undefined ? { problem: missing } : dashboardOf(given, spec);
    const { title, uid, blocked: waiting } = folderOf(spec, folders);
    const blocked =
      'problem' in made ? { reason: 'InvalidContent', message: made.problem } : waiting;
    return targets({ name, namespace, spec }, 'dashboard', instances).map((one) =>
      child(configMap, {
        ...one,
        ...(blocked && { blocked }),
        body: {
          data: {
            ...pluginKeys(plugins),
            [dashboardKey]: 'text' in made ? made.text : '',
            ...(title !== undefined && { [folderKey]: title }),
            ...(uid !== undefined && { [folderUidKey]: uid }),
          },
        },
      }),
    );
  },
  status: { instances: Type.Optional(Type.Integer()) },
  statusOf: ({ children }) => ({ instances: children.length }),
  columns: [{ name: 'Instances', type: 'integer', jsonPath: '.status.instances' }],
});
