import { createHash } from 'node:crypto';
import { existsSync, type FSWatcher, readFileSync, watch } from 'node:fs';
import { dirname, relative, sep } from 'node:path';

/** Digests of files by absolute path; empty for a file that cannot be read. */
export type Digests = Readonly<Record<string, string>>;

export function fileDigest(file: string): string {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('base64');
  } catch {
    return '';
  }
}

export interface FileWatcher {
  /** Watches only these files from now on. Reports at once the files whose digests already differ. */
  readonly follow: (files: Digests) => void;
  readonly followAlso: (files: Digests) => void;
  readonly stop: () => void;
}

interface WatchOptions {
  readonly onChange: (files: readonly string[]) => void;
  /** Called if some changes will go unnoticed. */
  readonly onError: (error: Error) => void;
}

/** After this time without events, files are compared, because an editor or a checkout writes several times. */
const quietMs = 100;

/**
 * Reports files whose content has changed.
 *
 * Flow: watches directories, because editors save by replacing a file, which would end a watch of the file itself.
 * After an event about one of the files, waits until no more events come, and compares all digests.
 * Caveats: for a file in a missing directory, watches the nearest existing directory above it.
 */
export function watchFiles({ onChange, onError }: WatchOptions): FileWatcher {
  let known: Digests = {};
  let watchers: readonly FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;

  function compare(): void {
    // Opens all watchers again, because a directory may have been replaced with another one of the same name.
    for (const watcher of watchers) watcher.close();
    watchers = [...namesByDirectory(Object.keys(known))].flatMap(open);
    const now = Object.fromEntries(Object.keys(known).map((file) => [file, fileDigest(file)]));
    const changed = Object.keys(now).filter((file) => now[file] !== known[file]);
    known = now;
    if (changed.length > 0) onChange(changed);
  }

  function open([directory, names]: readonly [string, ReadonlySet<string>]): FSWatcher[] {
    try {
      const watcher = watch(directory, (_, name) => {
        if (name !== null && !names.has(name)) return;
        clearTimeout(timer);
        timer = setTimeout(compare, quietMs);
      });
      return [watcher.on('error', onError)];
    } catch (error) {
      onError(error as Error);
      return [];
    }
  }

  function follow(files: Digests): void {
    known = files;
    clearTimeout(timer);
    compare();
  }

  return {
    follow,
    followAlso: (files) => follow({ ...known, ...files }),
    stop() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}

/**
 * Maps each watched directory to the names to watch in it. For `kinds/cache.ts` this is `cache.ts` in `kinds/` or, as
 * long as there is no `kinds/`, the name `kinds` in the directory above.
 */
function namesByDirectory(files: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const file of files) {
    let directory = dirname(file);
    while (!existsSync(directory) && directory !== dirname(directory))
      directory = dirname(directory);
    const [name = ''] = relative(directory, file).split(sep);
    found.set(directory, (found.get(directory) ?? new Set()).add(name));
  }
  return found;
}
