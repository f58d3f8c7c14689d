import type { Command } from 'commander';
import { buildFunctions } from '../build/build.ts';
import { type Cli, example } from './cli.ts';
import { printLines } from './print.ts';

export function addBuild(program: Command, { terminal, configFile }: Cli): void {
  program
    .command('build')
    .summary('make what is deployed, from the configuration')
    .description(
      'Makes dist/resync/ and dist/audit/ beside the configuration: each is one function, ready to upload. Contacts no cluster.',
    )
    .addHelpText('after', example('build'))
    .action(() => buildFunctions(configFile(), (line) => printLines(terminal.out, [line])));
}
