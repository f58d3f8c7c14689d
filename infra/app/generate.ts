import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import config from '../../reconciler.config.ts';
import { defaultKinds } from '../../shared/config/define-config.ts';
import { generatedFiles } from '../generate/files.ts';

/** Writes what follows from the kinds: run it after changing a kind. */
for (const [path, text] of generatedFiles(defaultKinds(config))) {
  const file = join(import.meta.dirname, '..', path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  process.stdout.write(`${join('infra', path)}\n`);
}
