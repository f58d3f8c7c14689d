import { join } from 'node:path';
import { findConfig, loadConfig, localKubeconfig, nearestProject } from '../project/config-file.ts';
import { type AddCommand, runCommand } from './command.ts';

/** Runs the command line of this process, with further commands. */
export async function runInProcess(further: readonly AddCommand[] = []): Promise<void> {
  // The reader of the output, `head` for one, may close it early.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    process.exit(code === 'EPIPE' ? 0 : 1);
  });

  // `npm run` changes to the package's directory; files are named from where the operator is.
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
    },
    further,
  );
}
