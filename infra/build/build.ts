import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { manifestFile } from '../package-root.ts';
import { bundleFunction, type FunctionName, targets } from './bundle.ts';
import { lockOf, packageManifest } from './function-manifest.ts';
import { licencesOf } from './licences.ts';

/** Replaces `dist/<target>/`, next to the configuration, with exactly the files to upload. */
export async function buildFunctions(config: string, say: (line: string) => void): Promise<void> {
  for (const target of targets) {
    const directory = join(dirname(config), 'dist', target);
    const files = await filesOf(config, target);
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory, { recursive: true });
    for (const [name, content] of Object.entries(files))
      await writeFile(join(directory, name), content);
    const sizes = Object.entries(files).map(([name, { length }]) => `${name} ${kilobytes(length)}`);
    say(`${relative(dirname(config), directory)}: ${sizes.join(', ')}`);
  }
}

async function filesOf(
  config: string,
  target: FunctionName,
): Promise<Readonly<Record<string, string | Uint8Array>>> {
  const root = dirname(config);
  const { files, inputs } = await bundleFunction(config, target);
  const own = await readJson(manifestFile);
  const manifest = packageManifest(await readJson(join(root, 'package.json')), own, target);
  const lock = await readJson(join(root, 'package-lock.json')).catch(unlessMissing);
  return {
    ...files,
    'LICENSES.txt': await licencesOf(root, inputs),
    'package.json': json(manifest),
    ...(lock === undefined ? {} : { 'package-lock.json': json(lockOf(lock, manifest)) }),
  };
}

/** Accepts a missing package-lock.json, because pnpm writes none, and package.json pins the framework anyway. */
function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

const readJson = async (file: string) => JSON.parse(await readFile(file, 'utf8'));
const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1000)} kB`;
