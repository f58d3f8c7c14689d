import { Environment, Optional } from '@marcbachmann/cel-js';
import type { Schema, ValidationRule } from '../schema/schema.ts';
import { registerFunctions } from './functions.ts';
import { withPlainHas } from './has.ts';
import { checkProblem, gapProblem, nodesOf } from './problems.ts';
import { registerQuantities } from './quantities.ts';
import { redirectMatches, registerMatches } from './regular-expressions.ts';
import { type CelType, declareType } from './types.ts';

/** A rule ready to run, or the reason why it cannot run. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly usesOldSelf: boolean;
  readonly program?: Program;
  readonly message?: Program;
  /** The server's refusal of the rule, without the field. */
  readonly problem?: string;
  readonly messageProblem?: string;
}

export interface Program {
  /** Evaluates the rule on JSON values; throws what CEL calls an error. */
  readonly run: (values: { self: unknown; oldSelf: unknown }) => unknown;
}

/** A schema whose rules are compiled, and the schema of their `self`. */
export interface RuleSite {
  /** Holds the rules. */
  readonly rules: readonly ValidationRule[];
  readonly schema: Schema;
  readonly isResource: boolean;
}

const compiled = new WeakMap<readonly ValidationRule[], readonly CompiledRule[]>();

/** The rules of a schema, compiled once. */
export function compileRules(site: RuleSite): readonly CompiledRule[] {
  const known = compiled.get(site.rules);
  if (known !== undefined) return known;
  const base = new Environment({
    enableOptionalTypes: true,
    // Kubernetes checks literals too, but not the arguments of format().
    homogeneousAggregateLiterals: false,
  });
  registerFunctions(base);
  registerQuantities(base);
  const self = declareType(site.schema, site.isResource, { environment: base, path: 'object' });
  const rules = site.rules.map((rule) => compileRule(rule, self, base));
  compiled.set(site.rules, rules);
  return rules;
}

function compileRule(
  rule: ValidationRule,
  self: CelType | undefined,
  base: Environment,
): CompiledRule {
  if (self === undefined) {
    const problem = 'failed to convert to declType for CEL validation rules';
    return { rule, usesOldSelf: false, problem };
  }
  const isOptional = rule.optionalOldSelf === true;
  const environment = base.clone();
  environment.registerVariable('self', self.name);
  environment.registerVariable('oldSelf', isOptional ? `optional<${self.name}>` : self.name);
  const compile = { environment, self, isOptional };
  const program = compileExpression(rule.rule, 'bool', compile);
  if ('problem' in program) {
    return { rule, usesOldSelf: false, problem: program.problem };
  }
  const { usesOldSelf } = program;
  const { messageExpression = '' } = rule;
  if (messageExpression === '') return { rule, usesOldSelf, program };
  const message = compileExpression(messageExpression, 'string', compile);
  return 'problem' in message
    ? { rule, usesOldSelf, program, messageProblem: `messageExpression ${message.problem}` }
    : { rule, usesOldSelf, program, message };
}

interface Compile {
  readonly environment: Environment;
  readonly self: CelType;
  readonly isOptional: boolean;
}

/** Functions of Kubernetes' CEL that are missing here, by the names under which rules call them. */
const missingLibraryCall =
  /(?<![\w.])(isURL|url|ip|isCIDR|cidr|isSemver|semver|lists\.range|transformList|transformMap|transformMapEntry|format\.\w+)\(/;

/** Macros with two variables, an index or key and a value: `list.all(i, v, …)`. */
const twoVariables = /\.(all|exists|exists_one|existsOne)\(\s*\w+\s*,\s*\w+\s*,/;

function missingLibrary(expression: string): string | undefined {
  const [, macro] = twoVariables.exec(expression) ?? [];
  if (macro !== undefined) {
    return `the two-variable form of ${macro}() is not implemented by the local cluster`;
  }
  const [, name] = missingLibraryCall.exec(expression) ?? [];
  return name && `the CEL function ${name}() is not implemented by the local cluster`;
}

function compileExpression(
  given: string,
  wanted: 'bool' | 'string',
  { environment, self, isOptional }: Compile,
): (Program & { usesOldSelf: boolean }) | { problem: string } {
  const expression = withPlainHas(given, environment);
  const { valid, type, error } = environment.check(expression);
  if (!valid) {
    const why = missingLibrary(expression) ?? checkProblem(expression, error);
    return { problem: `compilation failed: ${why}` };
  }
  const running = environment.clone();
  registerMatches(running);
  const parsed = running.parse(expression);
  const problem = gapProblem(expression, parsed.ast, self);
  if (problem !== undefined) return { problem: `compilation failed: ${problem}` };
  if (type !== wanted) {
    const text =
      wanted === 'bool' ? 'cel expression must evaluate to a bool' : 'must evaluate to a string';
    return { problem: text };
  }
  const nodes = nodesOf(parsed.ast);
  const usesOldSelf = nodes.some(({ op, args }) => op === 'id' && args === 'oldSelf');
  redirectMatches(nodes);
  return { usesOldSelf, run: (values) => parsed(activation(values, self, isOptional)) };
}

function activation(
  { self, oldSelf }: { self: unknown; oldSelf: unknown },
  { convert }: CelType,
  isOptional: boolean,
): Record<string, unknown> {
  const old = oldSelf === undefined || oldSelf === null ? undefined : convert(oldSelf);
  if (isOptional) return { self: convert(self), oldSelf: Optional.of(old) };
  return { self: convert(self), ...(old !== undefined && { oldSelf: old }) };
}
