import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../package-root.ts';
import {
  compiled,
  entryPoints,
  publishedManifest,
  type SourceManifest,
  terraformSources,
  withBundled,
} from './published-manifest.ts';

/**
 * The published packages. This script builds them as `dist/packages/*.tgz`: compiled, with types and source maps. It
 * assembles each package in a directory of its own, and does not change the sources.
 */
const packages: readonly Package[] = [
  {
    name: 'local-cluster',
    source: join(packageRoot, 'infra', 'local'),
    modules: [],
    assets: ['api-server/generated'],
    documents: ['README.md', 'LICENSE'],
    bundled: undefined,
  },
  {
    name: 'reconciler',
    source: packageRoot,
    // No other module imports these, because they run as processes or threads.
    modules: [
      'infra/recordings/judge-thread.ts',
      'infra/start/functions/function-process.ts',
      'infra/start/reload/load-process.ts',
    ],
    assets: ['infra/dashboard/page', ...terraformSources(packageRoot)],
    documents: ['README.md', 'LICENSE', 'CHANGELOG.md', 'ARCHITECTURE.md', 'SECURITY.md', 'docs'],
    bundled: 'local-cluster',
  },
];
interface Package {
  readonly name: string;
  readonly source: string;
  /** Entry points that the package.json does not list. */
  readonly modules: readonly string[];
  /** Files and directories to copy unchanged. */
  readonly assets: readonly string[];
  /** Files and directories to copy to the top of the package, except directories named `images`. */
  readonly documents: readonly string[];
  /** The package that the archive includes, so that users need only one archive. */
  readonly bundled: string | undefined;
}

const destination = join(packageRoot, 'dist', 'packages');
const run = promisify(execFile);

await rm(destination, { recursive: true, force: true });
for (const one of packages) await makePackage(one);

async function makePackage({
  name,
  source,
  modules,
  assets,
  documents,
  bundled,
}: Package): Promise<void> {
  const directory = join(destination, name);
  const manifest = JSON.parse(
    await readFile(join(source, 'package.json'), 'utf8'),
  ) as SourceManifest;
  await mkdir(directory, { recursive: true });
  await compile(source, directory, [...entryPoints(manifest), ...modules]);
  for (const asset of assets)
    await cp(join(source, asset), join(directory, compiled, asset), { recursive: true });
  const how = { recursive: true, filter: (path: string) => !path.endsWith('images') };
  for (const file of documents)
    await cp(join(source, file), join(directory, file), how).catch(() =>
      cp(join(packageRoot, file), join(directory, file), how),
    );
  const published = publishedManifest(manifest, documents);
  const inside = bundled === undefined ? undefined : await bundle(bundled, directory);
  const whole = inside === undefined ? published : withBundled(published, inside);
  await writeFile(join(directory, 'package.json'), `${JSON.stringify(whole, null, 2)}\n`);
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', destination], {
    cwd: directory,
  });
  process.stdout.write(`dist/packages/${stdout.trim()}\n`);
}

/** Returns the manifest of the copied package. */
async function bundle(name: string, directory: string): Promise<SourceManifest> {
  const from = join(destination, name);
  const manifest = JSON.parse(await readFile(join(from, 'package.json'), 'utf8')) as SourceManifest;
  await cp(from, join(directory, 'node_modules', manifest.name), { recursive: true });
  return manifest;
}

async function compile(
  source: string,
  directory: string,
  modules: readonly string[],
): Promise<void> {
  const project = join(directory, 'tsconfig.json');
  const options = {
    extends: join(packageRoot, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      rootDir: source,
      outDir: join(directory, compiled),
      declaration: true,
      sourceMap: true,
      inlineSources: true,
      types: ['node'],
      typeRoots: [join(packageRoot, 'node_modules', '@types')],
    },
    include: [],
    files: modules.map((module) => join(source, module)),
  };
  await writeFile(project, JSON.stringify(options));
  const tsc = join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc');
  await run(process.execPath, [tsc, '-p', project]).catch(({ stdout, message }) => {
    throw new Error(`${source} cannot be compiled:\n${stdout || message}`);
  });
  await rm(project);
}
