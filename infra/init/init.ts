import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { makeDirectory } from '../make-directory.ts';
import { manifest, manifestFile } from '../package-root.ts';
import { kindFile, leastNode, type Project, projectFiles } from './templates.ts';

interface InitOptions {
  /** May already exist. */
  readonly directory: string;
  readonly group: string;
  readonly kind: string;
  /** A directory with one of these files is a project already. */
  readonly configNames: readonly string[];
  /** npm's `npm_config_user_agent`: `npm/11.19.1 node/v20.20.2 linux x64`. */
  readonly npm: string | undefined;
}

/** No project was created, and no file was written. The message names the reason. */
export class InitError extends Error {
  override readonly name = 'InitError';
}

/** Files that existed before are unchanged. */
type InitResult = readonly { readonly path: string; readonly existed: boolean }[];

/**
 * Creates a project with one working kind. Overwrites no file. If a write fails, removes what was written.
 * Throws an InitError for an old Node, for a project with other kinds and for an invalid package.json.
 */
export async function initProject(options: InitOptions): Promise<InitResult> {
  const { directory, group, kind } = options;
  requireNode(options);
  const own = await dependenciesIn(directory);
  const files = projectFiles({ name: packageName(directory), group, kind, ...own });
  requireNoOther(options);
  await requireManifest(directory);
  const made: { path: string; existed: boolean }[] = [];
  const written: string[] = [];
  try {
    for (const [path, text] of files) {
      const file = join(directory, path);
      const existed = existsSync(file);
      made.push({ path, existed });
      if (existed) continue;
      const created = makeDirectory(dirname(file));
      if (created !== undefined) written.push(created);
      await writeFile(file, text, { flag: 'wx' });
      written.push(file);
    }
  } catch (error) {
    for (const path of written.toReversed()) await rm(path, { recursive: true, force: true });
    throw error;
  }
  return made;
}

/** Throws if npm runs on an old Node: the project will run on that Node, even if this command runs on a newer Node. */
function requireNode({ npm = '' }: InitOptions): void {
  const [, version] = /\bnode\/v(\d+\.\d+\.\d+)/.exec(npm) ?? [];
  if (version === undefined || version.localeCompare(leastNode, 'en', { numeric: true }) >= 0)
    return;
  throw new InitError(
    `a project needs Node ${leastNode} or newer, but npm here runs on Node ${version}: install a newer Node first`,
  );
}

/** Throws if a configuration exists without this kind's file, because `init` adds no kind to a configuration. */
function requireNoOther({ directory, kind, configNames }: InitOptions): void {
  const config = configNames.find((name) => existsSync(join(directory, name)));
  const file = kindFile(kind);
  if (config === undefined || existsSync(join(directory, file))) return;
  throw new InitError(
    `${join(directory, config)} already exists, and init changes no existing file: add ${kind} to it and write ${file} by hand, or choose another directory`,
  );
}

async function requireManifest(directory: string): Promise<void> {
  const file = join(directory, 'package.json');
  if (!existsSync(file)) return;
  try {
    JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new InitError(
      `${file} is not valid JSON: correct it first (${(error as Error).message})`,
    );
  }
}

const packageName = (directory: string): string =>
  basename(resolve(directory))
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '') || 'my-reconciler';

/** Returns a new project's dependencies: this package (or the archive that it was installed from) and TypeScript. */
async function dependenciesIn(
  directory: string,
): Promise<Pick<Project, 'dependencies' | 'devDependencies'>> {
  const { name, version } = manifest;
  const dependencies = { [name]: (await archiveFor(directory)) ?? version };
  return { dependencies, devDependencies: { '@types/node': '24.19.2', typescript: '7.0.2' } };
}

/** False if the package.json is not valid JSON. */
export async function isDependency(directory: string): Promise<boolean> {
  const text = await readFile(join(directory, 'package.json'), 'utf8');
  try {
    const { dependencies, devDependencies } = JSON.parse(text) as Readonly<Record<string, object>>;
    return manifest.name in { ...dependencies, ...devDependencies };
  } catch {
    return false;
  }
}

/** Returns the archive that this package was installed from, relative to `directory`: `file:../reconciler.tgz`. */
export async function archiveFor(directory: string): Promise<string | undefined> {
  const modules = dirname(dirname(manifestFile));
  const text = await readFile(join(modules, '.package-lock.json'), 'utf8').catch(() => '{}');
  const { packages = {} } = JSON.parse(text) as {
    readonly packages?: Readonly<Record<string, { readonly resolved?: string }>>;
  };
  const { resolved = '' } = packages[`node_modules/${manifest.name}`] ?? {};
  if (!resolved.startsWith('file:')) return undefined;
  const archive = resolve(dirname(modules), resolved.slice('file:'.length));
  return `file:${relative(directory, archive)}`;
}
