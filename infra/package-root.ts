import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** The directory of our modules: the repository, or `lib/` of the published package. */
export const packageRoot = join(import.meta.dirname, '..');

/** The extension of our modules: `.ts` in the repository, `.js` in the published package. */
export const sourceExtension = extname(import.meta.filename);
const isInstalled = sourceExtension === '.js';

/** The directory of Node's compile cache, which halves the CPU time for loading our code. */
export const compileCache = join(packageRoot, 'node_modules/.cache/compiled');

export const manifestFile = join(packageRoot, isInstalled ? '..' : '.', 'package.json');

export const manifest: { readonly name: string; readonly version: string } = JSON.parse(
  readFileSync(manifestFile, 'utf8'),
);

/** The command as the user types it. */
export const commandName = isInstalled ? 'npx reconciler' : 'npm run reconciler --';

/** Omits the heading that npm prints before the output. */
export const quietCommand = isInstalled ? 'npx reconciler' : 'npm run -s reconciler --';
