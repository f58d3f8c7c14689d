import {
  type Child,
  child,
  configMap,
  defineKind,
  deployment,
  dnsLabel,
  labelValue,
  nameAtMost,
  objectName,
  type Static,
  service,
  Type,
  workloadName,
} from 'serverless-reconciler';
import { ResourceRequirements } from 'serverless-reconciler/types';
import { backup } from './backup.ts';

const spec = Type.Object({
  /** The PersistentVolumeClaim that contains the pages. */
  claim: Type.String({ minLength: 1, maxLength: 253 }),
  image: Type.String({ minLength: 1, default: 'dokuwiki/dokuwiki:2025-05-14b' }),
  resources: Type.Optional(ResourceRequirements),
  /** Optional backups of the pages. */
  backup: Type.Optional(
    Type.Object({
      /** The PersistentVolumeClaim that the archives are written to. */
      target: Type.String({ minLength: 1, maxLength: 253 }),
      schedule: Type.Optional(Type.String({ maxLength: 100 })),
    }),
  ),
});

type Spec = Static<typeof spec>;

/** Runs a wiki, with a Backup of its pages and a notice of the last one. */
export const wiki = defineKind({
  group: 'wiki.example.org',
  version: 'v1alpha1',
  kind: 'Wiki',
  plural: 'wikis',
  spec,
  columns: [{ name: 'Image', type: 'string', jsonPath: '.spec.image' }],
  // The name of the Backup, which has a suffix, may have at most 52 characters.
  rules: [nameAtMost(46)],
  samples: [{ name: 'wiki-sample', spec: { claim: 'pages', backup: { target: 'archives' } } }],
  owns: [configMap, deployment, service, backup],
  reads: { saved: { type: backup, name: ({ name }) => backupName(name) } },
  children({ name, spec: given, reads: { saved } }) {
    const labels = { wiki: labelValue(name) };
    return [
      notice(name, `${saved?.status?.lastSuccessfulTime ?? 'never'}`),
      server(name, labels, given),
      front(name, labels),
      ...backupOf(name, given),
    ];
  },
});

type Labels = Readonly<Record<string, string>>;

const backupName = (name: string): string => `${name}-pages`;
const noticeName = (name: string): string => objectName(`${name}-wiki-notice`);

/** A ConfigMap, because the kubelet updates its volume in running pods. */
const notice = (name: string, saved: string): Child =>
  child(configMap, { name: noticeName(name), body: { data: { saved } } });

const server = (name: string, labels: Labels, { image, claim, resources }: Spec): Child =>
  child(deployment, {
    name: workloadName(`${name}-wiki`),
    body: {
      spec: {
        replicas: 1,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [
              {
                name: 'wiki',
                image,
                resources,
                ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
                volumeMounts: [
                  { name: 'pages', mountPath: '/storage' },
                  { name: 'notice', mountPath: '/notice', readOnly: true },
                ],
              },
            ],
            volumes: [
              { name: 'pages', persistentVolumeClaim: { claimName: claim } },
              { name: 'notice', configMap: { name: noticeName(name) } },
            ],
          },
        },
      },
    },
  });

const front = (name: string, labels: Labels): Child =>
  child(service, {
    name: dnsLabel(`${name}-wiki`),
    body: {
      spec: { selector: labels, ports: [{ port: 80, protocol: 'TCP', targetPort: 'http' }] },
    },
  });

function backupOf(name: string, { claim, backup: settings }: Spec): readonly Child[] {
  if (settings === undefined) return [];
  const { target, schedule } = settings;
  const given = schedule === undefined ? {} : { schedule };
  return [
    child(backup, { name: backupName(name), body: { spec: { source: claim, target, ...given } } }),
  ];
}
