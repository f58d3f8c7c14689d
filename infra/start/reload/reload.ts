import { relative } from 'node:path';
import { messageOf } from '../../../shared/cluster/cluster-errors.ts';
import type { LoadedPair } from '../functions/function-pair.ts';
import { changesBetween, type Loaded, type LoadedProject, type ProjectChanges } from './project.ts';
import { type FileWatcher, watchFiles } from './watch-files.ts';

interface ReloadOptions {
  readonly first: { readonly project: LoadedProject; readonly loaded: Loaded };
  /** Messages show paths relative to this directory. */
  readonly directory: string;
  readonly say: (text: string) => void;
  readonly load: () => Promise<Loaded>;
  /** Only loads the functions; they do not serve requests yet. */
  readonly loadFunctions: (project: LoadedProject) => Promise<LoadedPair>;
  /** Applies the changed manifests to the embedded cluster; with any other cluster, only prints a message. */
  readonly install: (changes: ProjectChanges) => Promise<void>;
  /** Called as soon as the functions of a project serve requests. */
  readonly adopt: (project: LoadedProject) => Promise<void>;
  /** Resolves to true if the user accepts the changes. The signal `newer` is aborted once a file changes again. */
  readonly approve: (
    project: LoadedProject,
    changes: ProjectChanges,
    newer: AbortSignal,
  ) => Promise<boolean>;
  /** Called after an error; perhaps no functions are serving. */
  readonly onFatal: (error: Error) => void;
}

/**
 * Watches the files of a configuration, and reloads the configuration when a file changes.
 *
 * Flow: load and check in a new process → approve → load the functions → install → serve → adopt.
 * Guarantees: one reload at a time; if a step before `serve` fails, the previous functions keep serving.
 * Caveats: if `install` fails, the manifests that it has applied stay; the next reload applies every manifest again.
 */
export function reloadOnChange(options: ReloadOptions): FileWatcher {
  let current = options.first.project;
  let pending = new Set<string>();
  let newer = new AbortController();
  let isReloading = false;

  async function reload(): Promise<void> {
    const files = [...pending];
    pending = new Set();
    newer = new AbortController();
    const loaded = await options.load();
    // If loading failed, the list of files is incomplete, so the previous files are watched, too.
    if ('error' in loaded.result) watcher.followAlso(loaded.files);
    else watcher.follow(loaded.files);
    const project = projectOf(loaded);
    if (typeof project === 'string') return options.say(refusal(project));
    for (const warning of project.warnings)
      if (!current.warnings.includes(warning)) options.say(`warning: ${warning}`);
    const changes = changesBetween(current, project, files);
    if (!(await options.approve(project, changes, newer.signal))) return;
    if (await replace(project, changes, options)) current = project;
  }

  async function reloadAll(): Promise<void> {
    isReloading = true;
    while (pending.size > 0) await reload();
    isReloading = false;
  }

  const watcher = watchFiles({
    onChange(files) {
      for (const file of files) pending.add(relative(options.directory, file));
      newer.abort();
      if (!isReloading) reloadAll().catch(options.onFatal);
    },
    onError: ({ message }) =>
      options.say(
        `changes to some files will go unnoticed: ${message}; if the error is about a system limit, raise that limit`,
      ),
  });
  watcher.follow(options.first.loaded.files);
  return watcher;
}

/** Returns false if the previous functions keep serving. */
async function replace(
  project: LoadedProject,
  changes: ProjectChanges,
  { loadFunctions, install, adopt, say }: ReloadOptions,
): Promise<boolean> {
  let functions: LoadedPair | undefined;
  try {
    functions = await loadFunctions(project);
    await install(changes);
  } catch (error) {
    await functions?.discard();
    say(refusal(messageOf(error)));
    return false;
  }
  await functions.serve();
  say(`reloaded: ${changes.text}`);
  await adopt(project);
  return true;
}

const refusal = (why: string): string =>
  `not reloaded: ${why}; the previous functions keep serving`;

const projectOf = ({ result }: Loaded): LoadedProject | string => {
  if ('error' in result) return result.error;
  const { problems } = result.project;
  return problems.length > 0 ? problems.join('\n') : result.project;
};
