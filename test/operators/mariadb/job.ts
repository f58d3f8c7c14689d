import {
  type Child,
  child,
  cronJob,
  defineChildType,
  digestOf,
  job,
  type ReadObject,
  rollOnChange,
  type Static,
  type secret,
  Type,
  workloadName,
} from 'serverless-reconciler';
import { Duration, secondsIn } from 'serverless-reconciler/types';

const names = { group: 'k8s.mariadb.com', version: 'v1alpha1' };

/** A server that another operator runs. Its Service has its name, and its Secret the password of root. */
export const server = defineChildType<{
  spec: { port?: number; rootPasswordSecretKeyRef: { name: string; key: string } };
}>({ ...names, kind: 'MariaDB', plural: 'mariadbs' });

/** A server somewhere else. */
export const externalServer = defineChildType<{
  spec: {
    host: string;
    port?: number;
    username?: string;
    passwordSecretKeyRef?: { name: string; key: string };
  };
}>({ ...names, kind: 'ExternalMariaDB', plural: 'externalmariadbs' });

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
  mariaDbRef: Type.Object({
    name: Type.String({ pattern: '^[a-z0-9-]+$', maxLength: 63 }),
    kind: Type.Enum(['MariaDB', 'ExternalMariaDB'], { default: 'MariaDB' }),
    waitForIt: Type.Boolean({ default: true }),
  }),
  requeueInterval: Type.Optional(Duration),
  cleanupPolicy: Type.Enum(['Delete', 'Skip'], { default: 'Delete' }),
};
/** Leaves room for what a CronJob appends. */
export const longestName = 44;

const fields = Type.Object(common);
type Common = Static<typeof fields>;
type Named = { readonly spec: Common };

const named =
  (kind: Common['mariaDbRef']['kind']) =>
  ({ spec: { mariaDbRef } }: Named) =>
    mariaDbRef.kind === kind ? mariaDbRef.name : undefined;
export const servers = {
  server: { type: server, name: named('MariaDB') },
  external: { type: externalServer, name: named('ExternalMariaDB') },
};

/** A key of a Secret, whose value SQL contains through a variable of the shell. */
export interface Value {
  readonly variable: string;
  readonly ref: { readonly name: string; readonly key: string };
}

/** Reads a variable of the shell in SQL. The value is in base64, so that no quote in it ends anything. */
export const sqlValue = ({ variable }: Value): string =>
  `FROM_BASE64('$(printf %s "$${variable}" | base64 -w0)')`;

export interface Servers {
  readonly server: ReadObject<typeof server> | undefined;
  readonly external: ReadObject<typeof externalServer> | undefined;
}

export interface Statement extends Servers {
  readonly sql: string;
  readonly spec: Common;
  readonly values?: readonly Value[];
  readonly secrets?: readonly (ReadObject<typeof secret> | undefined)[];
  /** Ends a statement. */
  readonly delimiter?: string;
  readonly blocked?: Child['blocked'];
  /** True for a clean-up, which does not wait for the server to become ready. */
  readonly isLast?: true;
}

/** Executes SQL that may be executed again with the same result: once, and at each interval that the resource has. */
export function statements(name: string, what: string, given: Statement): readonly Child[] {
  const once = statement(name, what, given);
  const { requeueInterval } = given.spec;
  if (requeueInterval === undefined) return [once];
  return [
    once,
    child(cronJob, {
      name: `${name}-requeue`,
      needs: [once],
      ...(once.blocked && { blocked: once.blocked }),
      body: {
        spec: {
          schedule: scheduleOf(requeueInterval),
          concurrencyPolicy: 'Forbid',
          successfulJobsHistoryLimit: 1,
          jobTemplate: { spec: jobOf(given) },
        },
      },
    }),
  ];
}

/** A Job that executes SQL on the server, as root or as the user of an external server. */
export function statement(name: string, what: string, given: Statement): Child {
  const { sql, values = [] } = given;
  const blocked = missing(given) ?? given.blocked;
  return child(job, {
    name: workloadName(`${name}-${what}-${digestOf({ sql, ...targetOf(given) })}`),
    // A step runs again after other SQL; the Job that uses Secrets also whenever one of them changes.
    ...(values.length === 0 ? { step: 'each-time' } : { recreate: true }),
    ...(blocked && { blocked }),
    body: { spec: jobOf(given) },
  });
}

function jobOf(given: Statement) {
  const { sql, values = [], secrets = [], delimiter = ';' } = given;
  const { host, port, username, password } = targetOf(given);
  const options = `--host=${host} --port=${port} --user=${username} --delimiter='${delimiter}'`;
  const text = `exec mariadb ${options} --execute "${sql.replaceAll('`', '\\`')}"`;
  const env = [
    { name: 'MYSQL_PWD', valueFrom: { secretKeyRef: password } },
    ...values.map(({ variable, ref }) => ({ name: variable, valueFrom: { secretKeyRef: ref } })),
  ];
  return {
    backoffLimit: 3,
    template: {
      metadata: { annotations: rollOnChange(...secrets) },
      spec: {
        restartPolicy: 'OnFailure',
        containers: [{ name: 'sql', image: 'mariadb:11.8', args: ['sh', '-c', text], env }],
      },
    },
  };
}

function targetOf({ spec: { mariaDbRef }, server, external }: Statement) {
  const { name } = mariaDbRef;
  const other = { name, key: 'password' };
  if (mariaDbRef.kind === 'MariaDB') {
    const { port = 3306, rootPasswordSecretKeyRef: password = other } = server?.spec ?? {};
    return { host: name, port, username: 'root', password };
  }
  const { host = name, port = 3306, username = 'root' } = external?.spec ?? {};
  return { host, port, username, password: external?.spec.passwordSecretKeyRef ?? other };
}

const perHour = 3600;
const divisors = {
  60: [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30],
  24: [1, 2, 3, 4, 6, 8, 12],
};

/** Returns the schedule whose interval is the next one, of equal ones, that is not shorter. */
function scheduleOf(interval: string): string {
  const seconds = secondsIn(interval);
  const minutes = divisors[60].find((one) => one * 60 >= seconds);
  if (minutes !== undefined) return `*/${minutes} * * * *`;
  const hours = divisors[24].find((one) => one * perHour >= seconds);
  return hours === undefined ? '0 0 * * *' : `0 */${hours} * * *`;
}

function missing(given: Statement): Child['blocked'] {
  const { spec, server, external, isLast, values = [], secrets = [] } = given;
  const { name, kind, waitForIt } = spec.mariaDbRef;
  const found = kind === 'MariaDB' ? server : external;
  const names = [
    ...(found === undefined ? [`${kind} ${name}`] : []),
    ...values
      .filter(({ ref }) => !secrets.find((one) => one?.name === ref.name)?.keys.includes(ref.key))
      .map(({ ref }) => `key ${ref.key} of Secret ${ref.name}`),
  ];
  if (names.length > 0)
    return { reason: 'NotFound', message: `${names.join(' and ')} does not exist` };
  if (!waitForIt || isLast || isTrue(found, 'Ready')) return undefined;
  return { reason: 'ServerNotReady', message: `${kind} ${name} is not ready`, transient: true };
}

/** Reports whether a condition of an object that was read is true. */
export function isTrue(read: { readonly status?: unknown } | undefined, type: string): boolean {
  const { conditions = [] } = (read?.status ?? {}) as {
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
  };
  return conditions.some((one) => one.type === type && one.status === 'True');
}
