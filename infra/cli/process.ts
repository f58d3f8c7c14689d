import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { findConfig, loadConfig, localKubeconfig, nearestProject } from '../project/config-file.ts';
import type { AddCommand } from './base/cli.ts';
import { runCommand } from './run-command.ts';

export async function runInProcess(further: readonly AddCommand[] = []): Promise<void> {
  const isOption = (arg: string, at: number): boolean =>
    arg.startsWith('-') || process.argv[at + 1] === '--config';
  const command = process.argv.slice(2).find((arg, at) => !isOption(arg, at)) ?? '';
  // If a reader such as `head` closes the output early, only `start` and `dashboard` end: all other commands must
  // complete their writes.
  const isLasting = ['start', 'dashboard'].includes(command);
  const leave = ({ code }: NodeJS.ErrnoException): void => {
    if (code === 'EPIPE' && isLasting) process.exit(0);
  };
  process.stderr.on('error', leave);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    leave(error);
    if (error.code === 'EPIPE') return;
    process.stderr.write(`the output cannot be written: ${error.message}\n`);
    process.exit(1);
  });

  // Changes to INIT_CWD, to which the user's paths are relative: `npm run` starts in the package's directory.
  const { INIT_CWD, npm_package_json } = process.env;
  if (INIT_CWD !== undefined && npm_package_json === join(process.cwd(), 'package.json'))
    process.chdir(INIT_CWD);

  process.exitCode = await runCommand(
    process.argv.slice(2),
    {
      env: process.env,
      out: process.stdout,
      err: process.stderr,
      configFile: (given) => findConfig(process.cwd(), given),
      loadConfig,
      localKubeconfig: localKubeconfig(nearestProject(process.cwd())),
      now: () => new Date(),
      wait: delay,
      threads: availableParallelism(),
      confirm: process.stdin.isTTY && process.stderr.isTTY ? confirm : undefined,
    },
    further,
  );
}

/** Returns false if the input ends. */
async function confirm(question: string): Promise<boolean> {
  const { stdin: input, stderr: output } = process;
  const lines = createInterface({ input, output });
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    const answer = await Promise.race([lines.question(`${question} [y/N] `), ended]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
