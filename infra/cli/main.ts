import { join } from 'node:path';
import { runCommand } from './command.ts';

// The reader of the output, `head` for one, may close it early.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  process.exit(code === 'EPIPE' ? 0 : 1);
});

// npm runs this where the package is; files are named from where the operator is.
if (process.env.INIT_CWD !== undefined) process.chdir(process.env.INIT_CWD);

process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  out: process.stdout,
  err: process.stderr,
  localKubeconfig: join(import.meta.dirname, '..', '..', '.local', 'kubeconfig'),
  now: () => new Date(),
});
