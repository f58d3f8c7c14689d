import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { type GoRegExp, goRegExp } from '../go/regexp.ts';

/** Limit of compiled patterns that are kept: a rule may compute a new pattern for each value. */
const maxCompiled = 50;

/** Registers Kubernetes' `find` and `findAll`. */
export function registerRegularExpressions(environment: Environment): void {
  const compiled = compiler();
  const findAll = (text: string, pattern: string, limit = -1n): string[] =>
    compiled(pattern).findAll(text, limit < 0n ? undefined : Number(limit));
  environment.registerFunction(
    'string.find(string): string',
    (text: string, pattern: string) => compiled(pattern).findAll(text, 1)[0] ?? '',
  );
  environment.registerFunction(
    'string.findAll(string): list<string>',
    (text: string, pattern: string) => findAll(text, pattern),
  );
  environment.registerFunction('string.findAll(string, int): list<string>', findAll);
}

/** The name of `matches` at run time: the library's own uses JavaScript's regular expressions. */
const linearMatches = 'matchesInLinearTime';

/** Registers our `matches`, for an environment in which rules only run. */
export function registerMatches(environment: Environment): void {
  const compiled = compiler();
  environment.registerFunction(
    `string.${linearMatches}(string): bool`,
    (text: string, pattern: string) => compiled(pattern).test(text),
  );
}

/** Redirects the calls of `matches` in a parsed rule to ours; must be called before its first run. */
export function redirectMatches(nodes: readonly ASTNode[]): void {
  for (const node of nodes) {
    if (node.op === 'rcall' && node.args[0] === 'matches') node.args[0] = linearMatches;
  }
}

function compiler(): (pattern: string) => GoRegExp {
  const known = new Map<string, GoRegExp>();
  return (pattern) => {
    const found = known.get(pattern);
    if (found !== undefined) return found;
    const compiled = goRegExp(pattern);
    if ('problem' in compiled) throw new Error(compiled.problem);
    if (known.size >= maxCompiled) known.clear();
    known.set(pattern, compiled.regExp);
    return compiled.regExp;
  };
}
