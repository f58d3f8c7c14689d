import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleFunction, type Target, targets } from './bundle.ts';
import { licencesOf } from './licences.ts';
import { lockOf, packageManifest } from './manifest.ts';

export const root = join(import.meta.dirname, '..', '..');

/** Makes `dist/<target>/` of every function: all that is uploaded, and nothing else. */
export async function buildFunctions(): Promise<void> {
  for (const target of targets) {
    const directory = join(root, 'dist', target);
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory, { recursive: true });
    const files = await filesOf(target);
    for (const [name, content] of Object.entries(files))
      await writeFile(join(directory, name), content);
    const sizes = Object.entries(files).map(([name, { length }]) => `${name} ${kilobytes(length)}`);
    process.stdout.write(`dist/${target}: ${sizes.join(', ')}\n`);
  }
}

async function filesOf(target: Target): Promise<Readonly<Record<string, string | Uint8Array>>> {
  const { code, sourceMap, inputs } = await bundleFunction(root, target);
  const manifest = packageManifest(await readJson('package.json'), target);
  return {
    'index.js': code,
    'index.js.map': sourceMap,
    'LICENSES.txt': await licencesOf(root, inputs),
    'package.json': json(manifest),
    'package-lock.json': json(lockOf(await readJson('package-lock.json'), manifest)),
  };
}

const readJson = async (name: string) => JSON.parse(await readFile(join(root, name), 'utf8'));
const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1000)} kB`;

if (import.meta.main) await buildFunctions();
