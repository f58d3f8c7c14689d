import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { stringify } from 'yaml';
import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import { decisiveVariables } from '../../shared/config/variables.ts';
import type { Environment } from '../../shared/environment.ts';
import { writePrivateFile } from '../private-file.ts';
import { settingsExtension } from '../settings-extension.ts';
import { StartError } from './functions/start-error.ts';
import { embeddedContext } from './reload/project.ts';

interface KubeconfigOptions {
  readonly server: string;
  readonly token: string;
  /** The functions' environment. With it, commands make the same plans as the functions. */
  readonly settings: Environment;
  /** Names of the variables to copy from `settings` into the kubeconfig. */
  readonly names: readonly string[];
}

/** The variables that the functions and the commands read, except those of `settings` in the configuration. */
export const sharedVariables = ['OWN_IDENTITY', ...decisiveVariables, 'INTERVAL'] as const;

/** Has two contexts: `local` for the administrator, and `reconciler` for the functions. */
export function kubeconfigOf({ server, token, settings, names }: KubeconfigOptions): string {
  const extension = Object.fromEntries(
    names.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]])),
  );
  const extensions = [{ name: settingsExtension, extension }];
  const context = (user: string) => ({ cluster: 'local', user, namespace: 'default', extensions });
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'local', cluster: { server } }],
    users: [
      { name: 'administrator', user: {} },
      { name: embeddedContext, user: { token } },
    ],
    contexts: [
      { name: 'local', context: context('administrator') },
      { name: embeddedContext, context: context(embeddedContext) },
    ],
    'current-context': 'local',
  };
  // Quotes strings such as `off`, because kubectl reads YAML 1.1.
  return stringify(config, { compat: 'yaml-1.1', aliasDuplicateObjects: false });
}

/** Keeps the file if another `npm start` has replaced it. */
export function removeKubeconfig(file: string, token: string): void {
  try {
    if (readFileSync(file, 'utf8').includes(token)) rmSync(file);
  } catch {
    // The file no longer exists.
  }
}

/** Makes the file readable only by its owner, because it holds a token. */
export function writeKubeconfig(file: string, content: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writePrivateFile(file, content);
  } catch (error) {
    throw new StartError(
      `${file} cannot be written: ${messageOf(error)}; start from a copy of this directory that you can write to, or use a cluster of your own with --context NAME`,
    );
  }
}
