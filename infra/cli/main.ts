#!/usr/bin/env node
/** The version in `engines`. All modules are imported after the check, because an older Node cannot load them. */
const oldest = '22.19.0';
const { node } = process.versions;

if (node.localeCompare(oldest, 'en', { numeric: true }) < 0) {
  process.stderr.write(
    `serverless-reconciler needs Node ${oldest} or newer, and this is ${node}\n`,
  );
  process.exit(1);
}

const { enableCompileCache } = await import('node:module');
const { compileCache } = await import('../package-root.ts');
enableCompileCache(compileCache);
const { runInProcess } = await import('./process.ts');

await runInProcess();
