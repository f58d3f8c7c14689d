import {
  type api,
  type Child,
  type ChildChange,
  child,
  defineKind,
  dnsLabel,
  immutable,
  immutableOptional,
  labelValue,
  nameAtMost,
  objectName,
  ofType,
  persistentVolumeClaim,
  pullPolicyOf,
  type Rule,
  type Static,
  type StatusInput,
  secret,
  service,
  statefulSet,
  statefulSetName,
  Type,
  withRules,
} from '../index.ts';

const isPostgres: Rule = {
  rule: "self.image.contains('postgres')",
  holds: ({ image }: { readonly image: string }) => image.includes('postgres'),
  message: 'must be a PostgreSQL image',
  fieldPath: '.image',
};

/** Requests or limits of a container's resources, such as `cpu: 500m`. */
const quantities = Type.Unsafe<Readonly<Record<string, string | number>>>({
  type: 'object',
  maxProperties: 16,
  additionalProperties: {
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    'x-kubernetes-int-or-string': true,
    minimum: 0,
    pattern: '^\\+?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$',
  },
});

const storage = Type.Object(
  {
    size: Type.String({
      description: 'Capacity, such as 10Gi.',
      pattern: '^0*[1-9][0-9]*(Gi|Mi)$',
    }),
    storageClass: Type.Optional(
      Type.String({
        description: "StorageClass; default: the cluster's default class.",
        maxLength: 253,
        pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$',
      }),
    ),
  },
  withRules(immutable('size', 'storage.'), immutableOptional('storageClass', 'storage.')),
);

/** A PostgreSQL identifier. PostgreSQL truncates it to 63 bytes, which are fewer characters if some are not ASCII. */
const identifier = (description: string) =>
  Type.String({ description, minLength: 1, maxLength: 63 });

const spec = Type.Object(
  {
    image: Type.String({
      description:
        'PostgreSQL image. A server refuses the data of another major version: dump and restore it into a new Database.',
      default: 'postgres:14',
    }),
    replicas: Type.Integer({
      description:
        'Number of servers. They do not replicate: each has its own data, and a connection may reach any of them.',
      minimum: 1,
      maximum: 10,
      default: 1,
    }),
    storage,
    resources: Type.Optional(
      Type.Object({ requests: Type.Optional(quantities), limits: Type.Optional(quantities) }),
    ),
    databaseName: identifier('Name of the database that is created.'),
    username: identifier("Name of the database's owner."),
  },
  {
    description: 'A PostgreSQL server with its storage, and a password that is generated once.',
    ...withRules(isPostgres, immutable('databaseName'), immutable('username')),
  },
);

type Spec = Static<typeof spec>;

/**
 * The type StatefulSet with two more warnings in plans: a new major version cannot read the data, and
 * additional servers do not share the data.
 */
const servers: typeof statefulSet = {
  ...statefulSet,
  impact: (change) => [
    ...(isOfOtherMajor(change) ? ['data-loss' as const] : []),
    ...(addsServers(change) ? ['reroute' as const] : []),
    ...(statefulSet.impact?.(change) ?? []),
  ],
};

const isOfOtherMajor = ({ fields }: ChildChange): boolean =>
  fields.some(
    ({ path, from, to }) =>
      path === 'spec.template.spec.containers[name="postgres"].image' &&
      majorOf(from) !== majorOf(to),
  );

/** Returns the major version: `14` for `host:5000/postgres:14.2-alpine`; undefined for a tag without a version. */
const majorOf = (image: unknown): string | undefined =>
  /:(\d+)[^/:]*$/.exec(String(image).replace(/@.*/, ''))?.[1];

const addsServers = ({ fields }: ChildChange): boolean =>
  fields.some(({ path, from, to }) => path === 'spec.replicas' && Number(to) > Number(from ?? 1));

const sample = { replicas: 1, databaseName: 'mydb', username: 'admin', storage: { size: '10Gi' } };

