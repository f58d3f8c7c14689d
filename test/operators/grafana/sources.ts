import {
  type Child,
  child,
  configMap,
  defineKind,
  labelValue,
  objectName,
  type ReadObject,
  type Static,
  secret,
  secretValue,
  type Template,
  Type,
} from 'serverless-reconciler';
import { LabelSelector } from 'serverless-reconciler/types';
import { subdomain } from '../resources.ts';
import { grafana } from './grafana.ts';
import { dashboardKey, datasourceKey, folderKey, instanceLabel, pluginKey } from './labels.ts';

const selected = {
  type: grafana,
  selector: ({
    spec,
  }: {
    readonly spec: { readonly instanceSelector: Static<typeof LabelSelector> };
  }) => spec.instanceSelector,
};

const names = { group: 'grafana.integreatly.org', version: 'v1beta1' };

/** A value of a ConfigMap or Secret. */
const key = Type.Object({
  name: subdomain,
  key: Type.String({ pattern: '^[-._a-zA-Z0-9]+$', maxLength: 253 }),
});

/** Plugins that a Grafana installs before it starts. */
const plugins = Type.Array(
  Type.Object({
    name: Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 100 }),
    version: Type.String({ pattern: '^[0-9]+([.][0-9A-Za-z-]+)*$', maxLength: 50 }),
  }),
  { maxItems: 32, default: [] },
);

/** The keys that name the plugins, with an empty value. */
const pluginKeys = (given: Static<typeof plugins>): Readonly<Record<string, string>> =>
  Object.fromEntries(given.map(({ name, version }) => [pluginKey(name, version), '']));

/** A dashboard, for every Grafana that its selector finds: each reads a ConfigMap of its own. */
export const dashboard = defineKind({
  ...names,
  kind: 'GrafanaDashboard',
  plural: 'grafanadashboards',
  spec: Type.Object({
    instanceSelector: LabelSelector,
    folder: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$', maxLength: 40 })),
    json: Type.Optional(Type.String({ minLength: 2, maxLength: 500_000 })),
    configMapRef: Type.Optional(key),
    plugins,
  }),
  samples: [
    {
      name: 'orders',
      spec: { instanceSelector: { matchLabels: { team: 'shop' } }, json: '{"title":"Orders"}' },
    },
    {
      name: 'shared',
      spec: {
        instanceSelector: { matchLabels: { team: 'shop' } },
        configMapRef: { name: 'dashboards', key: 'orders' },
      },
    },
  ],
  owns: [configMap],
  reads: {
    instances: selected,
    source: { type: configMap, name: ({ spec }) => spec.configMapRef?.name },
  },
  refuse: ({ json, configMapRef }) =>
    (json === undefined) === (configMapRef === undefined)
      ? 'set one of json and configMapRef'
      : undefined,
  children({ name, spec: { json, configMapRef, folder, plugins }, reads: { instances, source } }) {
    const text = json ?? source?.data?.[configMapRef?.key ?? ''];
    const message = `ConfigMap ${configMapRef?.name} has no key ${configMapRef?.key}`;
    return instances.map((one) =>
      child(configMap, {
        name: objectName(`${name}-dashboard-${one.name}`),
        labels: { [instanceLabel]: labelValue(one.name) },
        ...(text === undefined ? { blocked: { reason: 'ContentMissing', message } } : {}),
        body: {
          data: {
            ...pluginKeys(plugins),
            [dashboardKey]: text ?? '',
            ...(folder === undefined ? {} : { [folderKey]: folder }),
          },
        },
      }),
    );
  },
  status: { instances: Type.Optional(Type.Integer()) },
  statusOf: ({ reads }) => ({ instances: reads?.instances.length ?? 0 }),
  columns: [{ name: 'Instances', type: 'integer', jsonPath: '.status.instances' }],
});

/** What a data source has in place of a value. */
const placeOf = (key = ''): string => `\${${key}}`;

