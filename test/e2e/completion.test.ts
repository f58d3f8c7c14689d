import { execFile, execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runAlone } from '../cli/command-runner.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cli-completion-'));
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { out } = await runAlone(['completion', shell], { home: directory });
    await writeFile(join(directory, `completion.${shell}`), out);
  }
  const main = join(import.meta.dirname, '../../infra/cli/main.ts');
  const command = join(directory, 'reconciler');
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  await chmod(command, 0o755);
});
afterAll(() => rm(directory, { recursive: true }));

/** Scripts that complete a line in each shell. */
const shells = {
  bash: (line: string) => {
    const words = line.split(' ');
    return `source completion.bash
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_reconciler; printf '%s\\n' "\${COMPREPLY[@]}"`;
  },
  fish: (line: string) => `source completion.fish; complete -C '${line}' | string split -f1 \\t`,
  // Replaces functions of zsh that do nothing unless a line is being edited.
  zsh: (line: string) => {
    const words = line.split(' ');
    return `compdef() {}; _describe() { print -rl -- $found }; source completion.zsh
words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}; _reconciler`;
  },
};

describe.each(Object.entries(shells))('%s', (shell, script) => {
  const run = async (line: string): Promise<string> => {
    const path = [directory, process.env.PATH].join(delimiter);
    const args = shell === 'fish' ? ['--no-config', '-c'] : shell === 'zsh' ? ['-f', '-c'] : ['-c'];
    const { stdout } = await promisify(execFile)(shell, [...args, script(line)], {
      cwd: directory,
      env: { ...process.env, PATH: path, HOME: directory, TERM: 'dumb' },
      timeout: 60_000,
    });
    return stdout;
  };

  it.runIf(isInstalled(shell))(
    'completes commands, and words that `reconciler complete` provides',
    async () => {
      expect(await run('reconciler resy')).toMatch(/\bresync\b/);
      expect(await run('reconciler plan --exit')).toMatch(/--exit-code\b/);
    },
  );
});

function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
