import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '../..');

const entryPoints = {
  'serverless-reconciler/testing': 'testing/index.ts',
  'serverless-reconciler': 'index.ts',
};

/** A fenced block of a document: its language, and its text. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

/** The blocks of a document, in their order. */
export async function blocksOf(page: string): Promise<readonly Block[]> {
  const text = await readFile(join(root, page), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', body = '']) => ({
    language,
    text: body,
  }));
}

/** Code of a document, for a file outside this repository: it imports the sources in place of the package. */
export const withSources = (code: string): string =>
  Object.entries(entryPoints).reduce(
    (text, [name, file]) =>
      text.replaceAll(`'${name}'`, `'${pathToFileURL(join(root, file)).href}'`),
    code,
  );

/** A file after a diff, as a reader applies it: the lines without a plus are in it exactly once. */
export function patched(file: string, diff: string): string {
  const lines = diff.trimEnd().split('\n');
  const without = (mark: string): string =>
    lines.flatMap((line) => (line[0] === mark ? [] : [`${line.slice(1)}\n`])).join('');
  const before = without('+');
  if (file.split(before).length !== 2)
    throw new Error(`these lines are not in the file exactly once:\n${before}`);
  return file.replace(before, () => without('-'));
}
