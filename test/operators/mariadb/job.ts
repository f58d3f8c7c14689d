import {
  type Child,
  child,
  cronJob,
  digestOf,
  job,
  type ReadObject,
  rollOnChange,
  type secret,
  Type,
  workloadName,
} from 'serverless-reconciler';
import { secondsIn } from 'serverless-reconciler/types';
import {
  type Connection,
  connectionOf,
  copied,
  isTrue,
  type Key,
  type Own,
  placeOf,
  type Servers,
} from './server.ts';

/** Matches a name that needs no escape in quotes. */
export const identifier = '^[A-Za-z0-9_.-]+$';
export const host = Type.String({
  pattern: '^[A-Za-z0-9_.:%/-]+$',
  maxLength: 255,
  default: '%',
});
/** Leaves room for what a CronJob appends. */
export const longestName = 43;

const column = (name: string, jsonPath: string) => ({ name, type: 'string' as const, jsonPath });

/** The columns of the published kinds, which begin with the condition and end with the age. */
export const columns = (...own: readonly (readonly [name: string, jsonPath: string])[]) => [
  column('Ready', '.status.conditions[?(@.type=="Ready")].status'),
  column('Status', '.status.conditions[?(@.type=="Ready")].message'),
  ...own.map(([name, jsonPath]) => column(name, jsonPath)),
  { ...column('Age', '.metadata.creationTimestamp'), type: 'date' as const },
];

/** A key of a Secret, whose value SQL contains through a variable of the shell. */
export interface Value {
  readonly variable: string;
  readonly ref: Key;
}

/** Reads a variable of the shell in SQL. The value is in base64, so that no quote in it ends anything. */
export const sqlValue = ({ variable }: Value): string =>
  `FROM_BASE64('$(printf %s "$${variable}" | base64 -w0)')`;

export interface Statement extends Own, Servers {
  /** The kind of the resource, in names of children. */
  readonly kind: 'database' | 'user' | 'grant';
  readonly sql: string;
  readonly values?: readonly Value[];
  readonly secrets?: readonly (ReadObject<typeof secret> | undefined)[];
  /** Ends a statement. */
  readonly delimiter?: string;
  readonly blocked?: Child['blocked'];
  /** True for a clean-up, which does not wait for the server to become ready. */
  readonly isLast?: true;
}

/** Executes SQL that may be executed again with the same result: once, and at each interval that the resource has. */
export function statements(what: string, given: Statement): readonly Child[] {
  const { name, kind, spec } = given;
  const once = statement(what, given);
  if (spec.requeueInterval === undefined) return once;
  const blocked = blockedBy(given);
  return [
    ...once,
    child(cronJob, {
      name: `${name}-${kind}`,
      needs: once,
      ...(blocked && { blocked }),
      body: {
        spec: {
          schedule: scheduleOf(spec.requeueInterval),
          concurrencyPolicy: 'Forbid',
          successfulJobsHistoryLimit: 1,
          jobTemplate: { spec: jobOf(given, connecting(given).connection) },
        },
      },
    }),
  ];
}

/** A Job that executes SQL on the server, as root or as the user of an external server. */
export function statement(what: string, given: Statement): readonly Child[] {
  const { name, values = [] } = given;
  const { copies, connection } = connecting(given);
  const blocked = blockedBy(given);
  const spec = jobOf(given, connection);
  return [
    ...copies,
    child(job, {
      name: workloadName(`${name}-${what}-${digestOf(spec.template.spec)}`),
      // A step runs again after other SQL; the Job that uses Secrets also whenever one of them changes.
      ...(values.length === 0 ? { step: 'each-time' } : { recreate: true }),
      ...(blocked && { blocked }),
      needs: copies,
      body: { spec },
    }),
  ];
}

function connecting(given: Statement) {
  const connection = connectionOf(given, given);
  const isElsewhere = placeOf(given) !== given.namespace;
  return isElsewhere && (given.server ?? given.external)
    ? copied(given, given.kind, connection)
    : { copies: [], connection };
}

const directory = '/connection';
/** The options of the client for these files. */
const options = { 'ca.crt': 'ssl-ca', 'tls.crt': 'ssl-cert', 'tls.key': 'ssl-key' };

function jobOf(given: Statement, { password, files, ...connection }: Connection) {
  const { values = [], secrets = [] } = given;
  const refs = [...(password ? [{ variable: 'MYSQL_PWD', ref: password }] : []), ...values];
  const env = [
    // Come first, so that they cannot refer to the values after them.
    ...Object.entries(connection).map(([name, value]) => ({ name, value })),
    ...refs.map(({ variable, ref }) => ({ name: variable, valueFrom: { secretKeyRef: ref } })),
  ];
  const sources = files.map(({ path, ref: { name, key } }) => ({
    secret: { name, items: [{ key, path }] },
  }));
  const hasFiles = files.length > 0;
  return {
    backoffLimit: 3,
    template: {
      metadata: { annotations: rollOnChange(...secrets) },
      spec: {
        // Keeps pods that failed, and so their logs.
        restartPolicy: 'Never' as const,
        containers: [
          {
            name: 'sql',
            image: 'mariadb:11.8',
            args: ['sh', '-c', scriptOf(given, files)],
            env,
            terminationMessagePolicy: 'FallbackToLogsOnError' as const,
            ...(hasFiles && { volumeMounts: [{ name: 'connection', mountPath: directory }] }),
          },
        ],
        ...(hasFiles && { volumes: [{ name: 'connection', projected: { sources } }] }),
      },
    },
  };
}

/** How often a pod executes a statement that fails, if the resource has an interval for that. */
const attempts = 100;

function scriptOf({ sql, spec, delimiter = ';' }: Statement, files: Connection['files']): string {
  const execute = [
    'mariadb --host="$HOST" --port="$PORT" --user="$USERNAME"',
    ...files.map(({ path }) => `--${options[path]}=${directory}/${path}`),
    // Without an authority to trust, any server is accepted, also one without TLS.
    files.length > 0 ? '--ssl-verify-server-cert' : '--disable-ssl-verify-server-cert',
    `--delimiter='${delimiter}' --execute "${sql.replaceAll('`', '\\`')}"`,
  ].join(' ');
  if (spec.retryInterval === undefined) return `exec ${execute}`;
  const seconds = secondsIn(spec.retryInterval);
  return `left=${attempts}; until ${execute}; do left=$((left - 1)); [ $left -gt 0 ] || exit 1; sleep ${seconds}; done`;
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

function blockedBy(given: Statement): Child['blocked'] {
  const { spec, server, external, isLast, values = [], secrets = [] } = given;
  const { name, namespace, kind, waitForIt } = spec.mariaDbRef;
  const found = server ?? external;
  const title = `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
  const names = [
    ...(found === undefined ? [title] : []),
    ...values
      .filter(({ ref }) => !secrets.find((one) => one?.name === ref.name)?.keys.includes(ref.key))
      .map(({ ref }) => `key ${ref.key} of Secret ${ref.name}`),
  ];
  const absent = placeOf(given) === given.namespace ? '' : ', or is not granted';
  if (names.length > 0)
    return { reason: 'NotFound', message: `${names.join(' and ')} does not exist${absent}` };
  if (isLast) return undefined;
  const waiting = { reason: 'ServerNotReady', transient: true };
  if (server?.spec.bootstrapFrom?.pointInTimeRecoveryRef && !isTrue(server, 'BinlogsReplayed'))
    return { ...waiting, message: `${title} has not replayed its binary logs` };
  if (waitForIt && !isTrue(found, 'Ready')) return { ...waiting, message: `${title} is not ready` };
  return given.blocked;
}
