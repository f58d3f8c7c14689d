import { ConfigError } from '../../../shared/environment.ts';
import type { Kind } from '../../../shared/kinds/kind.ts';
import { printLines } from '../output/print.ts';
import type { Terminal } from './terminal.ts';

/** Checks kinds by dry runs of their samples and children. Throws a ConfigError with the problems; prints warnings. */
export async function requireValidKinds(
  { err }: Pick<Terminal, 'err'>,
  kinds: readonly Kind[],
): Promise<readonly Kind[]> {
  // Imports `check-kinds.ts` only here, because it loads the local cluster, which other commands do not need.
  const { checkKinds } = await import('../../check/check-kinds.ts');
  const { problems, warnings } = await checkKinds(kinds);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  printLines(
    err,
    warnings.map((warning) => `warning: ${warning}`),
  );
  return kinds;
}
