#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { compileCache } from '../package-root.ts';

enableCompileCache(compileCache);
const { runInProcess } = await import('./process.ts');

await runInProcess();
