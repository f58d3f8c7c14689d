import {
  type api,
  type Child,
  child,
  type configMap,
  deployment,
  type ReadObject,
  rollOnChange,
  type SelectedObject,
  type secret,
  workloadName,
} from 'serverless-reconciler';
import { overlaid } from '../overlay.ts';
import {
  alertingKey,
  dashboardKey,
  datasourceKey,
  fileOf,
  isPluginKey,
  titleOf,
} from './labels.ts';
import {
  accountName,
  adminName,
  alertPort,
  claimName,
  folderName,
  labelsOf,
  pathOf,
} from './names.ts';
import { portOf, type Spec } from './spec.ts';

interface Named {
  readonly name: string;
}

interface Files {
  readonly settings: Child;
  readonly folders: readonly Child[];
  readonly dashboards: readonly SelectedObject<typeof configMap>[];
  readonly secrets: readonly SelectedObject<typeof secret>[];
  /** What the template of the pods refers to. */
  readonly referenced: readonly (
    | ReadObject<typeof secret>
    | ReadObject<typeof configMap>
    | undefined
  )[];
  /** The Secrets that pods mount for these. */
  readonly provisioned: Readonly<Record<'datasources' | 'alerting', readonly Named[]>>;
}

export function server(name: string, spec: Spec, files: Files): Child {
  const labels = labelsOf(name);
  const { metadata, spec: { selector, template, ...given } = {} } = spec.deployment ?? {};
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
    handsOver: ['spec.replicas'],
    body: {
      spec: {
        // A claim is mounted by one pod at a time.
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
        ...given,
        selector: { ...selector, matchLabels: { ...selector?.matchLabels, ...labels } },
        template: {
          metadata: {
            labels: { ...template?.metadata?.labels, ...labels },
            annotations: {
              ...template?.metadata?.annotations,
              ...rollOnChange(files.settings, ...files.secrets, ...files.referenced),
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
  image: /[:/@]/.test(spec.version) ? spec.version : `grafana/grafana:${spec.version}`,
  env: environmentOf(name, spec, files),
  envFrom: spec.disableDefaultAdminSecret ? [] : [{ secretRef: { name: adminName(name) } }],
  ports: [
    { name: 'grafana-http', containerPort: portOf(spec), protocol: 'TCP' },
    { name: 'grafana-alert', containerPort: alertPort, protocol: 'TCP' },
  ],
  readinessProbe: {
    httpGet: {
      path: '/api/health',
      port: 'grafana-http',
      scheme: spec.config.server?.protocol === 'https' ? 'HTTPS' : 'HTTP',
    },
  },
  securityContext: isSecured(spec, 'Container')
    ? { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }
    : undefined,
  volumeMounts: [
    { name: 'settings', mountPath: '/etc/grafana/grafana.ini', subPath: 'grafana.ini' },
    { name: 'providers', mountPath: '/etc/grafana/provisioning/dashboards' },
    { name: 'datasources', mountPath: '/etc/grafana/provisioning/datasources' },
    { name: 'alerting', mountPath: '/etc/grafana/provisioning/alerting' },
    { name: 'data', mountPath: '/var/lib/grafana' },
    ...files.folders.map((folder, at) => ({
      name: `folder-${at}`,
      mountPath: pathOf(folder),
    })),
  ],
});

const volumes = (
  name: string,
  { persistentVolumeClaim: template }: Spec,
  { settings, folders, provisioned }: Files,
): api.Volume[] => [
  { name: 'settings', configMap: { name: settings.name } },
  {
    name: 'providers',
    configMap: {
      name: settings.name,
      items: [{ key: 'dashboards.yaml', path: 'dashboards.yaml' }],
    },
  },
  { name: 'datasources', projected: projected(provisioned.datasources, datasourceKey) },
  { name: 'alerting', projected: projected(provisioned.alerting, alertingKey) },
  template === undefined
    ? { name: 'data', emptyDir: {} }
    : { name: 'data', persistentVolumeClaim: { claimName: claimName(name) } },
  ...folders.map((folder, at) => ({ name: `folder-${at}`, configMap: { name: folder.name } })),
];

/** One key of each Secret, as a file with the name of the Secret. */
const projected = (secrets: readonly Named[], key: string): api.ProjectedVolumeSource => ({
  sources: secrets.map(({ name }) => ({
    secret: { name, items: [{ key, path: `${name}.yaml` }] },
  })),
});

/** The plugins that the dashboards and data sources need, and the page that the preferences name. */
function environmentOf(
  name: string,
  { preferences }: Spec,
  { dashboards, secrets }: Files,
): api.EnvVar[] {
  const keys = [
    ...dashboards.flatMap(({ data = {} }) => Object.keys(data)),
    ...secrets.flatMap(({ keys }) => keys),
  ];
  // Takes the higher of two versions of a plugin.
  const versions = new Map(
    keys
      .filter(isPluginKey)
      .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
      .map((key) => {
        const [, plugin = '', version = ''] = key.split('_');
        return [plugin, version];
      }),
  );
  const plugins = [...versions]
    .map(([plugin, version]) => (version === 'latest' ? plugin : `${plugin}@${version}`))
    .join(',');
  const home = dashboards.find(
    ({ data }) =>
      preferences !== undefined && uidOf(data?.[dashboardKey]) === preferences.homeDashboardUid,
  );
  const path = home && `${pathOf({ name: folderName(name, titleOf(home)) })}/${fileOf(home)}`;
  return [
    // Replicas tell each other what they have notified of.
    { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    ...(plugins === '' ? [] : [{ name: 'GF_PLUGINS_PREINSTALL_SYNC', value: plugins }]),
    ...(path === undefined
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
