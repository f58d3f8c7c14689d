import { statefulSet } from '../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../shared/kinds/child-types/core.ts';
import type { Json, JsonObject } from '../../shared/kubernetes.ts';
import { base64, type DesiredChild, ownLabels } from './desired-child.ts';

/** Quantities in these tests, with the form in which the server stores them. */
const kept: Readonly<Record<string, string>> = { '1024Mi': '1Gi', '0.5': '500m', '2': '2' };

/** Returns quantities as the server stores them. */
const asKept = (amounts: Json | undefined): JsonObject =>
  Object.fromEntries(
    Object.entries((amounts ?? {}) as JsonObject).map(([name, value]) => [
      name,
      kept[String(value)] ?? (value as Json),
    ]),
  );

/** Lists the children of a Database with a short name. */
export function databaseChildren(name: string, spec: JsonObject): readonly DesiredChild[] {
  const labels = { app: 'database', database: name };
  const own = ownLabels('database', name);
  const credentials = `${name}-credentials`;
  return [
    {
      type: secret,
      name: credentials,
      isAdopted: true,
      once: {
        key: 'password',
        usedBy: [`StatefulSet ${name}`, `PersistentVolumeClaim data-${name}-0`],
      },
      fields: {
        metadata: { labels: own },
        data: { username: base64(spec.username), database: base64(spec.databaseName) },
      },
    },
    {
      type: statefulSet,
      name,
      needs: [`Secret ${credentials}`],
      fields: {
        metadata: { labels: { ...labels, ...own } },
        spec: {
          serviceName: name,
          replicas: spec.replicas ?? 1,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [postgres(credentials, spec)] } },
          volumeClaimTemplates: [
            {
              metadata: { name: 'data' },
              spec: {
                accessModes: ['ReadWriteOnce'],
                resources: {
                  requests: asKept({ storage: (spec.storage as JsonObject).size ?? '' }),
                },
              },
            },
          ],
        },
      },
    },
    {
      type: service,
      name,
      fields: {
        metadata: { labels: { ...labels, ...own } },
        spec: {
          type: 'ClusterIP',
          selector: labels,
          ports: [{ name: 'postgres', port: 5432, protocol: 'TCP' }],
        },
      },
    },
  ];
}

function postgres(credentials: string, { image, resources }: JsonObject): JsonObject {
  const secretKeyRef = (key: string) => ({
    valueFrom: { secretKeyRef: { name: credentials, key } },
  });
  const { requests, limits } = (resources ?? {}) as JsonObject;
  return {
    name: 'postgres',
    image: image ?? '',
    ports: [{ name: 'postgres', containerPort: 5432, protocol: 'TCP' }],
    env: [
      { name: 'POSTGRES_USER', ...secretKeyRef('username') },
      { name: 'POSTGRES_PASSWORD', ...secretKeyRef('password') },
      { name: 'POSTGRES_DB', ...secretKeyRef('database') },
      { name: 'PGDATA', value: '/var/lib/postgresql/data/pgdata' },
    ],
    volumeMounts: [{ name: 'data', mountPath: '/var/lib/postgresql/data' }],
    resources: { requests: asKept(requests), limits: asKept(limits) },
  };
}
