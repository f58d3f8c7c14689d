import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Environment } from '../../../shared/environment.ts';
import { ConfigError } from '../../../shared/environment.ts';
import type { ResourceType } from '../../../shared/kubernetes.ts';
import type { RecordingKind } from '../../../shared/plan/observed/recorded-status.ts';
import type { InstalledManifest } from '../../generate/install.ts';
import { compileCache, sourceExtension } from '../../package-root.ts';
import type { RelayedTypes } from '../audit-relay/relay.ts';
import type { Digests } from './watch-files.ts';

/** The content of a configuration, as data. The code of its kinds runs in other processes, which can be replaced. */
export interface LoadedProject {
  readonly name: string;
  /** Errors in the kinds: messages with the kind, the location and usually a remedy. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  readonly kinds: readonly LoadedKind[];
  /** The manifests to apply on the embedded cluster. */
  readonly manifests: readonly InstalledManifest[];
  readonly settings: readonly string[];
  readonly localEnvironment: Readonly<Record<string, string>>;
  readonly audited: RelayedTypes;
}

export interface LoadedKind extends ResourceType, RecordingKind {
  /**
   * A digest that shows whether the kind has changed: its CRD, or the references, children and clean-up of its samples.
   * Empty if the project has problems.
   */
  readonly digest: string;
}

export interface Loaded {
  readonly result: { readonly project: LoadedProject } | { readonly error: string };
  /** The files outside node_modules that were read, or would be read if they existed. */
  readonly files: Digests;
}

export interface LoadOptions {
  readonly config: string;
  readonly user: string;
  readonly samples: boolean;
}

const loadTimeoutMs = 60_000;

/** Loads a configuration in a new process, because Node loads a module only once in each process. */
export async function loadProject(options: LoadOptions, env: Environment): Promise<Loaded> {
  const child = fork(
    join(import.meta.dirname, `load-process${sourceExtension}`),
    [JSON.stringify(options)],
    {
      env: { NODE_COMPILE_CACHE: compileCache, ...env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      timeout: loadTimeoutMs,
    },
  );
  // Kills the child process when this process exits, because its kinds may be in an endless loop.
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const loaded = Promise.withResolvers<Loaded>();
  const failed = (why: string): void =>
    loaded.resolve({ result: { error: `${options.config} ${why}` }, files: {} });
  child.once('message', (message) => loaded.resolve(message as Loaded));
  child.once('error', ({ message }) => failed(`cannot be loaded: ${message}`));
  child.once('exit', (code, signal) => {
    const [how, remedy] =
      signal === null
        ? [
            `exited with ${code}`,
            'every top-level await settles, and that no module calls process.exit',
          ]
        : [`was killed by ${signal}`, 'it has enough memory'];
    failed(
      // The timeout sets `killed`; a signal from the system, for example when memory is short, does not.
      child.killed
        ? `was not loaded within ${loadTimeoutMs / 1000} s (${signal}); look for an endless loop`
        : `cannot be loaded: the process ${how} while it loaded the file; make sure that ${remedy}`,
    );
  });
  return loaded.promise;
}

export function requireProject({ result }: Loaded): LoadedProject {
  if ('error' in result) throw new ConfigError(result.error);
  return result.project;
}

/** The functions' context in the embedded cluster's kubeconfig. */
export const embeddedContext = 'reconciler';

export const environmentOf = (
  { localEnvironment }: Pick<LoadedProject, 'localEnvironment'>,
  env: Environment,
): Environment => ({
  // Turns rollouts off on the embedded cluster, so that a saved file affects all resources at once.
  ...(env.CLUSTER_CONTEXT === embeddedContext ? { ROLLOUT_BUDGET: 'off' } : {}),
  ...localEnvironment,
  // Has an effect only on the embedded cluster, because no relay delivers audit entries of another cluster.
  ATTRIBUTE_REPAIRS: 'true',
  ...env,
});

export interface ProjectChanges {
  /** Names the changed kinds (`Cache changed`), or the changed files if no kind has changed. */
  readonly text: string;
  readonly manifests: readonly InstalledManifest[];
  /** The kinds that existed before and still exist. */
  readonly kept: readonly string[];
}

export function changesBetween(
  before: LoadedProject,
  now: LoadedProject,
  files: readonly string[],
): ProjectChanges {
  const known = new Map(before.kinds.map((one) => [one.kind, one.digest]));
  const applied = new Map(before.manifests.map(({ path, manifest }) => [path, textOf(manifest)]));
  const different = now.kinds.flatMap(({ kind, digest }) => {
    if (!known.has(kind)) return [`${kind} added`];
    return known.get(kind) === digest ? [] : [`${kind} changed`];
  });
  const removed = before.kinds
    .filter(({ kind }) => !now.kinds.some((one) => one.kind === kind))
    .map(({ kind }) => `${kind} removed, its CRD and resources stay`);
  const named = [...different, ...removed];
  return {
    text: (named.length > 0 ? named : [`${files.join(', ')} changed`]).join('; '),
    manifests: now.manifests.filter(({ path, manifest }) => applied.get(path) !== textOf(manifest)),
    kept: now.kinds.map(({ kind }) => kind).filter((kind) => known.has(kind)),
  };
}

const textOf = (manifest: object): string => JSON.stringify(manifest);

/** `customresourcedefinitions/caches.example.org` */
export const shortName = ({ path }: InstalledManifest): string =>
  path.split('/').slice(-2).join('/');
