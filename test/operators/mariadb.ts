import {
  type Child,
  child,
  defineChildType,
  defineKind,
  digestOf,
  immutable,
  immutableOptional,
  job,
  ofType,
  type ReadObject,
  rollOnChange,
  type Static,
  secret,
  Type,
  withRules,
  workloadName,
} from 'serverless-reconciler';

/** A server, which someone else runs. Its Service has its name, and its Secret the password of root. */
export const server = defineChildType<{
  spec: { port?: number; rootPasswordSecretKeyRef: { name: string; key: string } };
}>({ group: 'k8s.mariadb.com', version: 'v1alpha1', kind: 'MariaDB', plural: 'mariadbs' });

/** What a quoted name may contain without an escape. */
const identifier = '^[A-Za-z0-9_.-]+$';
const word = '^[a-z0-9_]+$';
const common = {
  mariaDbRef: Type.Object({ name: Type.String({ pattern: '^[a-z0-9-]+$', maxLength: 63 }) }),
  cleanupPolicy: Type.Enum(['Delete', 'Skip'], { default: 'Delete' }),
};
const serverOf = { type: server, name: ({ spec }: Named) => spec.mariaDbRef.name };
type Named = { readonly spec: { readonly mariaDbRef: { readonly name: string } } };

/** A database, which is dropped with its resource. */
export const database = defineKind({
  group: 'k8s.mariadb.com',
  version: 'v1alpha1',
  kind: 'Database',
  plural: 'databases',
  shortNames: ['dmdb'],
  spec: Type.Object(
    {
      ...common,
      name: Type.Optional(Type.String({ pattern: identifier, maxLength: 64 })),
      characterSet: Type.String({ pattern: word, maxLength: 64, default: 'utf8' }),
      collate: Type.String({ pattern: word, maxLength: 64, default: 'utf8_general_ci' }),
    },
    withRules(immutable('mariaDbRef'), immutableOptional('name')),
  ),
  columns: [
    { name: 'CharSet', type: 'string', jsonPath: '.spec.characterSet' },
    { name: 'MariaDB', type: 'string', jsonPath: '.spec.mariaDbRef.name' },
  ],
  samples: [{ name: 'shop', spec: { mariaDbRef: { name: 'mariadb' } } }],
  owns: [job],
  reads: { server: serverOf },
  children: ({ name, spec, reads }) => {
    const options = `CHARACTER SET ${spec.characterSet} COLLATE ${spec.collate}`;
    const it = `\`${spec.name ?? name}\``;
    const sql = `CREATE DATABASE IF NOT EXISTS ${it} ${options}; ALTER DATABASE ${it} ${options}`;
    return [statement(name, 'create', { sql, spec, server: reads.server })];
  },
  finalize({ name, spec, reads: { server } }) {
    if (spec.cleanupPolicy === 'Skip' || server === undefined) return [];
    const sql = `DROP DATABASE IF EXISTS \`${spec.name ?? name}\``;
    return [statement(name, 'drop', { sql, spec, server })];
  },
});

const userSpec = Type.Object(
  {
    ...common,
    name: Type.Optional(Type.String({ pattern: identifier, maxLength: 80 })),
    host: Type.String({ pattern: '^[A-Za-z0-9_.:%/-]+$', maxLength: 255, default: '%' }),
    maxUserConnections: Type.Integer({ minimum: 0, maximum: 100_000, default: 10 }),
    passwordSecretKeyRef: Type.Object({
      name: Type.String({ pattern: '^[a-z0-9.-]+$', maxLength: 253 }),
      key: Type.String({ pattern: '^[-._a-zA-Z0-9]+$', maxLength: 253 }),
    }),
  },
  withRules(immutable('mariaDbRef'), immutableOptional('name'), immutable('host')),
);

