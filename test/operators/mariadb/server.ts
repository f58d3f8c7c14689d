import {
  child,
  defineChildType,
  objectName,
  type ReadObject,
  type SelectedObject,
  type Static,
  secret,
  secretValue,
  Type,
} from 'serverless-reconciler';
import { Duration } from 'serverless-reconciler/types';

/** A key of a Secret. */
export const key = Type.Object({
  name: Type.String({ pattern: '^[a-z0-9.-]+$', maxLength: 253 }),
  key: Type.String({ pattern: '^[-._a-zA-Z0-9]+$', maxLength: 253 }),
});
export type Key = Static<typeof key>;

interface Tls {
  readonly enabled: boolean;
  readonly clientCertSecretRef?: { readonly name: string };
}
interface Topology {
  readonly enabled: boolean;
}

const names = { group: 'k8s.mariadb.com', version: 'v1alpha1' };

/** A server that another operator runs. */
export const server = defineChildType<{
  spec: {
    port?: number;
    rootPasswordSecretKeyRef?: Key;
    replication?: Topology;
    galera?: Topology;
    bootstrapFrom?: { pointInTimeRecoveryRef?: object };
    tls?: Tls;
  };
}>({ ...names, kind: 'MariaDB', plural: 'mariadbs' });

/** A server somewhere else. */
export const externalServer = defineChildType<{
  spec: {
    host: string;
    port?: number;
    username?: string;
    passwordSecretKeyRef?: Key;
    tls?: Tls & { mutual?: boolean; serverCASecretRef?: { name: string } };
  };
}>({ ...names, kind: 'ExternalMariaDB', plural: 'externalmariadbs' });

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
export const common = {
  mariaDbRef: Type.Object({
    name: Type.String({ pattern: '^[a-z0-9-]+$', maxLength: 63 }),
    namespace: Type.Optional(Type.String({ pattern: `^${label}$`, maxLength: 63 })),
    kind: Type.Enum(['MariaDB', 'ExternalMariaDB'], { default: 'MariaDB' }),
    waitForIt: Type.Boolean({ default: true }),
  }),
  requeueInterval: Type.Optional(Duration),
  retryInterval: Type.Optional(Duration),
  cleanupPolicy: Type.Enum(['Delete', 'Skip'], { default: 'Delete' }),
};
const fields = Type.Object(common);
export type Common = Static<typeof fields>;

export interface Own {
  readonly name: string;
  readonly namespace: string;
  readonly spec: Common;
}

const named =
  (kind: Common['mariaDbRef']['kind']) =>
  ({ spec: { mariaDbRef } }: Own) => {
    const { name, namespace } = mariaDbRef;
    if (mariaDbRef.kind !== kind) return undefined;
    return namespace === undefined ? name : { name, namespace };
  };
const watched = {
  matchExpressions: [{ key: 'k8s.mariadb.com/watch', operator: 'Exists' as const }],
};
export const servers = {
  server: { type: server, name: named('MariaDB'), from: 'granted' as const },
  external: { type: externalServer, name: named('ExternalMariaDB'), from: 'granted' as const },
  /** The Secrets that the owner of a server elsewhere labels and grants. */
  shared: {
    type: secret,
    selector: (own: Own) => (placeOf(own) === own.namespace ? undefined : watched),
    from: 'granted' as const,
  },
};

export interface Servers {
  readonly server: ReadObject<typeof server> | undefined;
  readonly external: ReadObject<typeof externalServer> | undefined;
  readonly shared: readonly SelectedObject<typeof secret>[];
}

/** The namespace of the server. */
export const placeOf = ({ namespace, spec }: Own): string => spec.mariaDbRef.namespace ?? namespace;

/** How a client reaches a server: by these variables, a password, and for TLS certificates. */
export interface Connection {
  readonly HOST: string;
  readonly PORT: string;
  readonly USERNAME: string;
  readonly password?: Key | undefined;
  readonly files: readonly File[];
}
interface File {
  readonly path: 'ca.crt' | 'tls.crt' | 'tls.key';
  readonly ref: Key;
}

export function connectionOf(own: Own, { server, external }: Servers): Connection {
  const { kind, name } = own.spec.mariaDbRef;
  if (kind === 'MariaDB') {
    const { port = 3306, rootPasswordSecretKeyRef, replication, galera, tls } = server?.spec ?? {};
    const isReplicated = replication?.enabled === true || galera?.enabled === true;
    return {
      HOST: `${name}${isReplicated ? '-primary' : ''}.${placeOf(own)}.svc`,
      PORT: String(port),
      USERNAME: 'root',
      password: keyIn(rootPasswordSecretKeyRef ?? { name: `${name}-root`, key: 'password' }),
      files: tls?.enabled ? [authority(`${name}-ca-bundle`), ...client(name, tls)] : [],
    };
  }
  const {
    host,
    port = 3306,
    username = 'root',
    passwordSecretKeyRef,
    tls,
  } = external?.spec ?? { host: name };
  return {
    HOST: host,
    PORT: String(port),
    USERNAME: username,
    password: passwordSecretKeyRef && keyIn(passwordSecretKeyRef),
    files: tls?.enabled
      ? [
          authority(tls.serverCASecretRef?.name ?? `${name}-ca-bundle`),
          ...(tls.mutual === false ? [] : client(name, tls)),
        ]
      : [],
  };
}

/** Omits other fields of the reference, such as whether the password is generated. */
const keyIn = ({ name, key }: Key): Key => ({ name, key });

const file = (path: File['path'], name: string): File => ({ path, ref: { name, key: path } });

const authority = (name: string): File => file('ca.crt', name);

function client(server: string, { clientCertSecretRef }: Tls): readonly File[] {
  const name = clientCertSecretRef?.name ?? `${server}-client-cert`;
  return [file('tls.crt', name), file('tls.key', name)];
}

/** Copies what a connection to a server elsewhere needs, and returns the connection that uses the copy. */
export function copied(own: Own, kind: string, { password, files, ...rest }: Connection) {
  const name = objectName(`${own.name}-${kind}-connection`);
  const copyOf = (ref: Key) => secretValue({ name: ref.name, namespace: placeOf(own) }, ref.key);
  const templates = {
    ...(password && { password: copyOf(password) }),
    ...Object.fromEntries(files.map(({ path, ref }) => [path, copyOf(ref)])),
  };
  return {
    copies: [child(secret, { name, body: {}, templates })],
    connection: {
      ...rest,
      password: password && { name, key: 'password' },
      files: files.map(({ path }) => file(path, name)),
    },
  };
}

/** Reports whether a condition of an object that was read is true. */
export function isTrue(read: { readonly status?: unknown } | undefined, type: string): boolean {
  const { conditions = [] } = (read?.status ?? {}) as {
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
  };
  return conditions.some((one) => one.type === type && one.status === 'True');
}
