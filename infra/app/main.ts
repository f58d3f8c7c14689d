import { enableCompileCache } from 'node:module';
import { compileCache } from '../package-root.ts';

enableCompileCache(compileCache);
const { runInProcess } = await import('../cli/process.ts');
const { addApp } = await import('./app.ts');

/** Runs the command with this repository's `app` commands. */
await runInProcess([addApp]);
