import { join } from 'node:path';
import { runCommand } from './command.ts';

// Whoever reads the answer, `head` for one, may have seen enough.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  process.exit(code === 'EPIPE' ? 0 : 1);
});

process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  out: process.stdout,
  err: process.stderr,
  localKubeconfig: join(import.meta.dirname, '..', '..', '.local', 'kubeconfig'),
  now: () => new Date(),
});
