import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve, sep } from 'node:path';
import { findHomeDir, type KubeConfig, loadYaml, type User } from '@kubernetes/client-node';
import { createKubeConfig } from './kube-config.ts';

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
export function readKubeConfig(files = defaultFiles()): KubeConfig {
  const config = createKubeConfig();
  if (files === undefined) config.loadFromDefault();
  for (const file of files ?? []) config.mergeConfig(readFile(file), true);
  return config;
}

/** The files that `loadFromDefault` would read; undefined if there are none. */
function defaultFiles(): readonly string[] | undefined {
  // biome-ignore lint/style/noProcessEnv: the variable that kubectl reads.
  const listed = process.env.KUBECONFIG;
  if (listed) return listed.split(delimiter).filter((file) => file !== '');
  const own = join(findHomeDir() ?? '', '.kube', 'config');
  return findHomeDir() !== null && existsSync(own) ? [own] : undefined;
}

function readFile(file: string): KubeConfig {
  const directory = resolve(dirname(file));
  const text = readFileSync(file, 'utf8');
  const config = createKubeConfig();
  config.loadFromString(text);
  config.makePathsAbsolute(directory);
  const { users } = loadYaml<{ readonly users: readonly Entry[] }>(text);
  config.users = config.users.map((user, index) =>
    // Fails for a document that is not a kubeconfig.
    completed(user, (users[index] as Entry).user ?? {}, directory),
  );
  return config;
}

interface Entry {
  readonly user?: Readonly<Record<string, unknown>> | null;
}

const impersonationFields = ['as', 'as-uid', 'as-groups', 'as-user-extra'];

function completed(
  user: User,
  given: Readonly<Record<string, unknown>>,
  directory: string,
): KubeUser {
  const { tokenFile } = given;
  const command: unknown = user.exec?.command;
  return {
    ...user,
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
