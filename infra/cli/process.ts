import { findConfig, loadConfig, localKubeconfig, nearestProject } from '../project/config-file.ts';
import { type AddCommand, runCommand } from './command.ts';

/** Runs the command line of this process, with further commands. */
export async function runInProcess(further: readonly AddCommand[] = []): Promise<void> {
  // The reader of the output, `head` for one, may close it early.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    process.exit(code === 'EPIPE' ? 0 : 1);
  });

  // npm runs this where the package is; files are named from where the operator is.
  if (process.env.INIT_CWD !== undefined) process.chdir(process.env.INIT_CWD);

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
    },
    further,
  );
}
