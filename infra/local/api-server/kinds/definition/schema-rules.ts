import { type CompiledRule, compileRules } from '../../cel/compile.ts';
import { asResource } from '../../cel/types.ts';
import { type FieldError, invalid, notSupported, required } from '../../errors/field-error.ts';
import type { Schema, ValidationRule } from '../../schema/schema.ts';
import {
  costErrors,
  costOf,
  countOfChildren,
  type RuleCost,
  totalCostErrors,
} from './rule-costs.ts';

/** Finds CEL rules in a schema that the real server refuses, or that this server cannot run. */
export function checkSchemaRules(schema: Schema, path: string): FieldError[] {
  const costs: RuleCost[] = [];
  const errors = checkRulesAt({ schema, path, isResource: true, count: 1, costs });
  return [...errors, ...totalCostErrors(costs, path)];
}

interface Place {
  readonly schema: Schema;
  readonly path: string;
  readonly isResource: boolean;
  /** The maximum number of values here in one object; undefined if nothing bounds it. */
  readonly count: number | undefined;
  /** The nearest enclosing list whose items have no old value. */
  readonly uncorrelated?: string;
  /** Gathers what the rules cost. */
  readonly costs: RuleCost[];
}

function checkRulesAt(place: Place): FieldError[] {
  const { schema, path } = place;
  const rules = schema['x-kubernetes-validations'] ?? [];
  const texts = rules.flatMap((rule, index) =>
    checkTexts(rule, schema, `${path}.x-kubernetes-validations[${index}]`),
  );
  const own = texts.length > 0 ? texts : checkCompiled(rules, place);
  return [...own, ...childrenOf(place).flatMap(checkRulesAt)];
}

function childrenOf({ schema, path, uncorrelated, count, costs }: Place): Place[] {
  const { properties = {}, additionalProperties, items } = schema;
  const child = (inner: Schema, name: string, list = uncorrelated): Place => ({
    schema: inner,
    path: `${path}.${name}`,
    isResource: inner['x-kubernetes-embedded-resource'] === true,
    count: countOfChildren(schema, count),
    costs,
    ...(list !== undefined && { uncorrelated: list }),
  });
  const isKeyed = schema['x-kubernetes-list-type'] === 'map';
  return [
    ...Object.entries(properties).map(([name, property]) => child(property, `properties[${name}]`)),
    ...(typeof additionalProperties === 'object'
      ? [child(additionalProperties, 'additionalProperties')]
      : []),
    ...(items === undefined
      ? []
      : [child(items, 'items', isKeyed ? uncorrelated : (uncorrelated ?? path))]),
  ];
}

const reasons = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];

function checkTexts(rule: ValidationRule, schema: Schema, path: string): FieldError[] {
  const { message = '', messageExpression = '', reason, fieldPath = '' } = rule;
  const errors: FieldError[] = [];
  if (rule.rule.trim() === '') errors.push(required(`${path}.rule`, 'rule is not specified'));
  else if (message !== '' && message.trim() === '') {
    errors.push(invalid(`${path}.message`, message, 'must be non-empty if specified'));
  } else if (/[\n\r]/.test(message.trim())) {
    errors.push(invalid(`${path}.message`, message, 'must not contain line breaks'));
  } else if (/[\n\r]/.test(rule.rule.trim()) && message.trim() === '') {
    const detail = 'message must be specified if rule contains line breaks';
    errors.push(required(`${path}.message`, detail));
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    const detail = 'messageExpression must be non-empty if specified';
    errors.push(required(`${path}.messageExpression`, detail));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(notSupported(`${path}.reason`, reason, reasons));
  }
  if (fieldPath !== '' && !leadsSomewhere(fieldPath, schema)) {
    errors.push(invalid(`${path}.fieldPath`, fieldPath, 'must be a valid path'));
  }
  return errors;
}

const step = /^(?:\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\])/;

function leadsSomewhere(fieldPath: string, schema: Schema): boolean {
  let rest = fieldPath;
  let at: Schema | undefined = schema;
  while (rest !== '' && at !== undefined) {
    const match = step.exec(rest);
    if (match === null) return false;
    const [text, dotted, quoted = ''] = match;
    const next: Schema | undefined = at.properties?.[dotted ?? quoted];
    const values: Schema | boolean | undefined = at.additionalProperties;
    at = next ?? (typeof values === 'object' ? values : undefined);
    rest = rest.slice(text.length);
  }
  return at !== undefined;
}

function checkCompiled(rules: readonly ValidationRule[], place: Place): FieldError[] {
  const { schema, path, isResource } = place;
  if (rules.length === 0) return [];
  return compileRules({ rules, schema, isResource }).flatMap((compiled, index) => {
    const field = `${path}.x-kubernetes-validations[${index}]`;
    return [...checkCosts(compiled, field, place), ...checkOne(compiled, field, place)];
  });
}

function checkCosts(
  { rule, program, message }: CompiledRule,
  path: string,
  { schema, isResource, count, costs }: Place,
): FieldError[] {
  const self = isResource ? asResource(schema) : schema;
  const check = (expression: string, name: string, label: string): FieldError[] => {
    const cost = { field: `${path}.${name}`, cost: costOf(expression, self, count) };
    costs.push(cost);
    return costErrors(cost, `estimated ${label} cost`);
  };
  const { messageExpression = '' } = rule;
  return [
    ...(program === undefined ? [] : check(rule.rule, 'rule', 'rule')),
    ...(message === undefined
      ? []
      : check(messageExpression, 'messageExpression', 'messageExpression')),
  ];
}

function checkOne(compiled: CompiledRule, field: string, { uncorrelated }: Place): FieldError[] {
  const { rule, problem, messageProblem, usesOldSelf } = compiled;
  const shown = inGo(rule);
  const errors: FieldError[] = [];
  if (problem !== undefined) errors.push(invalid(`${field}.rule`, shown, problem));
  if (messageProblem !== undefined) {
    errors.push(invalid(`${field}.messageExpression`, shown, messageProblem));
  }
  if (usesOldSelf && uncorrelated !== undefined) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
    errors.push(invalid(`${field}.rule`, rule.rule, detail));
  }
  if (!usesOldSelf && problem === undefined && rule.optionalOldSelf !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule';
    errors.push(invalid(`${field}.optionalOldSelf`, rule.optionalOldSelf, detail));
  }
  return errors;
}

/** Formats a rule as in the server's messages. */
function inGo(rule: ValidationRule): Readonly<Record<string, unknown>> {
  return {
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}
