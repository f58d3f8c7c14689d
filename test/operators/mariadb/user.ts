import {
  cronJob,
  defineKind,
  immutable,
  immutableOptional,
  job,
  nameAtMost,
  ofType,
  type Static,
  secret,
  Type,
  withRules,
} from 'serverless-reconciler';
import {
  columns,
  host,
  identifier,
  longestName,
  sqlValue,
  statement,
  statements,
  type Value,
} from './job.ts';
import { common, key, servers } from './server.ts';

/** Matches a text that needs no escape in quotes. */
const distinguished = Type.Optional(
  Type.String({ pattern: '^[A-Za-z0-9 /=.,:@_+-]+$', maxLength: 500 }),
);
const spec = Type.Object(
  {
    ...common,
    name: Type.Optional(Type.String({ pattern: identifier, maxLength: 80 })),
    host,
    maxUserConnections: Type.Integer({ minimum: 0, maximum: 100_000, default: 10 }),
    /** How the user is identified: by at most one of these. With none the account is locked. */
    passwordSecretKeyRef: Type.Optional(key),
    passwordHashSecretKeyRef: Type.Optional(key),
    passwordPlugin: Type.Optional(
      Type.Object({ pluginNameSecretKeyRef: key, pluginArgSecretKeyRef: Type.Optional(key) }),
    ),
    /** Requires of connections TLS, a valid certificate, or one of this issuer and subject. */
    require: Type.Optional(
      Type.Object({
        ssl: Type.Optional(Type.Boolean()),
        x509: Type.Optional(Type.Boolean()),
        issuer: distinguished,
        subject: distinguished,
      }),
    ),
  },
  withRules(immutable('mariaDbRef'), immutableOptional('name'), immutable('host')),
);
type Spec = Static<typeof spec>;

/** A user, whose password follows its Secret. */
export const user = defineKind({
  group: 'k8s.mariadb.com',
  version: 'v1alpha1',
  kind: 'User',
  plural: 'users',
  shortNames: ['umdb'],
  spec,
  columns: columns(['MaxConns', '.spec.maxUserConnections'], ['MariaDB', '.spec.mariaDbRef.name']),
  samples: [
    {
      name: 'shop',
      spec: {
        mariaDbRef: { name: 'mariadb' },
        passwordSecretKeyRef: { name: 'shop', key: 'password' },
      },
    },
    { name: 'locked', spec: { mariaDbRef: { name: 'mariadb' } } },
  ],
  rules: [nameAtMost(longestName)],
  owns: [job, cronJob, secret],
  reads: {
    ...servers,
    secrets: {
      type: secret,
      names: ({ spec }) => [...new Set(valuesOf(spec).map(({ ref }) => ref.name))],
    },
  },
  refuse({ passwordSecretKeyRef, passwordHashSecretKeyRef, passwordPlugin, require = {} }) {
    if (countOf(passwordSecretKeyRef, passwordHashSecretKeyRef, passwordPlugin) > 1)
      return 'set at most one of passwordSecretKeyRef, passwordHashSecretKeyRef and passwordPlugin';
    const { ssl, x509, issuer, subject } = require;
    return countOf(ssl || undefined, x509 || undefined, issuer ?? subject) > 1
      ? 'require only one of ssl, x509, and issuer with subject'
      : undefined;
  },
  children: ({ reads, ...own }) =>
    statements('create', {
      kind: 'user',
      ...own,
      ...reads,
      sql: creating(own.name, own.spec),
      values: valuesOf(own.spec),
    }),
  finalize({ reads: { secrets: _, ...reads }, ...own }) {
    const { cleanupPolicy, name = own.name, host } = own.spec;
    if (cleanupPolicy === 'Skip' || !(reads.server ?? reads.external)) return [];
    const sql = `DROP USER IF EXISTS ${accountOf(name, host)}`;
    return statement('drop', { kind: 'user', ...own, ...reads, sql, isLast: true });
  },
  conditions: ['Created'],
  conditionsOf({ children }) {
    const { outcome } = ofType(children, job)[0]?.facts ?? {};
    const status = outcome === 'Complete' ? 'True' : 'False';
    return [{ type: 'Created', status, reason: outcome ?? 'Pending', message: '' }];
  },
});

const countOf = (...all: readonly unknown[]): number =>
  all.filter((one) => one !== undefined).length;

export const accountOf = (name: string, host: string): string => `'${name}'@'${host}'`;

const valuesOf = (spec: Spec): readonly Value[] =>
  Object.entries({
    PASSWORD: spec.passwordSecretKeyRef,
    HASH: spec.passwordHashSecretKeyRef,
    PLUGIN: spec.passwordPlugin?.pluginNameSecretKeyRef,
    ARGUMENT: spec.passwordPlugin?.pluginArgSecretKeyRef,
  }).flatMap(([variable, ref]) => (ref === undefined ? [] : [{ variable, ref }]));

/** How SQL introduces the value of each variable, and quotes it. */
const introduced: Readonly<Record<string, (value: string) => string>> = {
  PASSWORD: (value) => `' IDENTIFIED BY ', QUOTE(${value})`,
  HASH: (value) => `' IDENTIFIED BY PASSWORD ', QUOTE(${value})`,
  PLUGIN: (value) => `' IDENTIFIED VIA \`', REPLACE(${value}, '\`', '\`\`'), '\`'`,
  ARGUMENT: (value) => `' USING ', QUOTE(${value})`,
};

/** Creates the user, or changes an existing one. */
function creating(name: string, spec: Spec): string {
  const it = quoted(accountOf(spec.name ?? name, spec.host));
  const values = valuesOf(spec);
  const identified = values.map((value) => introduced[value.variable]?.(sqlValue(value)));
  const limit = `WITH MAX_USER_CONNECTIONS ${spec.maxUserConnections}`;
  const required = requiredOf(spec);
  const isOpen = values.length > 0 || required !== 'NONE';
  const lock = isOpen ? 'ACCOUNT UNLOCK' : 'ACCOUNT LOCK PASSWORD EXPIRE';
  // A user with a certificate alone has no password, also if there was one before.
  const none = isOpen && values.length === 0 ? quoted(" IDENTIFIED BY ''") : '';
  const rest = `'${none} REQUIRE ${quoted(required)} ${limit} ${lock}'`;
  return ['CREATE USER IF NOT EXISTS', 'ALTER USER']
    .map((verb) => [`'${verb} ${it}'`, ...identified, rest].join(', '))
    .map((parts) => `EXECUTE IMMEDIATE CONCAT(${parts})`)
    .join('; ');
}

const quoted = (sql: string): string => sql.replaceAll("'", "''");

function requiredOf({ require: { ssl, x509, issuer, subject } = {} }: Spec): string {
  const named = [
    ...(issuer === undefined ? [] : [`ISSUER '${issuer}'`]),
    ...(subject === undefined ? [] : [`SUBJECT '${subject}'`]),
  ];
  if (named.length > 0) return named.join(' AND ');
  if (x509 === true) return 'X509';
  return ssl === true ? 'SSL' : 'NONE';
}
