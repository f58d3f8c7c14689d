import type { Command } from 'commander';
import { defaultKinds } from '../../../shared/config/define-config.ts';
import { buildFunctions } from '../../build/build.ts';
import { type Cli, example } from '../base/cli.ts';
import { requireValidKinds } from '../base/require-valid-kinds.ts';
import { printLines } from '../output/print.ts';

export function addBuild(program: Command, { terminal, config, configFile }: Cli): void {
  program
    .command('build')
    .summary('bundle the functions for deployment')
    .description(
      'Builds dist/resync/ and dist/audit/ next to the configuration: each is one function, ready to upload. Contacts no cluster.',
    )
    .addHelpText('after', example('build'))
    .action(async () => {
      await requireValidKinds(terminal, defaultKinds(await config()));
      await buildFunctions(configFile(), (line) => printLines(terminal.out, [line]));
    });
}
