import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve, sep } from 'node:path';
import type { Cluster, Context, User } from '@kubernetes/client-node';
import { newClusters, newContexts, newUsers } from '@kubernetes/client-node/dist/config_types.js';
import { load } from 'js-yaml';

/** What one or several files say. */
export interface Kubeconfig {
  readonly clusters: readonly Cluster[];
  readonly users: readonly KubeUser[];
  readonly contexts: readonly Context[];
}

/** A user of the kubeconfig, with the fields that client-node drops. */
export interface KubeUser extends User {
  /** Absolute. */
  readonly tokenFile?: string | undefined;
  /** The fields by which the user impersonates another. */
  readonly impersonation?: readonly string[];
}

/**
 * The kubeconfig from `files`, or else from `KUBECONFIG`, `~/.kube/config` or the cluster we run in.
 *
 * Guarantees: a relative path is resolved against the directory of the file that contains it.
 */
export async function readKubeconfig(files = defaultFiles()): Promise<Kubeconfig> {
  if (files !== undefined) return merged(files.map(readFile));
  const { createKubeConfig } = await import('./kube-config.ts');
  const config = createKubeConfig();
  config.loadFromDefault();
  return config;
}

/** The files that kubectl reads; undefined if there are none. */
function defaultFiles(): readonly string[] | undefined {
  // biome-ignore lint/style/noProcessEnv: the variables that kubectl reads.
  const { KUBECONFIG: listed, HOME, HOMEDRIVE = '', HOMEPATH, USERPROFILE } = process.env;
  if (listed) return listed.split(delimiter).filter((file) => file !== '');
  const onWindows = [HOMEPATH && `${HOMEDRIVE}${HOMEPATH}`, USERPROFILE];
  const own = [HOME, ...(process.platform === 'win32' ? onWindows : [])]
    .map((home) => (home ? join(home, '.kube', 'config') : ''))
    .find((file) => existsSync(file));
  return own === undefined ? undefined : [own];
}

const merged = (all: readonly Kubeconfig[]): Kubeconfig => ({
  clusters: distinct(
    'cluster',
    all.flatMap(({ clusters }) => clusters),
  ),
  users: distinct(
    'user',
    all.flatMap(({ users }) => users),
  ),
  contexts: distinct(
    'context',
    all.flatMap(({ contexts }) => contexts),
  ),
});

function distinct<T extends { readonly name: string }>(what: string, all: readonly T[]) {
  const names = all.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice === undefined) return all;
  throw new Error(`Duplicate ${what}: ${twice}`);
}

function readFile(file: string): Kubeconfig {
  const directory = resolve(dirname(file));
  const given = load(readFileSync(file, 'utf8')) as Given;
  if ((given.kind ?? 'Config') !== 'Config') throw new Error('its kind is not Config');
  return {
    clusters: newClusters(given.clusters).map((cluster) => ({
      ...cluster,
      ...located(directory, { caFile: cluster.caFile }),
    })),
    users: newUsers(given.users).map((user, at) =>
      completed(user, given.users?.[at]?.user ?? {}, directory),
    ),
    contexts: newContexts(given.contexts),
  };
}

/** Absolute paths; none for a field without one. */
function located<Field extends string>(
  directory: string,
  paths: Readonly<Record<Field, string | undefined>>,
): Partial<Record<Field, string>> {
  const given = Object.entries(paths).filter((entry): entry is [string, string] => !!entry[1]);
  return Object.fromEntries(
    given.map(([field, path]) => [field, resolve(directory, path)]),
  ) as Partial<Record<Field, string>>;
}

interface Given {
  readonly kind?: unknown;
  readonly clusters?: unknown;
  readonly users?: readonly { readonly user?: Readonly<Record<string, unknown>> | null }[];
  readonly contexts?: unknown;
}

const impersonationFields = ['as', 'as-uid', 'as-groups', 'as-user-extra'];

function completed(
  user: User,
  given: Readonly<Record<string, unknown>>,
  directory: string,
): KubeUser {
  const { tokenFile } = given;
  const { certFile, keyFile } = user;
  const command: unknown = user.exec?.command;
  return {
    ...user,
    ...located(directory, { certFile, keyFile }),
    exec:
      typeof command === 'string' && command.includes(sep)
        ? { ...user.exec, command: resolve(directory, command) }
        : user.exec,
    tokenFile: tokenFile ? resolve(directory, String(tokenFile)) : undefined,
    impersonation: impersonationFields.filter((field) => isFilled(given[field])),
  };
}

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
