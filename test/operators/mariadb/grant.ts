import {
  cronJob,
  defineChildType,
  defineKind,
  immutable,
  job,
  nameAtMost,
  type SelectedObject,
  type Static,
  Type,
  withRules,
} from 'serverless-reconciler';
import {
  common,
  host,
  identifier,
  isTrue,
  longestName,
  servers,
  statement,
  statements,
} from './job.ts';
import { accountOf, user } from './user.ts';

const part = Type.String({ pattern: '^([*]|[A-Za-z0-9_.-]+)$', maxLength: 64, default: '*' });
const fields = ['mariaDbRef', 'database', 'table', 'username', 'host'];
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

const names = { group: 'k8s.mariadb.com', version: 'v1alpha1', kind: 'Grant', plural: 'grants' };
/** A Grant that another one reads. */
const other = defineChildType<{ spec: Spec }>(names);

/** Privileges of a user, which are revoked with their resource. */
export const grant = defineKind({
  ...names,
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
  rules: [nameAtMost(longestName)],
  owns: [job, cronJob],
  reads: {
    ...servers,
    users: { type: user, selector: () => ({}) },
    grants: { type: other, selector: () => ({}) },
  },
  refuse: ({ database, table }) =>
    database === '*' && table !== '*' ? 'a table needs its database' : undefined,
  children({ name, spec, reads: { users, grants, ...servers } }) {
    const waiting = users.find((one) => isOf(spec, one) && !isTrue(one, 'Created'));
    const blocked = waiting && {
      reason: 'UserPending',
      message: `User ${waiting.name} is not created`,
      transient: true,
    };
    const sql = granting(spec, besides(name, spec, grants));
    return statements(name, 'grant', { sql, spec, delimiter: '//', blocked, ...servers });
  },
  finalize({ name, spec, reads: { users: _, grants, ...servers } }) {
    if (spec.cleanupPolicy === 'Skip' || !(servers.server ?? servers.external)) return [];
    const sql = revoking(spec, besides(name, spec, grants));
    return sql === undefined
      ? []
      : [statement(name, 'revoke', { sql, spec, delimiter: '//', isLast: true, ...servers })];
  },
});

/** The other Grants with the same user and target. */
const besides = (name: string, spec: Spec, grants: readonly SelectedObject<typeof other>[]) =>
  grants.flatMap((one) => (one.name !== name && keyOf(one.spec) === keyOf(spec) ? [one.spec] : []));

const keyOf = ({ mariaDbRef: { kind, name }, database, table, username, host }: Spec): string =>
  JSON.stringify([kind, name, database, table, username, host]);

const to = ({ username, host }: Spec): string => accountOf(username, host);

/** An underscore in the name of a whole database would stand for any character. */
function targetOf({ database, table }: Spec): string {
  if (database === '*') return '*.*';
  if (table === '*') return `\`${database.replaceAll('_', '\\_')}\`.*`;
  return `\`${database}\`.\`${table}\``;
}

/** Grants what this and the other Grants want, and revokes what else the user has there. */
function granting(spec: Spec, others: readonly Spec[]): string {
  const all = privilegesOf([spec, ...others]);
  const option = all.includes(grantOption) ? ' WITH GRANT OPTION' : '';
  const privileges = all.filter((one) => one !== grantOption).join(', ');
  return block([
    ...['ALL PRIVILEGES', grantOption].map((one) => revoke(one, spec)),
    `GRANT ${privileges} ON ${targetOf(spec)} TO ${to(spec)}${option};`,
  ]);
}

/** Revokes what no other Grant wants, as far as the user, its privileges and the table still exist. */
function revoking(spec: Spec, others: readonly Spec[]): string | undefined {
  const needed = privilegesOf(others);
  const left = privilegesOf([spec]).filter((one) => !needed.includes(one));
  return left.length === 0 ? undefined : block(left.map((one) => revoke(one, spec)));
}

const grantOption = 'GRANT OPTION';

const privilegesOf = (specs: readonly Spec[]): readonly string[] => [
  ...new Set(
    specs
      .flatMap(({ privileges, grantOption: isGranted }) =>
        isGranted ? [...privileges, grantOption] : privileges,
      )
      .toSorted(),
  ),
];

/** Lets each statement that revokes fail if there is nothing to revoke. */
const revoke = (privilege: string, spec: Spec): string =>
  `BEGIN DECLARE CONTINUE HANDLER FOR 1133, 1141, 1147, 1269 BEGIN END; REVOKE ${privilege} ON ${targetOf(spec)} FROM ${to(spec)}; END;`;

const block = (statements: readonly string[]): string =>
  `BEGIN NOT ATOMIC ${statements.join(' ')} END`;

const isOf = (grant: Spec, { name, spec }: SelectedObject<typeof user>): boolean =>
  spec.mariaDbRef.name === grant.mariaDbRef.name &&
  (spec.name ?? name) === grant.username &&
  spec.host === grant.host;
