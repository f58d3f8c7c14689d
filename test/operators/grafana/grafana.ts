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
  ofType,
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
  folderUidKey,
  instanceLabel,
  placeLabel,
  titleOf,
} from './labels.ts';
import { accountName, adminName, claimName, folderName, labelsOf, pathOf } from './names.ts';
import { server } from './server.ts';
import { portOf, referencesOf, refuse, type Spec, spec } from './spec.ts';

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
    podSecrets: { type: secret, names: ({ spec }) => referencesOf(spec).secrets },
    podConfigMaps: { type: configMap, names: ({ spec }) => referencesOf(spec).configMaps },
  },
  refuse,
  children({ namespace, name, labels, spec, reads: { dashboards: found, secrets, ...pods } }) {
    const folders = foldersOf(name, found);
    const settings = child(configMap, {
      name: objectName(`${name}-ini`),
      body: {
        data: { 'grafana.ini': iniOf(spec.config), 'dashboards.yaml': providersOf(folders) },
      },
    });
    const { metadata: given, ...account } = spec.serviceAccount ?? {};
    const copies = secrets.map((one) => ({ one, copy: copyOf(one, { namespace, name }) }));
    const mounted = (is: boolean) =>
      copies.filter(({ one }) => isAlerting(one) === is).map(({ copy }) => copy);
    const provisioned = { datasources: mounted(false), alerting: mounted(true) };
    const files = {
      settings,
      folders: folders.map(({ content }) => content),
      dashboards: found.filter(isDashboard),
      secrets,
      referenced: [...pods.podSecrets, ...pods.podConfigMaps],
      provisioned,
    };
    const inherited = inheritedBy(labels);
    return [
      child(serviceAccount, { name: accountName(name), ...given, body: account }),
      settings,
      ...files.folders,
      ...copies.flatMap(({ copy }) => ('type' in copy ? [copy] : [])),
      ...(spec.disableDefaultAdminSecret ? [] : [adminSecret(name)]),
      ...claim(name, spec),
      server(name, spec, files),
      ...front(name, spec),
    ].map((one) => ({ ...one, labels: { ...one.labels, ...inherited } }));
  },
  status: {
    dashboards: Type.Optional(Type.Integer()),
    datasources: Type.Optional(Type.Integer()),
    adminUrl: Type.Optional(Type.String()),
    version: Type.Optional(Type.String()),
    replicas: Type.Optional(Type.Integer()),
    selector: Type.Optional(Type.String()),
  },
  statusOf({ name, namespace, spec, reads, children }) {
    const [to] = ofType(children, service);
    const labels = Object.entries(labelsOf(name)).map((label) => label.join('='));
    const protocol = spec?.config.server?.protocol ?? 'http';
    return {
      dashboards: reads?.dashboards.filter(isDashboard).length ?? 0,
      datasources: reads?.secrets.filter((one) => !isAlerting(one)).length ?? 0,
      replicas: ofType(children, deployment)[0]?.facts.replicas ?? 0,
      selector: labels.join(','),
      ...(spec && { version: spec.version }),
      ...(spec && to && { adminUrl: `${protocol}://${to.name}.${namespace}.svc:${portOf(spec)}` }),
    };
  },
  scale: {
    specReplicasPath: '.spec.deployment.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
});

/** The labels of a Grafana, but not those of `kubectl apply --applyset`, which would prune what has them. */
const inheritedBy = (labels: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries(labels).filter(([key]) => !key.startsWith('applyset.kubernetes.io/')),
  );

type Content = SelectedObject<typeof configMap>;

const isDashboard = ({ data }: Content): boolean => data?.[dashboardKey] !== undefined;

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

interface Folder {
  readonly title: string;
  readonly uid: string | undefined;
  readonly content: Child;
}

/** Lets Grafana look for dashboards in each folder. */
const providersOf = (folders: readonly Folder[]): string =>
  JSON.stringify({
    apiVersion: 1,
    providers: folders.map(({ title, uid, content }) => ({
      name: title,
      type: 'file',
      folder: title,
      folderUid: uid,
      allowUiUpdates: false,
      options: { path: pathOf(content) },
    })),
  });

/** One ConfigMap for each folder, because the kubelet updates it in running pods. */
function foldersOf(name: string, found: readonly Content[]): readonly Folder[] {
  const byTitle = Map.groupBy(found, titleOf);
  return [...byTitle].map(([title, all]) => ({
    title,
    uid: all.map(({ data }) => data?.[folderUidKey]).find((uid) => uid !== undefined),
    content: child(configMap, {
      name: folderName(name, title),
      body: {
        data: Object.fromEntries(
          all.filter(isDashboard).map((one) => [fileOf(one), one.data?.[dashboardKey] ?? '']),
        ),
      },
    }),
  }));
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
      body: { spec: { accessModes: ['ReadWriteOnce'], ...template.spec } },
    }),
  ];
}
