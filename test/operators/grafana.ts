import {
  type api,
  type Child,
  child,
  configMap,
  defineKind,
  deployment,
  dnsLabel,
  immutable,
  immutableOptional,
  ingress,
  labelValue,
  nameAtMost,
  objectName,
  persistentVolumeClaim,
  rollOnChange,
  type SelectedObject,
  type Static,
  secret,
  service,
  serviceAccount,
  Type,
  withRules,
  workloadName,
} from 'serverless-reconciler';
import { dashboardKey, datasourceKey, folderKey, instanceLabel } from './grafana-labels.ts';
import { resources, subdomain } from './resources.ts';

/** A claim of nothing is refused. */
const size = Type.String({ pattern: '^[1-9][0-9]{0,8}[MGT]i$' });
const name = Type.String({ pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$', maxLength: 63 });

const spec = Type.Object({
  version: Type.String({ pattern: '^[A-Za-z0-9._-]+$', maxLength: 100, default: '12.3.0' }),
  /** Sections of grafana.ini. */
  config: Type.Record(
    Type.String(),
    Type.Record(Type.String(), Type.String({ pattern: '^[^\\r\\n]*$' })),
    { default: {} },
  ),
  replicas: Type.Integer({ minimum: 0, maximum: 20, default: 1 }),
  resources,
  persistentVolumeClaim: Type.Optional(
    Type.Object(
      { storage: size, storageClassName: Type.Optional(name) },
      withRules(immutable('storage'), immutableOptional('storageClassName')),
    ),
  ),
  ingress: Type.Optional(Type.Object({ host: subdomain, ingressClassName: Type.Optional(name) })),
  disableDefaultAdminSecret: Type.Boolean({ default: false }),
});

type Spec = Static<typeof spec>;

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
    const account = child(serviceAccount, { name: objectName(`${name}-sa`), body: {} });
    const files = { settings, folders: [...folders.keys()], datasources };
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
const labelsOf = (name: string) => ({ app: 'grafana', grafana: labelValue(name) });
const adminName = (name: string) => objectName(`${name}-admin-credentials`);
const claimName = (name: string) => objectName(`${name}-pvc`);

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
      ...{ name: 'dashboards', type: 'file', allowUiUpdates: false },
      options: { path: '/dashboards', foldersFromFilesStructure: true },
    },
  ],
});

/** One ConfigMap for each folder, because the kubelet updates it in running pods. */
function foldersOf(name: string, found: readonly SelectedObject<typeof configMap>[]) {
  const folders = new Map<string, Record<string, string>>();
  for (const one of found) {
    const { [dashboardKey]: text = '', [folderKey]: folder = 'General' } = one.data ?? {};
    folders.set(folder, { ...folders.get(folder), [`${one.name}.json`]: text });
  }
  return new Map(
    [...folders].map(([folder, data]) => [
      folder,
      child(configMap, { name: folderName(name, folder), body: { data } }),
    ]),
  );
}

const folderName = (name: string, folder: string) => objectName(`${name}-folder-${folder}`);

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

interface Files {
  readonly settings: Child;
  readonly folders: readonly string[];
  readonly datasources: readonly SelectedObject<typeof secret>[];
}

function server(name: string, spec: Spec, files: Files): Child {
  const labels = labelsOf(name);
  const annotations = rollOnChange(files.settings, ...files.datasources);
  return child(deployment, {
    name: workloadName(`${name}-deployment`),
    needs: [files.settings],
    body: {
      spec: {
        replicas: spec.replicas,
        // A claim is mounted by one pod at a time.
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations },
          spec: {
            serviceAccountName: objectName(`${name}-sa`),
            securityContext: { runAsNonRoot: true, fsGroup: 472 },
            containers: [container(name, spec, files.folders)],
            volumes: volumes(name, spec, files),
          },
        },
      },
    },
  });
}

const container = (name: string, spec: Spec, folders: readonly string[]): api.Container => ({
  name: 'grafana',
  image: `grafana/grafana:${spec.version}`,
  ...(spec.resources === undefined
    ? {}
    : { resources: { requests: spec.resources, limits: spec.resources } }),
  ...(spec.disableDefaultAdminSecret
    ? {}
    : { envFrom: [{ secretRef: { name: adminName(name) } }] }),
  ports: [{ name: 'grafana-http', containerPort: 3000, protocol: 'TCP' }],
  readinessProbe: { httpGet: { path: '/api/health', port: 'grafana-http' } },
  volumeMounts: [
    { name: 'settings', mountPath: '/etc/grafana/grafana.ini', subPath: 'grafana.ini' },
    { name: 'providers', mountPath: '/etc/grafana/provisioning/dashboards' },
    { name: 'datasources', mountPath: '/etc/grafana/provisioning/datasources' },
    { name: 'data', mountPath: '/var/lib/grafana' },
    ...folders.map((folder, at) => ({ name: `folder-${at}`, mountPath: `/dashboards/${folder}` })),
  ],
});

const volumes = (
  name: string,
  { persistentVolumeClaim: wanted }: Spec,
  { settings, folders, datasources }: Files,
): api.Volume[] => [
  { name: 'settings', configMap: { name: settings.name } },
  {
    name: 'providers',
    configMap: {
      name: settings.name,
      items: [{ key: 'dashboards.yaml', path: 'dashboards.yaml' }],
    },
  },
  {
    name: 'datasources',
    projected: {
      sources: datasources.map((one) => ({
        secret: { name: one.name, items: [{ key: datasourceKey, path: `${one.name}.yaml` }] },
      })),
    },
  },
  wanted === undefined
    ? { name: 'data', emptyDir: {} }
    : { name: 'data', persistentVolumeClaim: { claimName: claimName(name) } },
  ...folders.map((folder, at) => ({
    name: `folder-${at}`,
    configMap: { name: folderName(name, folder) },
  })),
];

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
