import {
  type api,
  type Child,
  child,
  type configMap,
  deployment,
  rollOnChange,
  type SelectedObject,
  type secret,
  workloadName,
} from 'serverless-reconciler';
import { overlaid } from '../overlay.ts';
import {
  dashboardKey,
  datasourceKey,
  fileOf,
  folderKey,
  generalFolder,
  isPluginKey,
} from './labels.ts';
import { accountName, adminName, claimName, folderName, labelsOf } from './names.ts';
import type { Spec } from './spec.ts';

interface Files {
  readonly settings: Child;
  readonly folders: readonly string[];
  readonly dashboards: readonly SelectedObject<typeof configMap>[];
  readonly datasources: readonly SelectedObject<typeof secret>[];
  /** The Secrets that pods mount for these. */
  readonly sources: readonly { readonly name: string }[];
}

export function server(name: string, spec: Spec, files: Files): Child {
  const labels = labelsOf(name);
  const { metadata, spec: { template, ...given } = { replicas: 1 } } = spec.deployment ?? {};
  const pod: api.PodSpec = {
    serviceAccountName: accountName(name),
    securityContext: isSecured(spec, 'Pod') ? { runAsNonRoot: true, fsGroup: 472 } : undefined,
    containers: [container(name, spec, files)],
    volumes: volumes(name, spec, files),
  };
  return child(deployment, {
    name: workloadName(`${name}-deployment`),
    ...metadata,
    needs: [files.settings],
    body: {
      spec: {
        // A claim is mounted by one pod at a time.
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
        ...given,
        selector: { matchLabels: labels },
        template: {
          metadata: {
            labels: { ...template?.metadata?.labels, ...labels },
            annotations: {
              ...template?.metadata?.annotations,
              ...rollOnChange(files.settings, ...files.datasources),
            },
          },
          spec: overlaid(pod, template?.spec),
        },
      },
    },
  });
}

const isSecured = ({ disableDefaultSecurityContext: off }: Spec, what: string): boolean =>
  off !== what && off !== 'All';

const container = (name: string, spec: Spec, files: Files): api.Container => ({
  name: 'grafana',
  image: `grafana/grafana:${spec.version}`,
  env: environmentOf(spec, files),
  envFrom: spec.disableDefaultAdminSecret ? [] : [{ secretRef: { name: adminName(name) } }],
  ports: [{ name: 'grafana-http', containerPort: 3000, protocol: 'TCP' }],
  readinessProbe: { httpGet: { path: '/api/health', port: 'grafana-http' } },
  securityContext: isSecured(spec, 'Container')
    ? { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }
    : undefined,
  volumeMounts: [
    { name: 'settings', mountPath: '/etc/grafana/grafana.ini', subPath: 'grafana.ini' },
    { name: 'providers', mountPath: '/etc/grafana/provisioning/dashboards' },
    { name: 'datasources', mountPath: '/etc/grafana/provisioning/datasources' },
    { name: 'data', mountPath: '/var/lib/grafana' },
    ...files.folders.map((folder, at) => ({
      name: `folder-${at}`,
      mountPath: `/dashboards/${folder}`,
    })),
  ],
});

const volumes = (
  name: string,
  { persistentVolumeClaim: wanted }: Spec,
  { settings, folders, sources }: Files,
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
      sources: sources.map((one) => ({
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

/** The plugins that the dashboards and data sources need, and the page that the preferences name. */
function environmentOf({ preferences }: Spec, { dashboards, datasources }: Files): api.EnvVar[] {
  const keys = [
    ...dashboards.flatMap(({ data = {} }) => Object.keys(data)),
    ...datasources.flatMap(({ keys }) => keys),
  ];
  // Takes the higher of two versions of a plugin.
  const versions = new Map(
    keys
      .filter(isPluginKey)
      .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
      .map((key) => {
        const [, name = '', version = ''] = key.split('_');
        return [name, version];
      }),
  );
  const plugins = [...versions].map(([name, version]) => `${name}@${version}`).join(',');
  const home = dashboards.find(
    ({ data }) =>
      preferences !== undefined && uidOf(data?.[dashboardKey]) === preferences.homeDashboardUid,
  );
  const path = `/dashboards/${home?.data?.[folderKey] ?? generalFolder}/${home && fileOf(home)}`;
  return [
    ...(plugins === '' ? [] : [{ name: 'GF_PLUGINS_PREINSTALL_SYNC', value: plugins }]),
    ...(home === undefined
      ? []
      : [{ name: 'GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH', value: path }]),
  ];
}

/** The `uid` of a dashboard; undefined for a text that is none. */
function uidOf(text = ''): unknown {
  try {
    return (JSON.parse(text) as { readonly uid?: unknown } | null)?.uid;
  } catch {
    return undefined;
  }
}
