import { Command, CommanderError } from 'commander';
import { printable } from '../../shared/printable.ts';
import { commandName, manifest } from '../package-root.ts';
import { type AddCommand, createCli, example } from './base/cli.ts';
import { describeError, exitCodeOf, exitCodes } from './base/command-errors.ts';
import type { Terminal } from './base/terminal.ts';
import { addAdopt } from './commands/adopt.ts';
import { addApply } from './commands/apply.ts';
import { addBisect } from './commands/bisect.ts';
import { addCompare } from './commands/compare.ts';
import { addDashboard } from './commands/dashboard.ts';
import { addDoctor } from './commands/doctor.ts';
import { addHistory } from './commands/history.ts';
import { addImpact } from './commands/impact.ts';
import { addPlan } from './commands/plan.ts';
import { addRelease } from './commands/release.ts';
import { addReplay } from './commands/replay.ts';
import { addResync } from './commands/resync.ts';
import { addRollout } from './commands/rollout.ts';
import { addStatus } from './commands/status.ts';
import { addWhy } from './commands/why.ts';
import { printErrorAsJson, printLines } from './output/print.ts';
import { addBuild } from './project/build.ts';
import { addCompletion } from './project/completion.ts';
import { addGenerate } from './project/generate.ts';
import { addInit } from './project/init.ts';
import { addStart } from './project/start.ts';
import { addVerify } from './project/verify.ts';

const description = [
  'Plans, applies and inspects the custom resources of serverless-reconciler from a terminal.',
  'Commands that use a cluster take --context NAME and --kubeconfig FILE. The configuration variables of the functions (KINDS, NAMESPACES, PRUNE_LIMIT, settings of the kinds, …) apply here too: set them to the same values, or a plan will differ from what the functions do. The kubeconfig that npm start writes contains the settings of the functions that it runs.',
].join('\n\n');

const after = `
With -o json, stdout contains only JSON; everything else goes to stderr. Use npm run -s, because
npm run without -s prints a heading on stdout.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the plan has changes (plan --exit-code), two
versions differ (compare), or a recording and this code decide differently (replay, bisect).
${example('plan', 'apply', 'status KIND', 'status KIND NAME')}`;

const commands: readonly AddCommand[] = [
  addInit,
  addStart,
  addPlan,
  addApply,
  addAdopt,
  addResync,
  addReplay,
  addBisect,
  addImpact,
  addStatus,
  addHistory,
  addWhy,
  addRelease,
  addRollout,
  addCompare,
  addDashboard,
  addDoctor,
  addVerify,
  addGenerate,
  addBuild,
  addCompletion,
];

/** Never throws. Returns the exit code. */
export async function runCommand(
  args: readonly string[],
  terminal: Terminal,
  further: readonly AddCommand[] = [],
): Promise<number> {
  const { out, err } = terminal;
  const program = new Command(commandName)
    .description(description)
    .addHelpText('after', after)
    .version(manifest.version)
    .option('--config <file>', 'configuration file; default: the nearest reconciler.config.ts')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => out.write(text),
      writeErr: (text) => err.write(printable(text)),
    })
    .showHelpAfterError('(--help lists the options, with an example)')
    .showSuggestionAfterError();
  const cli = createCli(terminal, () => program.opts<{ config?: string }>().config);
  for (const add of [...commands, ...further]) add(program, cli);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return cli.exitCode();
  } catch (error) {
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    printErrorAsJson(out, args, describeError(error));
    printLines(err, [describeError(error)]);
    return exitCodeOf(error);
  }
}
