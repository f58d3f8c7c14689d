import type { Command } from 'commander';
import { type Cli, example } from '../base/cli.ts';
import { UsageError } from '../base/command-errors.ts';
import { requestFrom, withResource, type YesOptions } from '../base/request-options.ts';
import { outputOption } from '../output/print.ts';
import { applyPlan } from '../plan/apply-plan.ts';

export function addAdopt(program: Command, { onCluster }: Cli): void {
  withResource(program.command('adopt'))
    .summary('take over children without an owner, as after a restore')
    .description(
      'Takes over children that have lost their owner, for example because a backup was restored. Such a child has the labels of the resource, and its owner reference is missing or names a former resource of the same name. Plans at most 100 resources at a time, asks for confirmation, applies exactly that plan, and waits until the children are ready, for at most SETTLE_SECONDS.',
    )
    .option('-y, --yes', 'do not ask before adopting')
    .addOption(outputOption())
    .addHelpText('after', example('adopt KIND', 'adopt KIND NAME -n team-a'))
    .action((words: readonly string[], options: YesOptions) =>
      onCluster(options, async (session) => {
        const request = requestFrom(session, options, words);
        if (request.kind === undefined)
          throw new UsageError('name the resources whose children to adopt: KIND or KIND NAME');
        return applyPlan(session, { command: 'adopt', request, ...options });
      }),
    );
}
