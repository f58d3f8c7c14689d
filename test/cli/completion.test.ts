import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runAlone } from './command-runner.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cli-completion-'));
  const contexts = ['prod', 'staging'].map((name) => ({ name }));
  await writeFile(join(directory, 'kubeconfig'), JSON.stringify({ contexts }));
  await writeFile(join(directory, 'plan.json'), '');
});
afterAll(() => rm(directory, { recursive: true }));

const completed = async (words: readonly string[]): Promise<readonly string[]> => {
  const env = { KUBECONFIG: join(directory, 'kubeconfig') };
  const { code, out } = await runAlone(['complete', '--', ...words], { env, home: directory });
  expect(code).toBe(0);
  return out.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0] ?? '']));
};

const cases: Record<string, { words: string[]; want: readonly string[]; why: string }> = {
  commands: { words: ['res'], want: ['resync'], why: 'only one command begins with the word' },
  subcommands: {
    words: ['app', 'te'],
    want: ['teardown'],
    why: 'commands of the program are not offered after a command',
  },
  'no hidden command': {
    words: ['compl'],
    want: ['completion'],
    why: 'the command complete is hidden',
  },
  options: { words: ['plan', '--ex'], want: ['--exit-code'], why: 'the option belongs to plan' },
  'options of the program': { words: ['plan', '--con'], want: ['--context', '--config'], why: '' },
  choices: { words: ['apply', '-o', ''], want: ['text', 'json'], why: 'the option has choices' },
  'choices after =': {
    words: ['apply', '--output=j'],
    want: ['--output=json'],
    why: 'zsh and fish pass option and value as one word',
  },
  'choices after = in bash': {
    words: ['apply', '--output', '=', 'j'],
    want: ['json'],
    why: 'bash passes = as a word',
  },
  'choices right after =': {
    words: ['apply', '--output', '='],
    want: ['text', 'json'],
    why: 'bash passes = as a word, which no choice begins with',
  },
  kinds: {
    words: ['plan', '--kind', 'Web'],
    want: ['Website'],
    why: 'the configuration has the kind',
  },
  contexts: {
    words: ['plan', '--context', ''],
    want: ['prod', 'staging'],
    why: 'contexts of KUBECONFIG',
  },
  'contexts of a file': {
    words: ['plan', '--kubeconfig', 'KUBECONFIG', '--context', 's'],
    want: ['staging'],
    why: 'contexts of the file in an earlier option',
  },
  'an unreadable kubeconfig': {
    words: ['plan', '--kubeconfig', '/none', '--context', ''],
    want: [],
    why: 'completion reports no errors',
  },
  'file names': { words: ['apply', 'pl'], want: [], why: 'file names are left to the shell' },
  arguments: {
    words: ['completion', ''],
    want: ['bash', 'zsh', 'fish'],
    why: 'the argument has choices',
  },
  'kinds as arguments': { words: ['status', 'F'], want: ['Foo'], why: 'KIND or KIND NAME' },
  'no name': {
    words: ['status', 'Foo', ''],
    want: [],
    why: 'names of resources are not completed, because that needs a request',
  },
  'the kind of a subcommand': {
    words: ['rollout', 'pause', 'Web'],
    want: ['Website'],
    why: 'the argument of the subcommand is a kind',
  },
  'one shell': {
    words: ['completion', 'bash', ''],
    want: [],
    why: 'the command has only one argument',
  },
  'the value of an option is no command': {
    words: ['plan', '--kind', 'apply', '--y'],
    want: [],
    why: 'apply has --yes, plan does not',
  },
};

it.each(Object.entries(cases))('completes %s', async (_, { words, want }) => {
  const file = join(directory, 'kubeconfig');
  const given = words.map((word) => (word === 'KUBECONFIG' ? file : word));
  expect(await completed(given)).toEqual(want);
});