/** A user, whose password follows its Secret. */
export const user = defineKind({
  group: 'k8s.mariadb.com',
  version: 'v1alpha1',
  kind: 'User',
  plural: 'users',
  shortNames: ['umdb'],
  spec: userSpec,
  columns: [
    { name: 'MaxConns', type: 'integer', jsonPath: '.spec.maxUserConnections' },
    { name: 'MariaDB', type: 'string', jsonPath: '.spec.mariaDbRef.name' },
  ],
  samples: [
    {
      name: 'shop',
      spec: {
        mariaDbRef: { name: 'mariadb' },
        passwordSecretKeyRef: { name: 'shop', key: 'password' },
      },
    },
  ],
  owns: [job],
  reads: {
    server: serverOf,
    password: { type: secret, name: ({ spec }) => spec.passwordSecretKeyRef.name },
  },
  children: ({ name, spec, reads: { server, password } }) => [
    statement(name, 'create', { sql: creating(name, spec), spec, server, password }),
  ],
  finalize({ name, spec, reads: { server } }) {
    if (spec.cleanupPolicy === 'Skip' || server === undefined) return [];
    const sql = `DROP USER IF EXISTS ${account(name, spec)}`;
    return [statement(name, 'drop', { sql, spec, server })];
  },
  conditions: ['Created'],
  conditionsOf({ children }) {
    const { outcome } = ofType(children, job)[0]?.facts ?? {};
    const status = outcome === 'Complete' ? 'True' : 'False';
    return [{ type: 'Created', status, reason: outcome ?? 'Pending', message: '' }];
  },
});

const account = (name: string, { name: other, host }: Static<typeof userSpec>): string =>
  `'${other ?? name}'@'${host}'`;

/** Creates the user, or sets the password of an existing one. The shell puts the password in, in base64. */
function creating(name: string, spec: Static<typeof userSpec>): string {
  const it = account(name, spec).replaceAll("'", "''");
  const withLimit = `WITH MAX_USER_CONNECTIONS ${spec.maxUserConnections}`;
  const password = 'QUOTE(FROM_BASE64(\'$(printf %s "$PASSWORD" | base64 -w0)\'))';
  return ['CREATE USER IF NOT EXISTS', 'ALTER USER']
    .map(
      (verb) =>
        `EXECUTE IMMEDIATE CONCAT('${verb} ${it} IDENTIFIED BY ', ${password}, ' ${withLimit}')`,
    )
    .join('; ');
}

interface Statement {
  readonly sql: string;
  readonly spec: Named['spec'] & Partial<Pick<Static<typeof userSpec>, 'passwordSecretKeyRef'>>;
  readonly server: ReadObject<typeof server> | undefined;
  readonly password?: ReadObject<typeof secret> | undefined;
}

/** A Job that executes SQL on the server as root, and may do so again with the same result. */
function statement(name: string, what: 'create' | 'drop', given: Statement): Child {
  const { sql, spec, server, password } = given;
  const { name: host } = spec.mariaDbRef;
  const { port = 3306, rootPasswordSecretKeyRef: root } = server?.spec ?? {};
  const ref = what === 'create' ? spec.passwordSecretKeyRef : undefined;
  const missing = [
    ...(server === undefined ? [`MariaDB ${host}`] : []),
    ...(ref === undefined || password?.keys.includes(ref.key)
      ? []
      : [`key ${ref.key} of Secret ${ref.name}`]),
  ];
  const client = `exec mariadb --host=${host} --port=${port} --user=root --execute`;
  const env = [
    { name: 'MYSQL_PWD', valueFrom: { secretKeyRef: root ?? { name: host, key: 'password' } } },
    ...(ref === undefined ? [] : [{ name: 'PASSWORD', valueFrom: { secretKeyRef: ref } }]),
  ];
  const args = ['sh', '-c', `${client} "${sql.replaceAll('`', '\\`')}"`];
  const blocked = { reason: 'NotFound', message: `${missing.join(' and ')} does not exist` };
  return child(job, {
    name: workloadName(`${name}-${what}-${digestOf({ sql, host, port })}`),
    // A step is not run again; the Job that sets a password is, whenever its Secret changes.
    ...(ref === undefined ? { step: 'once' } : { recreate: true }),
    ...(missing.length === 0 ? {} : { blocked }),
    body: {
      spec: {
        backoffLimit: 3,
        template: {
          metadata: { annotations: rollOnChange(password) },
          spec: {
            restartPolicy: 'OnFailure',
            containers: [{ name: 'sql', image: 'mariadb:11.8', args, env }],
          },
        },
      },
    },
  });
}
