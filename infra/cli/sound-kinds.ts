import { ConfigError } from '../../shared/config/error.ts';
import type { Kind } from '../../shared/kinds/kind.ts';

/** The kinds, if nothing is wrong with their samples and children. Throws a ConfigError that lists what is. */
export async function soundKinds(kinds: readonly Kind[]): Promise<readonly Kind[]> {
  // It loads the local cluster, which no other command needs.
  const { checkKinds } = await import('../dry-run/check-kinds.ts');
  const problems = await checkKinds(kinds);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return kinds;
}
