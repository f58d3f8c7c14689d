import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Environment } from '../../../shared/environment.ts';

interface PlanCommand {
  /** The main module of the `reconciler` command. */
  readonly main: string;
  readonly config: string;
  readonly context: string;
  readonly kubeconfig: string | undefined;
  /** The functions' environment, so that the command makes the same plan as they do. */
  readonly env: Environment;
}

/** Runs `reconciler plan` in a separate process, because this process loaded the kinds before they changed. */
export async function printPlanOfReload({ main, config, context, kubeconfig, env }: PlanCommand) {
  const chosen = kubeconfig === undefined ? [] : ['--kubeconfig', kubeconfig];
  const args = [main, '--config', config, 'plan', '--context', context, ...chosen];
  await once(
    spawn(process.execPath, args, { env: { ...env }, stdio: ['ignore', 'inherit', 'inherit'] }),
    'exit',
  );
}

/**
 * Resolves to true at the next line of input, and to false once `newer` is aborted.
 *
 * Guarantees: ignores input before the call, provided that the stream was flowing.
 */
export async function enterPressed(input: Readable, newer: AbortSignal): Promise<boolean> {
  try {
    await once(input, 'data', { signal: newer });
    return true;
  } catch (error) {
    if (newer.aborted) return false;
    throw error;
  }
}
