import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { definitionFiles } from '../generate/files.ts';
import { keepVersions } from '../generate/install.ts';
import { lossesBetween } from './lost-fields.ts';

export const allowFieldLoss = '--allow-field-loss';

export const stepwiseChange = 'make the change in steps (docs/upgrading.md)';
export const lossRemedy = `${stepwiseChange}, or accept the loss with ${allowFieldLoss}`;

/** Returns a message about fields and versions that CRDs in a directory have and the new CRDs lack. */
export function fieldLossIn(directory: string, kinds: readonly Kind[]): string | undefined {
  const problems = [...definitionFiles(kinds)].flatMap(([path, definition]) => {
    const file = join(directory, path);
    const before = existsSync(file) ? read(file) : {};
    const texts = lossesBetween(before, definition).map(({ text }) => text);
    return [...texts, ...droppedVersions(before, definition)].map((text) => `${file}: ${text}`);
  });
  if (problems.length === 0) return undefined;
  return [
    'nothing was written, because stored resources may have values that the new CRDs would drop or refuse:',
    ...problems.map((problem) => `  ${problem}`),
    lossRemedy,
  ].join('\n');
}

function droppedVersions(before: object, after: object): readonly string[] {
  const kept = versionsOf(after).map(({ name }) => name);
  return versionsOf(before)
    .filter(({ name, storage }) => storage === true && !kept.includes(name))
    .map(({ name }) => `version ${name} is dropped: ${keepVersions}`);
}

const versionsOf = ({ spec }: Definition) => spec?.versions ?? [];

interface Definition {
  readonly spec?: {
    readonly versions?: readonly { readonly name?: string; readonly storage?: boolean }[];
  };
}

function read(file: string): object {
  try {
    return (parse(readFileSync(file, 'utf8')) as object | null) ?? {};
  } catch (error) {
    throw new Error(`${file} cannot be read, so it cannot be compared: ${messageOf(error)}`);
  }
}
