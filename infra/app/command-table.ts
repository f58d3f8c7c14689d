import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withPart } from '../generated-part.ts';
import { packageRoot } from '../package-root.ts';

/** Returns the README with the table of commands except `app`, which only this repository has. */
export function withCommands(readme: string, completed: string): string {
  const rows = completed
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([name]) => name !== 'help' && name !== 'app')
    .map(([name, summary]) => `| \`${name}\` | ${summary} |\n`);
  const table = ['| command | purpose |\n|---|---|\n', ...rows];
  return withPart(readme, 'generate:commands', table.join(''));
}

/** Writes the table into README.md. Run this script after changing a command's name or summary. */
if (import.meta.main) {
  const file = join(packageRoot, 'README.md');
  const main = join(import.meta.dirname, 'main.ts');
  const completed = execFileSync(process.execPath, [main, 'complete', '--', ''], {
    encoding: 'utf8',
  });
  writeFileSync(file, withCommands(readFileSync(file, 'utf8'), completed));
}
