import {
  type Child,
  child,
  configMap,
  defineKind,
  deployment,
  dnsLabel,
  ingress,
  labelValue,
  nameAtMost,
  objectName,
  persistentVolumeClaim,
  type SelectedObject,
  secret,
  service,
  serviceAccount,
  Type,
} from 'serverless-reconciler';
import { dashboardKey, folderKey, generalFolder, instanceLabel } from './labels.ts';
import { accountName, adminName, claimName, folderName, labelsOf } from './names.ts';
import { server } from './server.ts';
import { type Spec, spec } from './spec.ts';

/** Grafana, with the dashboards and data sources that select it. */
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
    ...[deployment, service, ingress],
  ],
  reads: {
    dashboards: { type: configMap, selector: ({ name }) => selectorOf(name) },
    datasources: { type: secret, selector: ({ name }) => selectorOf(name) },
  },
  children({ name, spec, reads: { dashboards, datasources } }) {
    const folders = foldersOf(name, dashboards);
    const settings = child(configMap, {
      name: objectName(`${name}-ini`),
      body: { data: { 'grafana.ini': iniOf(spec.config), 'dashboards.yaml': providers } },
    });
    const account = child(serviceAccount, { name: accountName(name), body: {} });
    const files = { settings, folders: [...folders.keys()], dashboards, datasources };
    return [
      account,
      settings,
      ...folders.values(),
      ...(spec.disableDefaultAdminSecret ? [] : [adminSecret(name)]),
      ...claim(name, spec),
      server(name, spec, files),
      ...front(name, spec),
    ];
  },
  status: { dashboards: Type.Optional(Type.Integer()), datasources: Type.Optional(Type.Integer()) },
  statusOf: ({ reads }) => ({
    dashboards: reads?.dashboards.length ?? 0,
    datasources: reads?.datasources.length ?? 0,
  }),
});

const selectorOf = (name: string) => ({ matchLabels: { [instanceLabel]: labelValue(name) } });

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
    folders.set(folder, { ...folders.get(folder), [`${one.name}.json`]: text });
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

function claim(name: string, { persistentVolumeClaim: wanted }: Spec): readonly Child[] {
  if (wanted === undefined) return [];
  const { storage, storageClassName } = wanted;
  return [
    child(persistentVolumeClaim, {
      name: claimName(name),
      body: {
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage } },
          ...(storageClassName === undefined ? {} : { storageClassName }),
        },
      },
    }),
  ];
}

function front(name: string, { ingress: wanted }: Spec): readonly Child[] {
  const to = child(service, {
    name: dnsLabel(`${name}-service`),
    body: {
      spec: {
        selector: labelsOf(name),
        ports: [{ name: 'http', port: 3000, protocol: 'TCP', targetPort: 'grafana-http' }],
      },
    },
  });
  if (wanted === undefined) return [to];
  const { host, ingressClassName } = wanted;
  const backend = { service: { name: to.name, port: { number: 3000 } } };
  return [
    to,
    child(ingress, {
      name: objectName(`${name}-ingress`),
      actsOn: to,
      body: {
        spec: {
          ...(ingressClassName === undefined ? {} : { ingressClassName }),
          rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
        },
      },
    }),
  ];
}
