import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { manifestFile, packageRoot, sourceExtension } from '../package-root.ts';

/** The functions that are deployed, and what of `functions/serve.ts` registers each. */
const registrations = { resync: 'serveResync', audit: 'serveAudit' } as const;
export type FunctionName = keyof typeof registrations;
export const targets = Object.keys(registrations) as readonly FunctionName[];

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
  /** By name, `index.js` among them. */
  readonly files: Readonly<Record<string, Uint8Array>>;
  /** The files they were made of, relative to the directory of the configuration. */
  readonly inputs: readonly string[];
}

/**
 * One function of a configuration, and all it needs but the framework, as minified files: `index.js`;
 * `kubeconfig.js`, which is loaded for CLUSTER_CONTEXT alone; `recorder.js`, for RECORD_BUCKET alone; and `socks.js`,
 * for a SOCKS proxy alone.
 *
 * Guarantees: the bytes depend on the contents of the files and on nothing else, not on where they are.
 * Caveats: each file has a copy of its own of what they share, so that classes of one are not those of another.
 */
export async function bundleFunction(
  config: string,
  target: FunctionName,
  engine = packageRoot,
): Promise<Bundle> {
  const root = dirname(config);
  const entry = `${target}.js`;
  const inEngine = (file: string): string => importOf(root, join(engine, file + sourceExtension));
  const bundles = await Promise.all([
    bundle(root, 'index.js', {
      stdin: {
        contents: [
          `import config from ${JSON.stringify(`./${basename(config)}`)};`,
          `import { ${registrations[target]} } from ${JSON.stringify(inEngine('functions/serve'))};`,
          `${registrations[target]}(config);`,
        ].join('\n'),
        resolveDir: root,
        sourcefile: entry,
      },
      banner: { js: versionCheck },
      plugins: [
        beside('kubeconfig.js', /\/kube-context\.[jt]s$/),
        beside('recorder.js', /\/bucket-recorder\.[jt]s$/),
      ],
      define: await versionOf(),
    }),
    bundle(root, 'kubeconfig.js', {
      entryPoints: [inEngine('shared/cluster/credentials/kube-context')],
    }),
    bundle(root, 'recorder.js', { entryPoints: [inEngine('shared/recording/bucket-recorder')] }),
    bundle(root, 'socks.js', { entryPoints: [inEngine('shared/cluster/http/socks-tunnel')] }),
  ]);
  const inputs = new Set(bundles.flatMap((one) => one.inputs));
  inputs.delete(entry);
  return {
    files: Object.assign({}, ...bundles.map((one) => one.files)),
    inputs: [...inputs],
  };
}

async function bundle(root: string, name: string, options: BuildOptions): Promise<Bundle> {
  const { outputFiles = [], metafile } = await build({
    ...options,
    plugins: [...(options.plugins ?? []), besideSocks],
    absWorkingDir: root,
    // Sources are named relative to here: `shared/log.ts` in a stack trace, wherever the function is.
    outfile: name,
    bundle: true,
    minify: true,
    // As ES modules the built-in `node:http` loads Node's own undici with it: 20 ms CPU of each start.
    format: 'cjs',
    platform: 'node',
    target: `node${leastNode}`,
    external: [framework],
    sourcemap: 'linked',
    // A map that contains the sources is three times as large, and positions do not need them.
    sourcesContent: false,
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const [sourceMap, code] = outputFiles;
  if (sourceMap === undefined || code === undefined) throw new Error(`${name}: nothing was built`);
  return {
    files: { [name]: code.contents, [`${name}.map`]: withPackagePaths(sourceMap.text) },
    inputs: Object.keys(metafile?.inputs ?? {}),
  };
}

/** The version of this package, for recordings. */
const versionOf = async (): Promise<Readonly<Record<string, string>>> => {
  const { version } = JSON.parse(await readFile(manifestFile, 'utf8'));
  return { 'process.env.RECONCILER_VERSION': JSON.stringify(version) };
};

/** Leaves what is imported dynamically under this name to a file of its own. */
const beside = (file: string, filter: RegExp): Plugin => ({
  name: file,
  setup({ onResolve }) {
    onResolve({ filter }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${file}`, external: true } : undefined,
    );
  },
});

/** Leaves the SOCKS client to a file of its own, in each bundle that sends requests. */
const besideSocks = beside('socks.js', /\/socks-tunnel\.[jt]s$/);

const importOf = (root: string, file: string): string =>
  `./${relative(root, file).split(sep).join('/')}`;

/** Packages are named from `node_modules` on, wherever a package manager keeps them. */
function withPackagePaths(text: string): Uint8Array {
  const map = JSON.parse(text) as { readonly sources: readonly string[] };
  const sources = map.sources.map((source) => source.replace(/^.*node_modules\//, 'node_modules/'));
  return Buffer.from(`${JSON.stringify({ ...map, sources })}\n`);
}