/** A PostgreSQL server with its storage, and a password that is generated once. */
export const database = defineKind({
  group: 'database.example.com',
  version: 'v1',
  kind: 'Database',
  plural: 'databases',
  spec,
  status: {
    phase: Type.Optional(Type.String({ enum: ['Pending', 'Creating', 'Ready', 'Failed'] })),
    ready: Type.Optional(Type.Boolean()),
    endpoint: Type.Optional(Type.String()),
    secretName: Type.Optional(Type.String()),
    readyReplicas: Type.Optional(Type.Integer({ description: 'Servers that are ready.' })),
  },
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.readyReplicas',
  },
  columns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
  ],
  rules: [nameAtMost(52)],
  samples: ['my-database', 'test-db'].map((name) => ({
    name,
    spec: { image: 'postgres:14', ...sample },
  })),
  owns: [secret, servers, service],
  reads: { claims: { type: persistentVolumeClaim } },
  children({ name, spec: given }) {
    const labels = { app: 'database', database: labelValue(name) };
    return [credentials(name, given), server(name, labels, given), databaseService(name, labels)];
  },
  statusOf: (found) => ({
    phase: phaseOf(found),
    ready: found.state === 'Ready',
    secretName: secretName(found.name),
    readyReplicas: serverOf(found)?.facts.readyReplicas ?? 0,
    ...(found.state === 'Ready' ? { endpoint: endpointOf(found) } : {}),
  }),
});

function phaseOf({ state, children }: StatusInput): string {
  if (state === 'Ready') return 'Ready';
  if (state === 'Stalled') return 'Failed';
  return serverOf({ children }) === undefined ? 'Pending' : 'Creating';
}

const serverOf = ({ children }: Pick<StatusInput, 'children'>) => ofType(children, statefulSet)[0];

const port = 5432;
const endpointOf = ({ name, namespace }: StatusInput): string =>
  `${dnsLabel(name)}.${namespace}.svc.cluster.local:${port}`;

const secretName = (name: string): string => objectName(`${name}-credentials`);

const credentials = (name: string, { username, databaseName }: Spec): Child =>
  child(secret, {
    name: secretName(name),
    body: { data: { username: base64(username), database: base64(databaseName) } },
    generated: {
      keys: ['password'],
      usedBy: [
        { type: statefulSet, name: statefulSetName(name) },
        { type: persistentVolumeClaim, name: `data-${statefulSetName(name)}-0` },
      ],
    },
    onCollision: 'adopt-if-unowned',
  });

const base64 = (text: string): string => Buffer.from(text).toString('base64');

type Labels = Readonly<Record<string, string>>;

function server(name: string, labels: Labels, { storage, ...given }: Spec): Child {
  const { size, storageClass } = storage;
  const claim: api.PersistentVolumeClaim = {
    metadata: { name: 'data' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: size } },
      storageClassName: storageClass,
    },
  };
  return child(servers, {
    name: statefulSetName(name),
    labels,
    needs: [{ type: secret, name: secretName(name) }],
    body: {
      spec: {
        serviceName: dnsLabel(name),
        replicas: given.replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [postgres(name, given)] } },
        volumeClaimTemplates: [claim],
      },
    },
  });
}

function postgres(
  name: string,
  { image, resources }: Pick<Spec, 'image' | 'resources'>,
): api.Container {
  const fromSecret = (variable: string, key: string): api.EnvVar => ({
    name: variable,
    valueFrom: { secretKeyRef: { name: secretName(name), key } },
  });
  return {
    name: 'postgres',
    image,
    imagePullPolicy: pullPolicyOf(image),
    ports: [{ name: 'postgres', containerPort: port, protocol: 'TCP' }],
    env: [
      fromSecret('POSTGRES_USER', 'username'),
      fromSecret('POSTGRES_PASSWORD', 'password'),
      fromSecret('POSTGRES_DB', 'database'),
      { name: 'PGDATA', value: '/var/lib/postgresql/data/pgdata' },
    ],
    volumeMounts: [{ name: 'data', mountPath: '/var/lib/postgresql/data' }],
    readinessProbe: { exec: { command: ['sh', '-c', isReady] } },
    resources,
  };
}

/** Checks over TCP, because the server listens on the Unix socket while the image is still initializing its data. */
const isReady = `pg_isready -h 127.0.0.1 -p ${port} -U "$POSTGRES_USER" -d "$POSTGRES_DB"`;

const databaseService = (name: string, labels: Labels): Child =>
  child(service, {
    name: dnsLabel(name),
    labels,
    body: {
      spec: {
        type: 'ClusterIP',
        selector: labels,
        ports: [{ name: 'postgres', port, protocol: 'TCP', targetPort: 'postgres' }],
      },
    },
  });
