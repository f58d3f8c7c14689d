import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import config from '../../reconciler.config.ts';
import { defaultKinds } from '../../shared/config/define-config.ts';
import { checkKind } from '../../shared/kinds/check-kind.ts';
import { generatedFiles } from '../generate/files.ts';

/** Writes what follows from the kinds, if nothing is wrong with them: run it after changing a kind. */
const kinds = defaultKinds(config);
const problems = kinds.flatMap(checkKind);
for (const problem of problems)
  process.stderr.write(`${problem}
`);
if (problems.length > 0) process.exitCode = 1;
for (const [path, text] of problems.length > 0 ? [] : generatedFiles(kinds)) {
  const file = join(import.meta.dirname, '..', path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  process.stdout.write(`${join('infra', path)}\n`);
}
