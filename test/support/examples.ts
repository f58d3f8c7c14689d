import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '../..');

const entryPoints = {
  'serverless-reconciler/testing': 'testing/index.ts',
  'serverless-reconciler/types': 'types/index.ts',
  'serverless-reconciler': 'index.ts',
};

/** The language and text of a fenced block in a document. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

/** Reads the fenced blocks of a document, in order. */
export async function blocksOf(page: string): Promise<readonly Block[]> {
  const text = await readFile(join(root, page), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', body = '']) => ({
    language,
    text: body,
  }));
}

/** Rewrites imports of the package to the sources, for code that is saved outside of this repository. */
export const withSources = (code: string): string =>
  Object.entries(entryPoints).reduce(
    (text, [name, file]) =>
      text.replaceAll(`'${name}'`, `'${pathToFileURL(join(root, file)).href}'`),
    code,
  );

/** Compiler options for code that uses the sources as the package. */
export const sourceOptions = {
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  lib: ['es2025'],
  typeRoots: [join(root, 'node_modules/@types')],
  paths: Object.fromEntries(
    Object.entries(entryPoints).map(([name, file]) => [name, [join(root, file)]]),
  ),
};

/** Applies a diff to a file as a reader would: its lines without a plus must occur exactly once. */
export function patched(file: string, diff: string): string {
  const lines = diff.trimEnd().split('\n');
  const without = (sign: string): string =>
    lines.flatMap((line) => (line[0] === sign ? [] : [`${line.slice(1)}\n`])).join('');
  const before = without('+');
  if (file.split(before).length !== 2)
    throw new Error(`these lines do not occur exactly once in the file:\n${before}`);
  return file.replace(before, () => without('-'));
}
