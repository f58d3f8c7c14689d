import {
  defineKind,
  immutable,
  job,
  type SelectedObject,
  type Static,
  Type,
  withRules,
} from 'serverless-reconciler';
import { common, host, identifier, serverOf, statement } from './job.ts';
import { accountOf, user } from './user.ts';

const part = Type.String({ pattern: '^([*]|[A-Za-z0-9_.-]+)$', maxLength: 64, default: '*' });
const fields = ['mariaDbRef', 'privileges', 'database', 'table', 'username', 'host', 'grantOption'];
const spec = Type.Object(
  {
    ...common,
    privileges: Type.Array(Type.String({ pattern: '^[A-Za-z]+( [A-Za-z]+)*$', maxLength: 64 }), {
      minItems: 1,
      maxItems: 64,
    }),
    database: part,
    table: part,
    username: Type.String({ pattern: identifier, maxLength: 80 }),
    host,
    grantOption: Type.Boolean({ default: false }),
  },
  withRules(...fields.map((field) => immutable(field))),
);
type Spec = Static<typeof spec>;

/** Privileges of a user, which are revoked with their resource. */
export const grant = defineKind({
  group: 'k8s.mariadb.com',
  version: 'v1alpha1',
  kind: 'Grant',
  plural: 'grants',
  shortNames: ['gmdb'],
  spec,
  columns: [
    { name: 'Database', type: 'string', jsonPath: '.spec.database' },
    { name: 'Table', type: 'string', jsonPath: '.spec.table' },
    { name: 'Username', type: 'string', jsonPath: '.spec.username' },
    { name: 'GrantOpt', type: 'boolean', jsonPath: '.spec.grantOption' },
    { name: 'MariaDB', type: 'string', jsonPath: '.spec.mariaDbRef.name' },
  ],
  samples: [
    {
      name: 'shop',
      spec: {
        mariaDbRef: { name: 'mariadb' },
        privileges: ['SELECT', 'INSERT'],
        database: 'shop',
        username: 'shop',
      },
    },
  ],
  owns: [job],
  reads: { server: serverOf, users: { type: user, selector: () => ({}) } },
  refuse: ({ database, table }) =>
    database === '*' && table !== '*' ? 'a table needs its database' : undefined,
  children({ name, spec, reads: { server, users } }) {
    const option = spec.grantOption ? ' WITH GRANT OPTION' : '';
    const sql = `GRANT ${spec.privileges.join(', ')} ON ${targetOf(spec)} TO ${to(spec)}${option}`;
    const waiting = users.find((one) => isOf(spec, one) && !isCreated(one));
    const blocked = waiting && {
      reason: 'UserPending',
      message: `User ${waiting.name} is not created`,
      transient: true,
    };
    const on = spec.mariaDbRef.name;
    return [statement(name, 'grant', { sql, on, server, ...(blocked && { blocked }) })];
  },
  finalize({ name, spec, reads: { server } }) {
    if (spec.cleanupPolicy === 'Skip' || server === undefined) return [];
    const on = spec.mariaDbRef.name;
    return [statement(name, 'revoke', { sql: revoking(spec), on, server, delimiter: '//' })];
  },
});

const to = ({ username, host }: Spec): string => accountOf(username, host);

/** An underscore in the name of a whole database would stand for any character. */
function targetOf({ database, table }: Spec): string {
  if (database === '*') return '*.*';
  if (table === '*') return `\`${database.replaceAll('_', '\\_')}\`.*`;
  return `\`${database}\`.\`${table}\``;
}

/** Revokes what there is: the user, its privileges or the table may be gone. */
function revoking(spec: Spec): string {
  const gone = '1133, 1141, 1147, 1269';
  const what = [spec.privileges.join(', '), ...(spec.grantOption ? ['GRANT OPTION'] : [])];
  const revokes = what.map((one) => `REVOKE ${one} ON ${targetOf(spec)} FROM ${to(spec)};`);
  return `BEGIN NOT ATOMIC DECLARE CONTINUE HANDLER FOR ${gone} BEGIN END; ${revokes.join(' ')} END`;
}

type User = SelectedObject<typeof user>;

const isOf = (wanted: Spec, { name, spec }: User): boolean =>
  spec.mariaDbRef.name === wanted.mariaDbRef.name &&
  (spec.name ?? name) === wanted.username &&
  spec.host === wanted.host;

const isCreated = ({ status }: User): boolean => {
  const conditions = (status?.conditions ?? []) as readonly { type?: string; status?: string }[];
  return conditions.some((one) => one.type === 'Created' && one.status === 'True');
};
