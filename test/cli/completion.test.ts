import { execFile, execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runAlone } from './command-runner.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cli-completion-'));
  const contexts = ['prod', 'staging'].map((name) => ({ name }));
  await writeFile(join(directory, 'kubeconfig'), JSON.stringify({ contexts }));
  await writeFile(join(directory, 'plan.json'), '');
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

const completed = async (words: readonly string[]): Promise<readonly string[]> => {
  const env = { KUBECONFIG: join(directory, 'kubeconfig') };
  const { code, out } = await runAlone(['complete', '--', ...words], { env, home: directory });
  expect(code).toBe(0);
  return out.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0] ?? '']));
};

const cases: Record<string, { words: string[]; want: readonly string[]; why: string }> = {
  commands: { words: ['res'], want: ['resync'], why: 'a command begins so' },
  'commands of a command': {
    words: ['app', 'te'],
    want: ['teardown'],
    why: 'those of the program do not fit',
  },
  'no hidden command': { words: ['compl'], want: ['completion'], why: 'complete is for scripts' },
  options: { words: ['plan', '--ex'], want: ['--exit-code'], why: 'an option of plan' },
  'options of the program': { words: ['plan', '--con'], want: ['--context', '--config'], why: '' },
  choices: { words: ['apply', '-o', ''], want: ['text', 'json'], why: 'the option has choices' },
  'choices after =': {
    words: ['apply', '--output=j'],
    want: ['--output=json'],
    why: 'zsh and fish leave it one word',
  },
  'choices after = in bash': {
    words: ['apply', '--output', '=', 'j'],
    want: ['json'],
    why: 'bash makes = a word',
  },
  'choices right after =': {
    words: ['apply', '--output', '='],
    want: ['text', 'json'],
    why: 'bash makes = a word, which is not the beginning of a choice',
  },
  kinds: { words: ['plan', '--kind', 'Web'], want: ['Website'], why: 'of the configuration' },
  contexts: { words: ['plan', '--context', ''], want: ['prod', 'staging'], why: 'of KUBECONFIG' },
  'contexts of a file': {
    words: ['plan', '--kubeconfig', 'KUBECONFIG', '--context', 's'],
    want: ['staging'],
    why: 'the file that stands before it',
  },
  'an unreadable kubeconfig': {
    words: ['plan', '--kubeconfig', '/none', '--context', ''],
    want: [],
    why: 'completion reports no errors',
  },
  'file names': { words: ['apply', 'pl'], want: [], why: 'the shell completes them' },
  arguments: { words: ['completion', ''], want: ['bash', 'zsh', 'fish'], why: 'it has choices' },
  'the value of an option is no command': {
    words: ['plan', '--kind', 'apply', '--y'],
    want: [],
    why: 'apply has --yes, plan has not',
  },
};

it.each(Object.entries(cases))('completes %s', async (_, { words, want }) => {
  const file = join(directory, 'kubeconfig');
  const given = words.map((word) => (word === 'KUBECONFIG' ? file : word));
  expect(await completed(given)).toEqual(want);
});

/** How each shell completes a line, from within a script. */
const shells = {
  bash: (line: string) => {
    const words = line.split(' ');
    return `source completion.bash
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_reconciler; printf '%s\\n' "\${COMPREPLY[@]}"`;
  },
  fish: (line: string) => `source completion.fish; complete -C '${line}' | string split -f1 \\t`,
  // Outside of a line that is edited, zsh's own functions do nothing.
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

  it.runIf(isInstalled(shell))('completes commands, and what only the command knows', async () => {
    expect(await run('reconciler resy')).toMatch(/\bresync\b/);
    expect(await run('reconciler plan --exit')).toMatch(/--exit-code\b/);
  });
});

function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
