import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { definitionFiles } from '../generate/files.ts';
import { lossesBetween } from './lost-fields.ts';

export const allowFieldLoss = '--allow-field-loss';

export const stepwiseChange = 'change the field in steps (docs/upgrading.md, Renaming a field)';
export const lossRemedy = `${stepwiseChange}, or accept the loss with ${allowFieldLoss}`;

/** Names the fields that new CRDs drop or narrow, compared with the CRDs in a directory; undefined if none. */
export function fieldLossIn(directory: string, kinds: readonly Kind[]): string | undefined {
  const problems = [...definitionFiles(kinds)].flatMap(([path, definition]) => {
    const file = join(directory, path);
    const before = existsSync(file) ? read(file) : {};
    return lossesBetween(before, definition).map(({ text }) => `${file}: ${text}`);
  });
  if (problems.length === 0) return undefined;
  return [
    'nothing was written, because stored resources may have values that the new CRDs lose or refuse:',
    ...problems.map((problem) => `  ${problem}`),
    lossRemedy,
  ].join('\n');
}

function read(file: string): object {
  try {
    return (parse(readFileSync(file, 'utf8')) as object | null) ?? {};
  } catch (error) {
    throw new Error(`${file} cannot be read, to compare its fields: ${messageOf(error)}`);
  }
}
