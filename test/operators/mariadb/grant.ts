import {
  cronJob,
  defineChildType,
  defineKind,
  immutable,
  job,
  nameAtMost,
  ofType,
  type SelectedObject,
  type Static,
  secret,
  Type,
  withRules,
} from 'serverless-reconciler';
import { columns, host, identifier, longestName, statement, statements } from './job.ts';
import { common, isTrue, type Own, placeOf, servers } from './server.ts';
import { accountOf, user } from './user.ts';

const word = '[A-Za-z0-9_]+';
/** Matches a privilege, also of some columns, such as `SELECT (id, name)`. */
const privilege = `^[A-Za-z]+( [A-Za-z]+)*( ?\\(${word}(, ?${word})*\\))?$`;
const part = { maxLength: 64, default: '*' };
const fields = ['mariaDbRef', 'database', 'table', 'username', 'host'];
const spec = Type.Object(
  {
    ...common,
    privileges: Type.Array(Type.String({ pattern: privilege, maxLength: 500 }), {
      minItems: 1,
      maxItems: 64,
    }),
    /** Here `%` stands for any text, and an underscore for itself. */
    database: Type.String({ pattern: '^([*]|([A-Za-z0-9_.%-]|\\\\[_%])+)$', ...part }),
    table: Type.String({ pattern: '^([*]|[A-Za-z0-9_.-]+)$', ...part }),
    username: Type.String({ pattern: identifier, maxLength: 80 }),
    host,
    grantOption: Type.Boolean({ default: false }),
  },
  withRules(...fields.map((field) => immutable(field))),
);
type Spec = Static<typeof spec>;
type OwnGrant = Own & { readonly spec: Spec };

const names = { group: 'k8s.mariadb.com', version: 'v1alpha1', kind: 'Grant', plural: 'grants' };
/** A Grant that another one reads. */
const other = defineChildType<{ spec: Spec; status?: { currentPrivileges?: string[] } }>(names);

/** Privileges of a user, which are revoked with their resource. */
export const grant = defineKind({
  ...names,
  shortNames: ['gmdb'],
  spec,
  columns: columns(
    ['Database', '.spec.database'],
    ['Table', '.spec.table'],
    ['Username', '.spec.username'],
    ['GrantOpt', '.spec.grantOption'],
    ['MariaDB', '.spec.mariaDbRef.name'],
  ),
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
  owns: [job, cronJob, secret],
  reads: {
    ...servers,
    users: { type: user, selector: () => ({}) },
    grants: { type: other, selector: () => ({}) },
  },
  refuse({ privileges, database, table }) {
    if (database === '*' && table !== '*') return 'a table needs its database';
    return table === '*' && privileges.some((one) => one.includes('('))
      ? 'columns need their table'
      : undefined;
  },
  children({ reads: { users, grants, ...reads }, ...own }) {
    const waiting = users.find((one) => isOf(own, one) && !isTrue(one, 'Created'));
    const blocked = waiting && {
      reason: 'UserPending',
      message: `User ${waiting.name} is not created`,
      transient: true,
    };
    const sql = granting(own.spec, besides(own, grants));
    return statements('grant', { kind: 'grant', ...own, ...reads, sql, delimiter: '//', blocked });
  },
  finalize({ reads: { users: _, grants, ...reads }, ...own }) {
    if (own.spec.cleanupPolicy === 'Skip' || !(reads.server ?? reads.external)) return [];
    const sql = revoking(own.spec, besides(own, grants));
    if (sql === undefined) return [];
    const last = { sql, delimiter: '//', isLast: true } as const;
    return statement('revoke', { kind: 'grant', ...own, ...reads, ...last });
  },
  status: { currentPrivileges: Type.Optional(Type.Array(Type.String())) },
  /** Keeps the former privileges, which are in the status that the Grant reads of itself, until others are granted. */
  statusOf({ name, spec, reads, children }) {
    const { outcome } = ofType(children, job)[0]?.facts ?? {};
    const former = reads?.grants.find((one) => one.name === name)?.status?.currentPrivileges;
    const currentPrivileges = outcome === 'Complete' ? spec?.privileges : former;
    return currentPrivileges ? { currentPrivileges } : {};
  },
});

/** The other Grants with the same user and target. */
const besides = (own: OwnGrant, grants: readonly SelectedObject<typeof other>[]) =>
  grants.flatMap((one) => (one.name !== own.name && keyOf(one) === keyOf(own) ? [one.spec] : []));

function keyOf(own: OwnGrant): string {
  const { kind, name } = own.spec.mariaDbRef;
  return JSON.stringify([kind, name, placeOf(own), targetOf(own.spec), to(own.spec)]);
}

const to = ({ username, host }: Spec): string => accountOf(username, host);

/** Escapes an underscore in the name of a whole database, where it would stand for any character. */
function targetOf({ database, table }: Spec): string {
  if (database === '*') return '*.*';
  if (table === '*') return `\`${database.replaceAll(/\\?_/g, '\\_')}\`.*`;
  return `\`${database}\`.\`${table}\``;
}

/** Grants what this and the other Grants want, and revokes what else the user has there. */
const granting = (spec: Spec, others: readonly Spec[]): string =>
  block([
    ...['ALL PRIVILEGES', grantOption].map((one) => revoke(one, spec)),
    `${grantOf(privilegesOf([spec, ...others]), spec)};`,
  ]);

function grantOf(all: readonly string[], spec: Spec): string {
  const option = all.includes(grantOption) ? ' WITH GRANT OPTION' : '';
  const privileges = all.filter((one) => one !== grantOption);
  // SQL accepts no other privilege beside all of them.
  const listed = privileges.find(isWhole) ?? privileges.join(', ');
  return `GRANT ${listed} ON ${targetOf(spec)} TO ${to(spec)}${option}`;
}

const isWhole = (privilege: string): boolean => /^all( privileges)?$/i.test(privilege);

/** Revokes what no other Grant wants, as far as the user, its privileges and the table still exist. */
function revoking(spec: Spec, others: readonly Spec[]): string | undefined {
  const needed = privilegesOf(others);
  const left = privilegesOf([spec]).filter(
    (one) => !needed.includes(one) && (one === grantOption || !needed.some(isWhole)),
  );
  const again = left.some(isWhole) && needed.length > 0 ? [guarded(grantOf(needed, spec))] : [];
  return left.length === 0 ? undefined : block([...left.map((one) => revoke(one, spec)), ...again]);
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

const revoke = (privilege: string, spec: Spec): string =>
  guarded(`REVOKE ${privilege} ON ${targetOf(spec)} FROM ${to(spec)}`);

/** Lets a statement fail if the user, its privileges or the table do not exist. */
const guarded = (statement: string): string =>
  `BEGIN DECLARE CONTINUE HANDLER FOR 1133, 1141, 1147, 1269 BEGIN END; ${statement}; END;`;

const block = (statements: readonly string[]): string =>
  `BEGIN NOT ATOMIC ${statements.join(' ')} END`;

const isOf = (own: OwnGrant, one: SelectedObject<typeof user>): boolean =>
  one.spec.mariaDbRef.kind === own.spec.mariaDbRef.kind &&
  one.spec.mariaDbRef.name === own.spec.mariaDbRef.name &&
  placeOf(one) === placeOf(own) &&
  (one.spec.name ?? one.name) === own.spec.username &&
  one.spec.host === own.spec.host;
