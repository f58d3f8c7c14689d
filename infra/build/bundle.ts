import { join } from 'node:path';
import { build } from 'esbuild';

/** The functions that are deployed, each with an entry of its own in `functions/deployed/`. */
export const targets = ['resync', 'audit'] as const;
export type Target = (typeof targets)[number];

/** Installed beside the bundle, not bundled: in two copies the framework finds no function. */
export const framework = '@google-cloud/functions-framework';

/** The oldest Node that the bundles are made for and tested with. */
const leastNode = 24;

/** Runs before any code that an older Node fails on; a directive counts only where it is first. */
const versionCheck = `"use strict";
if (Number(process.versions.node.split('.')[0]) < ${leastNode}) {
  process.stderr.write('serverless-reconciler needs Node ${leastNode} or newer, and this is ' + process.version + '\\n');
  process.exit(1);
}`;

export interface Bundle {
  readonly code: Uint8Array;
  readonly sourceMap: Uint8Array;
  /** The files it was made of, relative to the root. */
  readonly inputs: readonly string[];
}

/**
 * One function and all it needs but the framework, as one minified file.
 *
 * Guarantees: the bytes depend on the files below `root` and on nothing else, not on where it is.
 */
export async function bundleFunction(root: string, target: Target): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join('functions', 'deployed', `${target}.ts`)],
    // Sources are named relative to here: `shared/log.ts` in a stack trace, wherever the function is.
    outfile: 'index.js',
    bundle: true,
    minify: true,
    // As ES modules the built-in `node:http` loads Node's own undici with it: 20 ms CPU of each start.
    format: 'cjs',
    platform: 'node',
    target: `node${leastNode}`,
    banner: { js: versionCheck },
    external: [framework],
    // A linked node_modules must give the same paths, and so the same source map, as one in place.
    preserveSymlinks: true,
    sourcemap: 'linked',
    // A map that contains the sources is three times as large, and positions do not need them.
    sourcesContent: false,
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const [sourceMap, code] = outputFiles;
  if (sourceMap === undefined || code === undefined)
    throw new Error(`${target}: nothing was built`);
  return {
    code: code.contents,
    sourceMap: sourceMap.contents,
    inputs: Object.keys(metafile.inputs),
  };
}
