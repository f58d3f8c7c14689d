import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { runAlone } from '../cli/command-runner.ts';
import { newDirectory } from '../support/directories.ts';

const pageOf = (name: string): Promise<string> =>
  readFile(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
const text = await pageOf('deploying');
const pages = await Promise.all(
  ['operating', 'upgrading', 'getting-started', 'alerts'].map(pageOf),
);

/** Lists the commands as a shell reads them: continued lines joined, comments and pipes cut off. */
const commandsIn = (page: string): readonly string[] =>
  [...page.replaceAll(/ \\\n +/g, ' ').matchAll(/npx reconciler (generate [^`|#\n]*)/g)].map(
    ([, command = '']) => command.trim(),
  );
const commands = [...new Set([text, ...pages].flatMap(commandsIn))];

const variables: Readonly<Record<string, string>> = {
  PROJECT: 'my-project',
  REGION: 'europe-west1',
  LOCATION: 'europe-west1',
  CLUSTER: 'main',
};

it('docs/deploying.md has a command for each way to deploy', () => {
  expect(commands.map((command) => command.split(' ')[1])).toEqual(
    expect.arrayContaining(['crds', 'container', 'kubernetes', 'knative', 'terraform', 'workflow']),
  );
});

it.each(commands)('docs/deploying.md: %s works as written', async (command) => {
  const out = await newDirectory('deploying-');
  const argv = command
    .replaceAll(/\$([A-Z]+)/g, (_, name: string) => variables[name] ?? '')
    .replace(/--out \S+/, `--out ${out}`)
    .split(' ');
  const env = { CLUSTER_ENDPOINT: 'a.gke.goog' };
  expect(await runAlone(argv, { env, home: out })).toMatchObject({
    code: 0,
    err: command.includes('knative') ? expect.stringContaining('--audit-url') : '',
  });
});

it('docs/deploying.md states what was not tried', () => {
  expect(text).toMatch(/\*\*Not tried\*\*: .*Docker.*Knative.*GitHub.*project/);
});
