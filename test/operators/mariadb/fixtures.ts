import { definitionOf } from '../definition.ts';
import { externalServer, server } from './server.ts';

const apiVersion = 'k8s.mariadb.com/v1alpha1';
const status = { conditions: [{ type: 'Ready', status: 'True' }] };
const root = { name: 'root', key: 'password' };
const tls = { enabled: true };

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
}

const mariadb = (metadata: Metadata, spec: object) => ({
  apiVersion,
  kind: 'MariaDB',
  metadata: { ...metadata },
  status,
  spec: { rootPasswordSecretKeyRef: root, ...spec },
});
const external = (name: string, spec: object) => ({
  apiVersion,
  kind: 'ExternalMariaDB',
  metadata: { name },
  status,
  spec: { host: 'db.example.org', username: 'admin', passwordSecretKeyRef: root, ...spec },
});
const secretWith = (metadata: Metadata, ...keys: readonly string[]) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { ...metadata },
  data: Object.fromEntries(keys.map((key) => [key, 'cm9vdA=='])),
});
/** The metadata of what the owner of the namespace `platform` shares with these kinds in all others. */
const shared = (name: string) => ({
  name,
  namespace: 'platform',
  labels: { 'k8s.mariadb.com/watch': '' },
  annotations: {
    'serverless-reconciler/readable-by': ['databases', 'users', 'grants']
      .map((plural) => `*/${plural}.k8s.mariadb.com`)
      .join(),
  },
});

const replicated = { replication: { enabled: true }, tls };
const oneSided = { ...tls, serverCASecretRef: { name: 'root' }, mutual: false };

/** Servers and their Secrets: with TLS, replicated, outside the cluster, and in another namespace. */
export const given = [
  definitionOf(server),
  definitionOf(externalServer),
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'platform' } },
  mariadb({ name: 'mariadb' }, {}),
  mariadb({ name: 'replicated' }, replicated),
  mariadb(shared('shared'), replicated),
  external('far', {}),
  external('safe', { tls: oneSided }),
  secretWith({ name: 'root' }, 'password', 'ca.crt'),
  secretWith({ name: 'shop' }, 'password'),
  secretWith({ name: 'replicated-ca-bundle' }, 'ca.crt'),
  secretWith({ name: 'replicated-client-cert' }, 'tls.crt', 'tls.key'),
  secretWith(shared('root'), 'password'),
  secretWith(shared('shared-ca-bundle'), 'ca.crt'),
  secretWith(shared('shared-client-cert'), 'tls.crt', 'tls.key'),
];
