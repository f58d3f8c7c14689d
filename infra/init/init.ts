import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { manifestFile } from '../package-root.ts';
import { type Project, projectFiles } from './templates.ts';

export interface InitOptions {
  /** Where the project is made; it may exist. */
  readonly directory: string;
  readonly group: string;
  readonly kind: string;
}

/** Each file of the project, and whether it was there before: then it is left as it is. */
export type InitResult = readonly { readonly path: string; readonly existed: boolean }[];

/** Makes a project with one kind that works. Writes no file that exists. */
export async function initProject({ directory, group, kind }: InitOptions): Promise<InitResult> {
  const own = await dependenciesIn(directory);
  const files = projectFiles({ name: packageName(directory), group, kind, ...own });
  const made: { path: string; existed: boolean }[] = [];
  for (const [path, text] of files) {
    const file = join(directory, path);
    const existed = existsSync(file);
    made.push({ path, existed });
    if (existed) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
  }
  return made;
}

const packageName = (directory: string): string =>
  basename(resolve(directory))
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '') || 'my-reconciler';

/** This very version of our package; from the archive that it was installed from, if it was. */
export async function dependenciesIn(
  directory: string,
): Promise<Pick<Project, 'dependencies' | 'devDependencies'>> {
  const { name, version } = JSON.parse(await readFile(manifestFile, 'utf8')) as {
    readonly name: string;
    readonly version: string;
  };
  const archives = await installedArchives(directory);
  const dependencies = { [name]: archives.get(name) ?? version };
  return { dependencies, devDependencies: { '@types/node': '24.19.2', typescript: '7.0.2' } };
}

/** Whether the package.json in a directory names our package; one that cannot be read does not. */
export async function isDependency(directory: string): Promise<boolean> {
  const { name } = JSON.parse(await readFile(manifestFile, 'utf8')) as { readonly name: string };
  const text = await readFile(join(directory, 'package.json'), 'utf8');
  try {
    const { dependencies, devDependencies } = JSON.parse(text) as Readonly<Record<string, object>>;
    return name in { ...dependencies, ...devDependencies };
  } catch {
    return false;
  }
}

/** Packages that were installed from archives, as a package.json in `directory` names these. */
async function installedArchives(directory: string): Promise<ReadonlyMap<string, string>> {
  const modules = dirname(dirname(manifestFile));
  const text = await readFile(join(modules, '.package-lock.json'), 'utf8').catch(() => '{}');
  const { packages = {} } = JSON.parse(text) as {
    readonly packages?: Readonly<Record<string, { readonly resolved?: string }>>;
  };
  return new Map(
    Object.entries(packages).flatMap(([path, { resolved = '' }]) => {
      if (!resolved.startsWith('file:')) return [];
      const archive = resolve(dirname(modules), resolved.slice('file:'.length));
      return [[path.replace(/^node_modules\//, ''), `file:${relative(directory, archive)}`]];
    }),
  );
}
