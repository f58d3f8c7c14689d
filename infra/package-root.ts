import { extname, join } from 'node:path';

/** The directory of this package, in the repository and where it is installed. */
export const packageRoot = join(import.meta.dirname, '..');

/** Of our own modules: `.ts` in the repository, `.js` in the published package. */
export const sourceExtension = extname(import.meta.filename);

/** How an operator runs the command. */
const isInstalled = sourceExtension === '.js';
export const commandName = isInstalled ? 'npx reconciler' : 'npm run reconciler --';

/** The same without a heading of npm's before the output. */
export const quietCommand = isInstalled ? 'npx reconciler' : 'npm run -s reconciler --';
