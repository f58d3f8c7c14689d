import { type ASTNode, type Environment, serialize } from '@marcbachmann/cel-js';
import { nodesOf } from './problems.ts';

type Field = ASTNode & { op: '.' };

/**
 * Rewrites `has(E.f)` as `[E].exists(held, has(held.f))` where E is not a path from a variable, such as
 * `self.list[0]`, because the library refuses it. An error in such an expression names a column of the new text.
 */
export function withPlainHas(expression: string, environment: Environment): string {
  if (!expression.includes('has(')) return expression;
  const found = indirectHas(expression, environment);
  if (found === undefined) return expression;
  const { call, field } = found;
  const [of, name] = field.args;
  const plain = `[${serialize(of)}].exists(held, has(held.${name}))`;
  const rewritten = expression.slice(0, call.start) + plain + expression.slice(call.end);
  return withPlainHas(rewritten, environment);
}

function indirectHas(
  expression: string,
  environment: Environment,
): { call: ASTNode; field: Field } | undefined {
  for (const call of parsed(expression, environment)) {
    const [field] = call.op === 'call' && call.args[0] === 'has' ? call.args[1] : [];
    if (field?.op === '.' && !isPath(field)) return { call, field };
  }
  return undefined;
}

/** The nodes of an expression; none if it cannot be parsed, which its check reports. */
function parsed(expression: string, environment: Environment): readonly ASTNode[] {
  try {
    return nodesOf(environment.parse(expression).ast);
  } catch {
    return [];
  }
}

function isPath(node: ASTNode): boolean {
  if (node.op === '.' || node.op === '.?') return isPath(node.args[0]);
  return node.op === 'id';
}
