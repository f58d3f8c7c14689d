import type { AuditFormat, Headers } from '../audit/envelope.ts';
import type { Credentials } from '../cluster/credentials/credentials.ts';
import { ConfigError, type Environment } from '../environment.ts';
import { openGoogle } from '../google/platform.ts';
import type { Identity } from '../identity.ts';
import { hasName, type Kind } from '../kinds/kind.ts';
import { legalHostLabel } from '../kinds/names.ts';
import { countOrPercentage, type RolloutPolicy, rolloutBudget } from '../kinds/rollout-budget.ts';
import { isClusterScoped } from '../kubernetes.ts';
import { type Severity, severities } from '../log.ts';
import { type ClusterConfig, clustersOf } from './cluster-config.ts';
import type { ReconcilerConfig } from './define-config.ts';
import type { Variable } from './variables.ts';

export interface Config {
  readonly identity: Identity;
  /** At least one. */
  readonly clusters: readonly ClusterConfig[];
  readonly kinds: readonly Kind[];
  readonly namespaces: readonly string[] | undefined;
  readonly concurrency: number;
  readonly deadlineSeconds: number;
  readonly settleSeconds: number;
  /** Returns how many unedited resources may delete children if there are `resources` in all. */
  readonly pruneLimit: (resources: number) => number;
  readonly rollout: RolloutPolicy | undefined;
  readonly dryRun: boolean;
  readonly ownIdentity: readonly string[];
  /** Shows, in Events, conditions and the log, the users (from audit entries) whose changes are repaired. */
  readonly attributeRepairs: boolean;
  readonly logLevel: Severity;
  readonly platform: Platform;
}

/** Publishes all messages, or rejects. Begins no attempt after `deadline`. */
export type Publish = (messages: readonly object[], deadline: number) => Promise<void>;

/** The services of a cloud provider, configured by environment variables. */
export interface Platform {
  readonly auditFormat: AuditFormat;
  /** `ca` is a private certificate authority, as PEM in base64. */
  readonly fromEndpoint: (endpoint: string, ca: string | undefined) => Credentials;
  /** Undefined without a topic for the fan-out. */
  readonly publish: Publish | undefined;
  /** Undefined if runs are not recorded. */
  readonly bucket: Bucket | undefined;
  /** Returns the fields by which the log viewer groups lines. */
  readonly traceFields: (headers: Headers) => Readonly<Record<string, string>>;
}

export interface Bucket {
  readonly name: string;
  /** Never replaces an object. Begins no attempt after `until`. */
  readonly upload: (name: string, content: Uint8Array, until: number) => Promise<void>;
}

/** Empty if the variable is not set. */
type Read = (name: Variable) => string;

export function parseConfig(reconciler: ReconcilerConfig, env: Environment): Config {
  const read = (name: string): string => env[name]?.trim() ?? '';
  const kinds = chosenKinds(words('KINDS', read), reconciler.kindsFor(read));
  const namespaces = namespacesOf(words('NAMESPACES', read));
  if (namespaces !== undefined) requireWithin(namespaces, kinds);
  return {
    identity: reconciler.identity,
    clusters: clustersOf(read),
    kinds,
    namespaces,
    concurrency: integer('CONCURRENCY', read),
    deadlineSeconds: integer('DEADLINE_SECONDS', read),
    settleSeconds: integer('SETTLE_SECONDS', read),
    pruneLimit: pruneLimitOf(read('PRUNE_LIMIT')),
    rollout: rolloutOf(read),
    dryRun: flag('DRY_RUN', read),
    ownIdentity: words('OWN_IDENTITY', read),
    attributeRepairs: flag('ATTRIBUTE_REPAIRS', read),
    logLevel: oneOf('LOG_LEVEL', read('LOG_LEVEL') || 'INFO', severities),
    platform: openGoogle(read),
  };
}

function rolloutOf(read: Read): RolloutPolicy | undefined {
  const text = read('ROLLOUT_BUDGET') || '10%';
  const budget = rolloutBudget(text);
  const timeoutMs = integer('ROLLOUT_TIMEOUT_SECONDS', read) * 1000;
  const failures = integer('ROLLOUT_FAILURES', read);
  if (text.toLowerCase() === 'off') return undefined;
  if (budget !== undefined) return { budget, timeoutMs, failures };
  throw new ConfigError(
    `ROLLOUT_BUDGET: "${text}" is neither a number such as 5 nor a percentage such as 10%, nor off`,
  );
}

