import { createRequire } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { manifest, packageRoot, sourceExtension } from '../package-root.ts';

/** Maps each function to the export of `functions/serve.ts` that registers it. */
const registrations = { resync: 'serveResync', audit: 'serveAudit' } as const;
export type FunctionName = keyof typeof registrations;
export const targets = Object.keys(registrations) as readonly FunctionName[];

/** Not bundled: the functions must register in the installed copy, which the platform starts. */
export const framework = '@google-cloud/functions-framework';

/** The oldest Node that the bundles are built for and tested with. */
const leastNode = 24;

/**
 * Checks Node's version. This code comes first, so that an older Node fails with the error below and no other. It
 * includes `"use strict"`, which must be the first statement of a file.
 */
const versionCheck = `"use strict";
if (Number(process.versions.node.split('.')[0]) < ${leastNode}) {
  process.stderr.write('serverless-reconciler needs Node ${leastNode} or newer, and this is ' + process.version + '\\n');
  process.exit(1);
}`;

export interface Bundle {
  /** The contents of the bundled files, `index.js` included, by file name. */
  readonly files: Readonly<Record<string, Uint8Array>>;
  /** Source files, relative to the directory of the configuration. */
  readonly inputs: readonly string[];
}

/**
 * Bundles a function with everything it needs except the framework, as minified files: `index.js`, and five that it
 * loads on demand: `kubeconfig.js` (with CLUSTER_CONTEXT), `recorder.js` (with RECORD_BUCKET), `telemetry.js` (with
 * OpenTelemetry), `certificates.js` (to generate a certificate) and `socks.js` (with a SOCKS proxy).
 *
 * Guarantees: the bytes depend only on the contents of the sources, not on their location.
 * Caveats: each file has its own copy of shared code, so `instanceof` does not work across files.
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
        beside('telemetry.js', /\/otlp\.[jt]s$/),
        beside('certificates.js', /\/sign-certificate\.[jt]s$/),
      ],
      // Functions write this version into recordings.
      define: { 'process.env.RECONCILER_VERSION': JSON.stringify(manifest.version) },
    }),
    bundle(root, 'kubeconfig.js', {
      entryPoints: [inEngine('shared/cluster/credentials/kube-context')],
    }),
    bundle(root, 'recorder.js', { entryPoints: [inEngine('shared/recording/bucket-recorder')] }),
    bundle(root, 'telemetry.js', { entryPoints: [inEngine('functions/telemetry/otlp')] }),
    bundle(root, 'certificates.js', {
      entryPoints: [inEngine('shared/resource/sign-certificate')],
    }),
    bundle(root, 'socks.js', { entryPoints: [createRequire(import.meta.url).resolve('socks')] }),
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
    // With a relative path, stack traces name sources without the directory of the deployed function: `shared/log.ts`.
    outfile: name,
    bundle: true,
    minify: true,
    // In an ES module, importing `node:http` also loads Node's own undici: 20 ms of CPU time at each start.
    format: 'cjs',
    platform: 'node',
    target: `node${leastNode}`,
    external: [framework],
    sourcemap: 'linked',
    // Stack traces need only positions; including the sources would triple the size of the map.
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

const beside = (file: string, filter: RegExp): Plugin => ({
  name: file,
  setup({ onResolve }) {
    onResolve({ filter }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${file}`, external: true } : undefined,
    );
  },
});

const besideSocks = beside('socks.js', /^socks$/);

const importOf = (root: string, file: string): string =>
  `./${relative(root, file).split(sep).join('/')}`;

/** Shortens the paths of packages to `node_modules/…`, wherever a package manager keeps them. */
function withPackagePaths(text: string): Uint8Array {
  const map = JSON.parse(text) as { readonly sources: readonly string[] };
  const sources = map.sources.map((source) => source.replace(/^.*node_modules\//, 'node_modules/'));
  return Buffer.from(`${JSON.stringify({ ...map, sources })}\n`);
}
