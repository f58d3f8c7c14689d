import { basename, dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { packageRoot, sourceExtension } from '../package-root.ts';

/** The functions that are deployed, and what of `functions/serve.ts` registers each. */
export const registrations = { resync: 'serveResync', audit: 'serveAudit' } as const;
export type Target = keyof typeof registrations;
export const targets = Object.keys(registrations) as readonly Target[];

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
  /** The files it was made of, relative to the directory of the configuration. */
  readonly inputs: readonly string[];
}

/**
 * One function of a configuration, and all it needs but the framework, as one minified file.
 *
 * Guarantees: the bytes depend on the contents of the files and on nothing else, not on where they are.
 */
export async function bundleFunction(
  config: string,
  target: Target,
  engine = packageRoot,
): Promise<Bundle> {
  const root = dirname(config);
  const entry = `${target}.js`;
  const serve = join(engine, 'functions', `serve${sourceExtension}`);
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    stdin: {
      contents: [
        `import config from ${JSON.stringify(`./${basename(config)}`)};`,
        `import { ${registrations[target]} } from ${JSON.stringify(importOf(root, serve))};`,
        `${registrations[target]}(config);`,
      ].join('\n'),
      resolveDir: root,
      sourcefile: entry,
    },
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
    sourceMap: withoutPlaces(sourceMap.text),
    inputs: Object.keys(metafile.inputs).filter((input) => input !== entry),
  };
}

const importOf = (root: string, file: string): string =>
  `./${relative(root, file).split(sep).join('/')}`;

/** Packages are named from `node_modules` on, wherever a package manager keeps them. */
function withoutPlaces(text: string): Uint8Array {
  const map = JSON.parse(text) as { readonly sources: readonly string[] };
  const sources = map.sources.map((source) => source.replace(/^.*node_modules\//, 'node_modules/'));
  return Buffer.from(`${JSON.stringify({ ...map, sources })}\n`);
}
