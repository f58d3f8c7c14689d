import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isReconcilerConfig, type ReconcilerConfig } from '../../shared/config/define-config.ts';
import { ConfigError } from '../../shared/environment.ts';
import { packageRoot } from '../package-root.ts';

/** The names to look for, in this order. */
export const configNames = [
  'reconciler.config.ts',
  'reconciler.config.mts',
  'reconciler.config.js',
  'reconciler.config.mjs',
];

/** Returns an absolute path: `given`, or the nearest configuration. Throws a ConfigError if there is none. */
export function findConfig(directory: string, given: string | undefined): string {
  if (given !== undefined) {
    const file = resolve(directory, given);
    if (existsSync(file)) return file;
    throw new ConfigError(`--config: there is no file ${file}`);
  }
  for (let at = resolve(directory); ; at = dirname(at)) {
    const found = configNames.map((name) => join(at, name)).find((file) => existsSync(file));
    if (found !== undefined) return found;
    if (at === dirname(at))
      throw new ConfigError(
        `there is no reconciler.config.ts in ${resolve(directory)} or above it; create one with: npx serverless-reconciler init, or name yours with --config FILE`,
      );
  }
}

/** The directory of the nearest configuration; `directory` itself if there is none. */
export function nearestProject(directory: string): string {
  try {
    return dirname(findConfig(directory, undefined));
  } catch {
    return directory;
  }
}

/** The kubeconfig that `start` writes for the project in this directory. */
export const localKubeconfig = (directory: string): string =>
  join(directory, '.local', 'kubeconfig');

/** Throws a ConfigError that names the file, and often a remedy. */
export async function loadConfig(file: string): Promise<ReconcilerConfig> {
  const { default: exported } = await importFile(file);
  if (isReconcilerConfig(exported)) return exported;
  throw new ConfigError(
    exported === undefined
      ? `${file} has no default export; write: export default defineConfig({ kinds: [ … ] })`
      : `${file} has a default export that defineConfig did not make; write: export default defineConfig({ kinds: [ … ] })`,
  );
}

async function importFile(file: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    throw new ConfigError(
      `${file} cannot be loaded: ${whyOf(error as Error & { code?: string })}`,
      { cause: error },
    );
  }
}

function whyOf(error: Error & { code?: string }): string {
  const [first = ''] = error.message.split('\n');
  const location = locationIn(error.stack ?? '');
  const remedy = remedyOf(error, first);
  return [
    location === undefined ? first : `${first} (${location})`,
    ...(remedy === undefined ? [] : [remedy]),
  ].join('; ');
}

function remedyOf(error: Error & { code?: string }, first: string): string | undefined {
  const { code } = error;
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return `Node ${process.version} does not run TypeScript; use Node 22.19 or newer`;
  if (code === 'ERR_MODULE_NOT_FOUND' && /'[^']*\/[^'./]+'/.test(first))
    return "imports of your own files need their extension: './cache.ts'";
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return 'Node only strips types: replace enums, namespaces and parameter properties';
  if (!(error instanceof SyntaxError)) return undefined;
  if (first.includes('does not provide an export named'))
    return 'if it is a type, write: import { type … }';
  if (/import statement outside a module|Unexpected token 'export'/.test(first))
    return 'add "type": "module" to package.json';
  return undefined;
}

/** Our sources. `locationIn` skips them, because the mistake is in the code that calls them. */
const ownSources = pathToFileURL(join(packageRoot, 'shared')).href;

/** The first location outside our sources: `file:///home/me/kinds/cache.ts:12` */
const locationIn = (stack: string): string | undefined =>
  stack
    .split('\n')
    .filter((line) => line.includes('file://') && !line.includes(`${ownSources}/`))
    .map((line) => /file:\/\/[^\s()]+:\d+/.exec(line)?.[0])
    .find((location) => location !== undefined);
