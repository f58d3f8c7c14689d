import { extname, join } from 'node:path';

/** The directory of our modules: the repository, or `lib/` of the published package. */
export const packageRoot = join(import.meta.dirname, '..');

/** Of our own modules: `.ts` in the repository, `.js` in the published package. */
export const sourceExtension = extname(import.meta.filename);
const isInstalled = sourceExtension === '.js';

/** Where Node keeps the compiled code of our processes: compiled once, it loads in half of the CPU time. */
export const compileCache = join(packageRoot, 'node_modules/.cache/compiled');

/** The package.json of this package. */
export const manifestFile = join(packageRoot, isInstalled ? '..' : '.', 'package.json');

/** How an operator runs the command. */
export const commandName = isInstalled ? 'npx reconciler' : 'npm run reconciler --';

/** The same without a heading of npm's before the output. */
export const quietCommand = isInstalled ? 'npx reconciler' : 'npm run -s reconciler --';
