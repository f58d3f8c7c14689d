import {
  type Child,
  child,
  defineChildType,
  digestOf,
  job,
  type ReadObject,
  rollOnChange,
  type secret,
  Type,
  workloadName,
} from 'serverless-reconciler';

/** A server, which someone else runs. Its Service has its name, and its Secret the password of root. */
export const server = defineChildType<{
  spec: { port?: number; rootPasswordSecretKeyRef: { name: string; key: string } };
}>({ group: 'k8s.mariadb.com', version: 'v1alpha1', kind: 'MariaDB', plural: 'mariadbs' });

/** Matches a name that needs no escape in quotes. */
export const identifier = '^[A-Za-z0-9_.-]+$';
export const host = Type.String({
  pattern: '^[A-Za-z0-9_.:%/-]+$',
  maxLength: 255,
  default: '%',
});
export const key = Type.Object({
  name: Type.String({ pattern: '^[a-z0-9.-]+$', maxLength: 253 }),
  key: Type.String({ pattern: '^[-._a-zA-Z0-9]+$', maxLength: 253 }),
});
export const common = {
  mariaDbRef: Type.Object({ name: Type.String({ pattern: '^[a-z0-9-]+$', maxLength: 63 }) }),
  cleanupPolicy: Type.Enum(['Delete', 'Skip'], { default: 'Delete' }),
};
type Named = { readonly spec: { readonly mariaDbRef: { readonly name: string } } };
export const serverOf = { type: server, name: ({ spec }: Named) => spec.mariaDbRef.name };

/** A key of a Secret, whose value SQL contains through a variable of the shell. */
export interface Value {
  readonly variable: string;
  readonly ref: { readonly name: string; readonly key: string };
}

/** Reads a variable of the shell in SQL. The value is in base64, so that no quote in it ends anything. */
export const sqlValue = ({ variable }: Value): string =>
  `FROM_BASE64('$(printf %s "$${variable}" | base64 -w0)')`;

export interface Statement {
  readonly sql: string;
  readonly on: string;
  readonly server: ReadObject<typeof server> | undefined;
  readonly values?: readonly Value[];
  readonly secrets?: readonly (ReadObject<typeof secret> | undefined)[];
  /** Ends a statement. */
  readonly delimiter?: string;
  readonly blocked?: Child['blocked'];
}

/** A Job that executes SQL on the server as root, and may do so again with the same result. */
export function statement(name: string, what: string, given: Statement): Child {
  const { sql, on, server, values = [], secrets = [], delimiter = ';' } = given;
  const { port = 3306, rootPasswordSecretKeyRef: root } = server?.spec ?? {};
  const options = `--host=${on} --port=${port} --user=root --delimiter='${delimiter}'`;
  const env = [
    { name: 'MYSQL_PWD', valueFrom: { secretKeyRef: root ?? { name: on, key: 'password' } } },
    ...values.map(({ variable, ref }) => ({ name: variable, valueFrom: { secretKeyRef: ref } })),
  ];
  const blocked = missing(given) ?? given.blocked;
  const text = `exec mariadb ${options} --execute "${sql.replaceAll('`', '\\`')}"`;
  return child(job, {
    name: workloadName(`${name}-${what}-${digestOf({ sql, on, port })}`),
    // A step runs again after other SQL; the Job that uses Secrets also whenever one of them changes.
    ...(values.length === 0 ? { step: 'each-time' } : { recreate: true }),
    ...(blocked && { blocked }),
    body: {
      spec: {
        backoffLimit: 3,
        template: {
          metadata: { annotations: rollOnChange(...secrets) },
          spec: {
            restartPolicy: 'OnFailure',
            containers: [{ name: 'sql', image: 'mariadb:11.8', args: ['sh', '-c', text], env }],
          },
        },
      },
    },
  });
}

function missing({ on, server, values = [], secrets = [] }: Statement): Child['blocked'] {
  const names = [
    ...(server === undefined ? [`MariaDB ${on}`] : []),
    ...values
      .filter(({ ref }) => !secrets.find((one) => one?.name === ref.name)?.keys.includes(ref.key))
      .map(({ ref }) => `key ${ref.key} of Secret ${ref.name}`),
  ];
  if (names.length === 0) return undefined;
  return { reason: 'NotFound', message: `${names.join(' and ')} does not exist` };
}
