import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generatedFiles } from './files.ts';

/** Writes what follows from the kinds: run it after changing a kind. */
for (const [path, text] of generatedFiles()) {
  const file = join(import.meta.dirname, '..', path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  process.stdout.write(`${join('infra', path)}\n`);
}
