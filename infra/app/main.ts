import { enableCompileCache } from 'node:module';
import { compileCache } from '../package-root.ts';

enableCompileCache(compileCache);
const { runInProcess } = await import('../cli/process.ts');
const { addApp } = await import('./app.ts');

/** The command, with what operates this repository's ContainerApps. */
await runInProcess([addApp]);
