import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { kinds } from '../../shared/kinds/all.ts';
import { checkKind } from '../../shared/kinds/check-kind.ts';
import { generatedFiles } from './files.ts';

/** Writes what follows from the kinds, if nothing is wrong with them: run it after changing a kind. */
const problems = kinds.flatMap(checkKind);
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
for (const [path, text] of problems.length > 0 ? [] : generatedFiles()) {
  const file = join(import.meta.dirname, '..', path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  process.stdout.write(`${join('infra', path)}\n`);
}
