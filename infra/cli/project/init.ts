import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { messageOf } from '../../../shared/cluster/cluster-errors.ts';
import { archiveFor, InitError, initProject, isDependency } from '../../init/init.ts';
import { configNames } from '../../project/config-file.ts';
import { type Cli, example } from '../base/cli.ts';
import { CommandError, UsageError } from '../base/command-errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import type { Terminal } from '../base/terminal.ts';
import { printLines } from '../output/print.ts';

interface InitAnswers {
  readonly group: string;
  readonly kind: string;
}

interface GivenOptions extends Partial<InitAnswers> {
  readonly yes?: true;
}

const defaults: InitAnswers = { group: 'example.org', kind: 'Cache' };

export function addInit(program: Command, { terminal }: Cli): void {
  program
    .command('init')
    .argument('[directory]', 'directory of the project; default: the current directory')
    .summary('create a project with one working kind')
    .description(
      'Creates a reconciler of your own: a configuration, one kind with its test, and package.json. Existing files are kept; if there is a configuration with other kinds, nothing is created.',
    )
    .option('--group <group>', `API group of the kind; default: ${defaults.group}`)
    .option('--kind <kind>', `name of the kind; default: ${defaults.kind}`)
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', example('init my-reconciler', 'init . --group example.org --kind Cache'))
    .action(async (given: string | undefined, options: GivenOptions) => {
      const directory = resolve(given ?? '.');
      const answers = checked(await answersTo(terminal, options));
      const { npm_config_user_agent: npm } = terminal.env;
      const made = await initProject({ directory, ...answers, configNames, npm }).catch(notMade);
      const where = given === undefined || given === '.' ? [] : [`  cd ${shellQuote(given)}`];
      const hadManifest = made.some(({ path, existed }) => path === 'package.json' && existed);
      const isThere = await isDependency(directory);
      const dependency = shellQuote((await archiveFor(directory)) ?? 'serverless-reconciler');
      printLines(terminal.out, [
        ...made.map(({ path, existed }) => `${existed ? 'kept   ' : 'created'} ${path}`),
        '',
        'Next:',
        ...where,
        isThere ? '  npm install' : `  npm install ${dependency}`,
        hadManifest ? '  npx reconciler start' : '  npm start',
      ]);
    });
}

function notMade(error: unknown): never {
  if (error instanceof InitError) throw new UsageError(`${error.message}; nothing was written`);
  throw new CommandError(`the project cannot be created: ${messageOf(error)}; nothing was written`);
}

async function answersTo(terminal: Terminal, options: GivenOptions): Promise<InitAnswers> {
  const { group, kind, yes } = options;
  if (yes || terminal.err.isTTY !== true || (group !== undefined && kind !== undefined))
    return { ...defaults, ...options };
  const questions = createInterface({ input: process.stdin, output: terminal.err });
  try {
    const ask = async (question: string, otherwise: string): Promise<string> =>
      (await questions.question(`${question} (${otherwise}): `)).trim() || otherwise;
    return {
      group: group ?? (await ask('API group of your kind', defaults.group)),
      kind: kind ?? (await ask('Name of your kind', defaults.kind)),
    };
  } finally {
    questions.close();
  }
}

function checked({ group, kind }: InitAnswers): InitAnswers {
  if (!/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(group))
    throw new UsageError(
      `--group: "${group}" is not an API group; give a domain, such as example.org`,
    );
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(kind))
    throw new UsageError(
      `--kind: "${kind}" is not the name of a kind; give an upper-case letter, then letters and digits, such as Cache`,
    );
  return { group, kind };
}
