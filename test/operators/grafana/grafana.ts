import {
  type Child,
  child,
  configMap,
  defineKind,
  deployment,
  ingress,
  labelValue,
  nameAtMost,
  objectName,
  persistentVolumeClaim,
  type SelectedObject,
  secret,
  secretValue,
  service,
  serviceAccount,
  Type,
} from 'serverless-reconciler';
import { route } from '../openshift.ts';
import { front, httpRoute } from './front.ts';
import {
  alertingKey,
  dashboardKey,
  datasourceKey,
  far,
  fileOf,
  folderKey,
  generalFolder,
  instanceLabel,
  placeLabel,
} from './labels.ts';
import { accountName, adminName, claimName, folderName } from './names.ts';
import { server } from './server.ts';
import { refuse, type Spec, spec } from './spec.ts';

interface Place {
  readonly namespace: string;
  readonly name: string;
}

const selectorOf = ({ namespace, name }: Place) => ({
  matchLabels: { [instanceLabel]: labelValue(name), [placeLabel]: labelValue(namespace) },
});

/** Grafana, with the dashboards, data sources and parts of its alerting that select it. */
export const grafana = defineKind({
  group: 'grafana.integreatly.org',
  version: 'v1beta1',
  kind: 'Grafana',
  plural: 'grafanas',
  spec,
  columns: [{ name: 'Version', type: 'string', jsonPath: '.spec.version' }],
  rules: [nameAtMost(40)],
  samples: [{ name: 'shop', spec: { config: { log: { mode: 'console' } } } }],
  owns: [
    ...[secret, configMap, serviceAccount, persistentVolumeClaim],
    ...[deployment, service, ingress, route, httpRoute],
  ],
  reads: {
    dashboards: { type: configMap, selector: selectorOf, from: 'granted' },
    secrets: { type: secret, selector: selectorOf, from: 'granted' },
  },
  refuse,
  children({ namespace, name, spec, reads: { dashboards, secrets } }) {
    const folders = foldersOf(name, dashboards);
    const settings = child(configMap, {
      name: objectName(`${name}-ini`),
      body: { data: { 'grafana.ini': iniOf(spec.config), 'dashboards.yaml': providers } },
    });
    const { metadata: given, ...account } = spec.serviceAccount ?? {};
    const copies = secrets.map((one) => ({ one, copy: copyOf(one, { namespace, name }) }));
    const mounted = (is: boolean) =>
      copies.filter(({ one }) => isAlerting(one) === is).map(({ copy }) => copy);
    const provisioned = { datasources: mounted(false), alerting: mounted(true) };
    const files = { settings, folders: [...folders.keys()], dashboards, secrets, provisioned };
    return [
      child(serviceAccount, { name: accountName(name), ...given, body: account }),
      settings,
      ...folders.values(),
      ...copies.flatMap(({ copy }) => ('type' in copy ? [copy] : [])),
      ...(spec.disableDefaultAdminSecret ? [] : [adminSecret(name)]),
      ...claim(name, spec),
      server(name, spec, files),
      ...front(name, spec),
    ];
  },
  status: { dashboards: Type.Optional(Type.Integer()), datasources: Type.Optional(Type.Integer()) },
  statusOf: ({ reads }) => ({
    dashboards: reads?.dashboards.length ?? 0,
    datasources: reads?.secrets.filter((one) => !isAlerting(one)).length ?? 0,
  }),
});

/** A Secret in the own namespace, or a copy of one that another namespace grants: pods mount no others. */
function copyOf(one: SelectedObject<typeof secret>, { namespace, name }: Place) {
  if (one.namespace === namespace) return one;
  const key = isAlerting(one) ? alertingKey : datasourceKey;
  return child(secret, {
    name: objectName(`${name}-${isAlerting(one) ? 'alerting' : 'datasource'}-${far(one)}`),
    body: {},
    templates: { [key]: secretValue(one, key) },
  });
}

const isAlerting = ({ keys }: SelectedObject<typeof secret>): boolean => keys.includes(alertingKey);

const iniOf = (config: Spec['config']): string =>
  Object.keys(config)
    .toSorted()
    .map((section) => {
      const lines = Object.entries(config[section] ?? {}).map(
        ([key, value]) => `${key} = ${value}`,
      );
      return [`[${section}]`, ...lines.toSorted(), ''].join('\n');
    })
    .join('\n');

const providers = JSON.stringify({
  apiVersion: 1,
  providers: [
    {
      name: 'dashboards',
      type: 'file',
      allowUiUpdates: false,
      options: { path: '/dashboards', foldersFromFilesStructure: true },
    },
  ],
});

/** One ConfigMap for each folder, because the kubelet updates it in running pods. */
function foldersOf(name: string, found: readonly SelectedObject<typeof configMap>[]) {
  const folders = new Map<string, Record<string, string>>();
  for (const one of found) {
    const { [dashboardKey]: text = '', [folderKey]: folder = generalFolder } = one.data ?? {};
    folders.set(folder, { ...folders.get(folder), [fileOf(one)]: text });
  }
  return new Map(
    [...folders].map(([folder, data]) => [
      folder,
      child(configMap, { name: folderName(name, folder), body: { data } }),
    ]),
  );
}

const adminSecret = (name: string): Child =>
  child(secret, {
    name: adminName(name),
    body: { data: { GF_SECURITY_ADMIN_USER: Buffer.from('admin').toString('base64') } },
    generated: { keys: ['GF_SECURITY_ADMIN_PASSWORD'], usedBy: [] },
  });

function claim(name: string, { persistentVolumeClaim: template }: Spec): readonly Child[] {
  if (template === undefined) return [];
  return [
    child(persistentVolumeClaim, {
      name: claimName(name),
      ...template.metadata,
      body: { spec: template.spec },
    }),
  ];
}