function chosenKinds(names: readonly string[], allKinds: readonly Kind[]): readonly Kind[] {
  if (names.length === 0) return allKinds;
  const named = names.map((name) => {
    const kind = allKinds.find((candidate) => hasName(candidate, name));
    if (kind !== undefined) return kind;
    const known = allKinds.map((candidate) => candidate.kind).join(', ');
    throw new ConfigError(`KINDS: unknown kind "${name}"; known kinds: ${known}`);
  });
  return [...new Set(named)];
}

function namespacesOf(names: readonly string[]): readonly string[] | undefined {
  const bad = names.find((name) => !legalHostLabel.test(name));
  if (bad !== undefined)
    throw new ConfigError(`NAMESPACES: "${bad}" is not a namespace name; separate names by commas`);
  return names.length === 0 ? undefined : [...new Set(names)];
}

/** Refuses what the RBAC generated for NAMESPACES forbids: cluster-scoped kinds, and reads in other namespaces. */
function requireWithin(namespaces: readonly string[], kinds: readonly Kind[]): void {
  const wide = kinds.find(isClusterScoped);
  if (wide !== undefined)
    throw new ConfigError(
      `NAMESPACES: ${wide.kind} is cluster-scoped and cannot be limited to namespaces; remove NAMESPACES, or omit the kind from KINDS`,
    );
  for (const { kind, reads } of kinds)
    for (const [field, { from = [] }] of Object.entries(reads)) {
      const isWide = typeof from === 'string';
      const other = isWide ? 'all namespaces' : from.find((name) => !namespaces.includes(name));
      const remedy = isWide ? 'remove NAMESPACES' : `add ${other} to NAMESPACES`;
      if (other !== undefined)
        throw new ConfigError(
          `NAMESPACES: ${kind} reads objects in ${other} (reads.${field}); ${remedy}, or omit the kind from KINDS`,
        );
    }
}

function pruneLimitOf(text: string): Config['pruneLimit'] {
  if (text === '') return (resources) => Math.max(10, Math.floor(resources / 5));
  const limit = countOrPercentage(text);
  if (limit !== undefined) return limit;
  throw new ConfigError(
    `PRUNE_LIMIT: "${text}" is neither a number such as 25 nor a percentage such as 50%`,
  );
}

const integers = {
  CONCURRENCY: { least: 1, most: 64, otherwise: 8 },
  DEADLINE_SECONDS: { least: 5, most: 3500, otherwise: 300 },
  SETTLE_SECONDS: { least: 0, most: 600, otherwise: 15 },
  ROLLOUT_TIMEOUT_SECONDS: { least: 60, most: 99_999, otherwise: 600 },
  ROLLOUT_FAILURES: { least: 0, most: 999, otherwise: 0 },
} as const;

function integer(name: keyof typeof integers, read: Read): number {
  const { least, most, otherwise } = integers[name];
  const text = read(name);
  const value = text === '' ? otherwise : Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new ConfigError(`${name}: "${text}" is not an integer between ${least} and ${most}`);
}

const flag = (name: Variable, read: Read): boolean =>
  oneOf(name, read(name) || 'false', ['true', 'false']) === 'true';

function oneOf<T extends string>(name: Variable, text: string, allowed: readonly T[]): T {
  const choice = allowed.find((value) => value.toLowerCase() === text.toLowerCase());
  if (choice !== undefined) return choice;
  throw new ConfigError(`${name}: "${text}" is not one of ${allowed.join(', ')}`);
}

/** Refuses a list without names, such as `,`, because an empty list would silently mean the default. */
function words(name: Variable, read: Read): readonly string[] {
  const text = read(name);
  const list = text.split(',').flatMap((word) => word.trim() || []);
  if (text === '' || list.length > 0) return list;
  throw new ConfigError(
    `${name}: "${text}" is a list without names; leave ${name} unset for the default`,
  );
}
