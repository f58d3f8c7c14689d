import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import config from '../../reconciler.config.ts';
import { defaultKinds } from '../../shared/config/define-config.ts';
import { checkKinds } from '../check/check-kinds.ts';
import { allowFieldLoss, fieldLossIn } from '../check/field-loss.ts';
import { generatedFiles } from '../generate/files.ts';

/** Writes the files generated from the kinds, unless a kind has a problem or its new CRD loses a field. */
const kinds = defaultKinds(config);
const { problems, warnings } = await checkKinds(kinds);
for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
const isAllowed = process.argv.includes(allowFieldLoss);
const loss = isAllowed ? undefined : fieldLossIn(fileFor('.'), kinds);
const refusals = [...problems, ...(loss === undefined ? [] : [loss])];
if (refusals.length === 0) await replaceFiles(generatedFiles(kinds, config.identity.name));
else {
  process.stderr.write(`${refusals.join('\n')}\n`);
  process.exitCode = 1;
}

async function replaceFiles(files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    const file = fileFor(path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    process.stdout.write(`${join('infra', path)}\n`);
  }
  // Deletes files of removed kinds, because both directories hold generated files only.
  for (const directory of ['crds', 'samples'])
    for (const name of await readdir(fileFor(directory))) {
      const path = `${directory}/${name}`;
      if (files.has(path)) continue;
      await rm(fileFor(path));
      process.stdout.write(`${join('infra', path)} removed\n`);
    }
}

function fileFor(path: string): string {
  return join(import.meta.dirname, '..', path);
}
