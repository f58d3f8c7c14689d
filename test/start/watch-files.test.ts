import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type FileWatcher, fileDigest, watchFiles } from '../../infra/start/reload/watch-files.ts';
import { newDirectory } from '../support/directories.ts';

let directory: string;
let at: (name: string) => string;
beforeEach(async () => {
  directory = await newDirectory('watch-files-');
  at = (name) => join(directory, name);
  await writeFile(at('a.ts'), 'one');
  await writeFile(at('b.ts'), 'one');
});

const digests = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [at(name), fileDigest(at(name))]));

/** Starts a watcher; `report` resolves with its next report. */
function watcher(): FileWatcher & { readonly report: () => Promise<readonly string[]> } {
  const reports: (readonly string[])[] = [];
  let arrived = Promise.withResolvers<void>();
  const made = watchFiles({
    onChange(files) {
      reports.push(files);
      arrived.resolve();
    },
    onError(error) {
      arrived.reject(error);
    },
  });
  onTestFinished(made.stop);
  return {
    ...made,
    async report() {
      while (reports.length === 0) {
        await arrived.promise;
        arrived = Promise.withResolvers();
      }
      return reports.shift() ?? [];
    },
  };
}

const edits: Readonly<Record<string, { reason: string; edit: () => Promise<unknown> }>> = {
  Written: { reason: 'an editor writes in place', edit: () => writeFile(at('a.ts'), 'two') },
  Renamed: {
    reason: 'an editor writes another file and renames it',
    edit: async () => {
      await writeFile(at('.a.ts.swp'), 'two');
      await rename(at('.a.ts.swp'), at('a.ts'));
    },
  },
  Removed: { reason: 'the file is deleted', edit: () => rm(at('a.ts')) },
};

describe('a file is reported', () => {
  it.each(Object.entries(edits))('%s: $reason', async (_, { edit }) => {
    const { follow, report } = watcher();
    follow(digests('a.ts', 'b.ts'));
    await edit();
    expect(await report()).toEqual([at('a.ts')]);
  });

  it('if it changed before it was followed', async () => {
    const { follow, report } = watcher();
    const before = digests('a.ts', 'b.ts');
    await writeFile(at('b.ts'), 'two');
    follow(before);
    expect(await report()).toEqual([at('b.ts')]);
  });

  it('once it exists, even if its directory did not exist', async () => {
    const { follow, report } = watcher();
    follow(digests('a.ts', 'kinds/more/c.ts'));
    await mkdir(at('kinds/more'), { recursive: true });
    await writeFile(at('kinds/more/c.ts'), 'one');
    expect(await report()).toEqual([at('kinds/more/c.ts')]);
  });

  it('in a directory that was deleted and created again', async () => {
    await mkdir(at('kinds'));
    await writeFile(at('kinds/c.ts'), 'one');
    const { follow, report } = watcher();
    follow(digests('kinds/c.ts'));
    await rm(at('kinds'), { recursive: true });
    expect(await report()).toEqual([at('kinds/c.ts')]);
    await mkdir(at('kinds'));
    await writeFile(at('kinds/c.ts'), 'two');
    expect(await report()).toEqual([at('kinds/c.ts')]);
  });

  it('once, even if more files are followed later', async () => {
    const { follow, followAlso, report } = watcher();
    follow(digests('a.ts', 'b.ts'));
    await writeFile(at('a.ts'), 'two');
    expect(await report()).toEqual([at('a.ts')]);
    followAlso(digests('c.ts'));
    followAlso({});
    await writeFile(at('c.ts'), 'one');
    expect(await report()).toEqual([at('c.ts')]);
  });

  it('only if its content has changed and it is followed', async () => {
    const { follow, report } = watcher();
    follow(digests('a.ts'));
    await writeFile(at('a.ts'), 'one');
    await writeFile(at('b.ts'), 'two');
    follow(digests('a.ts'));
    await writeFile(at('a.ts'), 'three');
    expect(await report()).toEqual([at('a.ts')]);
    follow(digests('b.ts'));
    await writeFile(at('a.ts'), 'four');
    await writeFile(at('b.ts'), 'five');
    expect(await report()).toEqual([at('b.ts')]);
  });
});
