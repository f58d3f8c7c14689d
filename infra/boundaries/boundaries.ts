import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../package-root.ts';
import { withTable } from './markdown.ts';
import { rules } from './table.ts';
import { violationsIn } from './violations.ts';

const document = 'ARCHITECTURE.md';

function readSources(): ReadonlyMap<string, string> {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx', '*.mts'];
  const files = execFileSync('git', list, { cwd: packageRoot, encoding: 'utf8' }).split('\n');
  return new Map(
    files
      .map((file): [string, string] => [file, join(packageRoot, file)])
      .filter(([file, path]) => file !== '' && existsSync(path))
      .map(([file, path]) => [file, readFileSync(path, 'utf8')]),
  );
}

/** With `--check`, reports violations and an outdated table; otherwise writes the table into ARCHITECTURE.md. */
const path = join(packageRoot, document);
const text = readFileSync(path, 'utf8');
const current = withTable(text, rules);
if (process.argv.includes('--check')) {
  const errors = violationsIn(readSources(), rules);
  for (const error of errors) process.stderr.write(`${error}\n`);
  if (errors.length > 0)
    process.stderr.write('Change the import, or a row in infra/boundaries/table.ts.\n');
  if (text !== current)
    process.stderr.write(
      `the table in ${document} is out of date: run npm run generate:boundaries\n`,
    );
  if (errors.length > 0 || text !== current) process.exitCode = 1;
} else if (text !== current) {
  writeFileSync(path, current);
  process.stdout.write(`${document}\n`);
}
