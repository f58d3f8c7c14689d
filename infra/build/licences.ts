import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** Matches files with licence terms: `LICENSE`, `COPYING.txt`, `NOTICE`. */
const isTerms = (name: string): boolean => /^(licen[cs]e|copying|notice)([.-].*)?$/i.test(name);

/** The packages' directories, sorted, relative to the root. */
const packagesOf = (inputs: readonly string[]): readonly string[] =>
  [
    ...new Set(
      inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []),
    ),
  ].sort();

/**
 * Returns the name, version and licence texts of each package in a bundle, and of the project if it names a licence.
 * Throws if a package in the bundle names no licence.
 *
 * Guarantees: the same inputs give the same text.
 */
export async function licencesOf(root: string, inputs: readonly string[]): Promise<string> {
  const own = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Package;
  const paths = [...(own.license ? [''] : []), ...packagesOf(inputs)];
  const parts = await Promise.all(paths.map((path) => partOf(root, path)));
  return parts.join(`\n${'-'.repeat(80)}\n\n`);
}

async function partOf(root: string, path: string): Promise<string> {
  const directory = join(root, path);
  const manifest = await readFile(join(directory, 'package.json'), 'utf8');
  const { name, version, license } = JSON.parse(manifest) as Package;
  if (!license)
    throw new Error(`${path}: the package names no licence, so a bundle must not include it`);
  const files = (await readdir(directory)).filter(isTerms).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(directory, file), 'utf8')));
  const words = texts.map((text) => text.replaceAll('\r\n', '\n').trim());
  return `${[`${name} ${version}, ${license}`, ...words].join('\n\n')}\n`;
}
