import type { Command } from 'commander';
import type { Cli } from '../base/cli.ts';

export function addStart(program: Command, { configFile }: Cli): void {
  program
    .command('start')
    .summary('run everything on this machine, with an embedded cluster')
    // `start` parses its own options.
    .allowUnknownOption()
    .helpOption(false)
    .argument('[options...]')
    .action(async (_, __, { args }: Command) => {
      const { start } = await import('../../start/start.ts');
      await start(args, configFile);
    });
}
