import { enableCompileCache } from 'node:module';
import { compileCache } from '../package-root.ts';

enableCompileCache(compileCache);
const { runInProcess } = await import('../cli/process.ts');
const { addApp } = await import('./app.ts');

/** Runs `reconciler` with the command `app`, which only this repository has. */
await runInProcess([addApp]);
