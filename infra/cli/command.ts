import { Command, CommanderError } from 'commander';
import { printable } from '../../shared/printable.ts';
import { addApp } from './app/app.ts';
import { addApply } from './apply.ts';
import { createCli, example } from './cli.ts';
import { addDoctor } from './doctor.ts';
import { exitCodeOf, exitCodes, explain } from './errors.ts';
import { addGenerate } from './generate.ts';
import { addPlan } from './plan.ts';
import { printJson, printLines } from './print.ts';
import { addResync } from './resync.ts';
import { addStatus } from './status.ts';
import type { Terminal } from './terminal.ts';

const description = [
  'Looks after the custom resources of serverless-reconciler from a terminal.',
  'Every command works on one cluster: --context NAME and --kubeconfig FILE choose it. The configuration variables of the functions (KINDS, NAMESPACES, PRUNE_LIMIT, AUTH_URL, …) hold here too: set them as the functions have them, or a plan differs from what the functions do. The kubeconfig that npm start writes brings along what its functions are given.',
].join('\n\n');

const after = `
With -o json the answer is clean JSON, everything else goes to the error stream; npm run needs -s for
it, to leave its own heading away.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the plan has changes (plan --exit-code).
${example('plan', 'apply', 'status --kind Website')}`;

/** `-o json`, in any spelling; the last one given counts, and other values are refused before this. */
const isJson = (args: readonly string[]): boolean =>
  /(^| )(-o ?|--output[= ])json( |$)/.test(args.join(' '));

/** One command of the operator: its answer goes to `out`, everything else to `err`. Never throws. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { out, err } = terminal;
  const cli = createCli(terminal);
  const program = new Command('npm run reconciler --')
    .description(description)
    .addHelpText('after', after)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => out.write(text),
      writeErr: (text) => err.write(printable(text)),
    })
    .showHelpAfterError('(--help lists the options, with an example)')
    .showSuggestionAfterError();
  for (const add of [addPlan, addApply, addResync, addStatus, addDoctor, addGenerate, addApp])
    add(program, cli);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return cli.exitCode();
  } catch (error) {
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    if (isJson(args)) printJson(out, { error: explain(error) });
    printLines(err, [explain(error)]);
    return exitCodeOf(error);
  }
}
