import type { Command } from 'commander';
import { defaultKinds } from '../../../shared/config/define-config.ts';
import { buildFunctions } from '../../build/build.ts';
import { soundKinds } from '../base/check-kinds.ts';
import { type Cli, example } from '../base/cli.ts';
import { printLines } from '../output/print.ts';

export function addBuild(program: Command, { terminal, config, configFile }: Cli): void {
  program
    .command('build')
    .summary('make what is deployed, from the configuration')
    .description(
      'Makes dist/resync/ and dist/audit/ beside the configuration: each is one function, ready to upload. Contacts no cluster.',
    )
    .addHelpText('after', example('build'))
    .action(async () => {
      await soundKinds(terminal, defaultKinds(await config()));
      await buildFunctions(configFile(), (line) => printLines(terminal.out, [line]));
    });
}