const text = Type.Optional(Type.String({ minLength: 1, maxLength: 1000 }));
const flag = Type.Optional(Type.Boolean());
const spec = Type.Object({
  instanceSelector: LabelSelector,
  datasource: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 100 }),
    type: Type.String({ minLength: 1, maxLength: 100 }),
    uid: text,
    url: text,
    access: text,
    database: text,
    user: text,
    basicAuthUser: text,
    basicAuth: flag,
    isDefault: flag,
    editable: flag,
    jsonData: Type.Optional(Type.Record(Type.String(), Type.String())),
    secureJsonData: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
  /** Values of Secrets, each for the text `${KEY}` in one field of the data source. */
  valuesFrom: Type.Array(
    Type.Object({
      targetPath: Type.String({ pattern: '^[A-Za-z0-9.]+$', maxLength: 200 }),
      valueFrom: Type.Object({ secretKeyRef: key }),
    }),
    { maxItems: 16, default: [] },
  ),
  plugins,
});

type Spec = Static<typeof spec>;

/** A data source, for every Grafana that its selector finds: each reads a Secret of its own. */
export const datasource = defineKind({
  ...names,
  kind: 'GrafanaDatasource',
  plural: 'grafanadatasources',
  spec,
  samples: [
    {
      name: 'orders',
      spec: {
        instanceSelector: { matchLabels: { team: 'shop' } },
        datasource: {
          name: 'Orders',
          type: 'postgres',
          url: 'orders:5432',
          user: 'grafana',
          secureJsonData: { password: placeOf('password') },
        },
        valuesFrom: [
          {
            targetPath: 'secureJsonData.password',
            valueFrom: { secretKeyRef: { name: 'orders', key: 'password' } },
          },
        ],
      },
    },
  ],
  owns: [secret],
  reads: {
    instances: selected,
    sources: {
      type: secret,
      names: ({ spec }) => [
        ...new Set(spec.valuesFrom.map(({ valueFrom }) => valueFrom.secretKeyRef.name)),
      ],
    },
  },
  children: ({ name, spec, reads: { instances, sources } }) =>
    instances.map(
      (one): Child =>
        child(secret, {
          name: objectName(`${name}-datasource-${one.name}`),
          labels: { [instanceLabel]: labelValue(one.name) },
          body: { data: pluginKeys(spec.plugins) },
          templates: { [datasourceKey]: contentOf(spec, sources) },
        }),
    ),
  status: { instances: Type.Optional(Type.Integer()) },
  statusOf: ({ reads }) => ({ instances: reads?.instances.length ?? 0 }),
  columns: [{ name: 'Instances', type: 'integer', jsonPath: '.status.instances' }],
});

/** Encloses the place of a value, as no text of a spec does. */
const [open, close] = ['\uE000', '\uE001'];

/** Grafana's provisioning file, in JSON, with the values of Secrets in their places. */
function contentOf(
  { datasource: given, valuesFrom }: Spec,
  sources: readonly (ReadObject<typeof secret> | undefined)[],
): Template {
  const refs = valuesFrom.map(({ valueFrom }) => valueFrom.secretKeyRef);
  const at = (path: string, value: unknown): unknown => {
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value)
          .toSorted()
          .map(([key, inner]) => [key, at(path ? `${path}.${key}` : key, inner)]),
      );
    if (typeof value !== 'string') return value;
    return valuesFrom.reduce(
      (filled, { targetPath }, index) =>
        targetPath === path
          ? filled.replaceAll(placeOf(refs[index]?.key), `${open}${index}${close}`)
          : filled,
      value.replaceAll(/[\uE000\uE001]/g, ''),
    );
  };
  const file = JSON.stringify({ apiVersion: 1, datasources: [at('', given)] });
  const [first = '', ...others] = file.split(open);
  return {
    parts: [
      first,
      ...others.flatMap((part) => {
        const [index = '', rest = ''] = part.split(close);
        const { name = '', key = '' } = refs[Number(index)] ?? {};
        return [
          secretValue(sources.find((one) => one?.name === name) ?? { name }, key, 'json'),
          rest,
        ];
      }),
    ],
  };
}
