import { ConfigError } from '../../shared/config/error.ts';
import { checkKind } from '../../shared/kinds/check-kind.ts';
import type { Kind } from '../../shared/kinds/kind.ts';

/** The kinds, if nothing is wrong with their samples and children. Throws a ConfigError that lists what is. */
export function soundKinds(kinds: readonly Kind[]): readonly Kind[] {
  const problems = kinds.flatMap(checkKind);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return kinds;
}
