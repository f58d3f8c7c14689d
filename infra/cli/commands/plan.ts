import type { Command } from 'commander';
import { commandName } from '../../package-root.ts';
import { type Cli, example } from '../base/cli.ts';
import { exitCodes } from '../base/command-errors.ts';
import { type FieldLossOptions, withFieldLoss } from '../base/field-loss.ts';
import {
  type ResourceOptions,
  requestFrom,
  requireFound,
  withResource,
} from '../base/request-options.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { outputOption, printLines } from '../output/print.ts';
import { fieldLosses, isComplete, makePlan, refusedBy, writes } from '../plan/make-plan.ts';
import { planFile, writePlanFile } from '../plan/plan-file.ts';
import { type PlanFormat, printPlan } from '../plan/print-plan.ts';

interface PlanOptions extends ResourceOptions<PlanFormat>, FieldLossOptions {
  readonly out?: string;
  readonly exitCode?: true;
  readonly server?: true;
}

export function addPlan(program: Command, { onCluster, terminal }: Cli): void {
  withFieldLoss(withResource(program.command('plan')))
    .summary('show what the next run would do, and why')
    .description(
      'Shows what the next run would do, and why. Writes nothing, and shows no values of Secrets. Before planning a create, looks for the child by name, to report an existing object of that name. -o diff shows changes to children, as kubectl diff does; the table and -o json also show statuses and Events. Exits with 1 if a new CRD would drop or refuse values of stored resources.',
    )
    .addOption(outputOption(['table', 'diff', 'markdown']))
    .option('--out <file>', 'write the plan to a file, for apply FILE')
    .option('--server', 'let the server check each write with a dry run')
    .option('--exit-code', 'exit with 3 if a run would write anything')
    .addHelpText(
      'after',
      example(
        'plan',
        'plan KIND NAME -n team-a -o diff',
        'plan --out plan.json --exit-code',
        'plan -o json',
      ),
    )
    .action((words: readonly string[], options: PlanOptions) =>
      onCluster(options, async (session) => {
        const request = requestFrom(session, options, words);
        const { seen } = await makePlan(session, request);
        const { preview } = seen;
        if (isComplete(preview)) await requireFound(session, request, preview.total);
        const refused = options.server ? await refusedBy(session, seen) : undefined;
        const losses = await fieldLosses(session, request);
        printPlan(terminal, { request, preview, refused, losses, format: options.output });
        if (options.out !== undefined) {
          writePlanFile(options.out, planFile(request, preview));
          printLines(terminal.err, [
            `Plan written to ${options.out}; to apply it: ${commandName} apply ${shellQuote(options.out)}`,
          ]);
        }
        const isLossy = losses.length > 0 && !options.allowFieldLoss;
        if (!isComplete(preview) || isLossy || (refused ?? []).length > 0) return exitCodes.failed;
        return options.exitCode && writes(preview) ? exitCodes.changes : exitCodes.done;
      }),
    );
}
