import { type CompiledRule, compileRules } from '../cel/compile.ts';
import { evaluationProblem } from '../cel/problems.ts';
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  noField,
  omitted,
  required,
} from '../errors/field-error.ts';
import { own } from '../json/own.ts';
import { isObject } from '../json/value.ts';
import type { Schema, ValidationRule } from '../schema/schema.ts';
import { type Correlation, childOf, isValueUnchanged } from './correlation.ts';

interface RuledObject {
  readonly value: unknown;
  readonly schema: Schema;
  /** Undefined for a create. */
  readonly correlation: Correlation | undefined;
  /** Default: that of the correlation. */
  readonly old?: unknown;
  /** True if earlier errors make the rules meaningless. */
  readonly isShapeless: boolean;
  /** True for a whole object with apiVersion, kind and metadata, false for a value within one. */
  readonly isResource: boolean;
}

/**
 * Runs the CEL rules of a schema on an object.
 *
 * Guarantees: a rule that uses oldSelf runs only if there is an old value, unless the rule declares it
 * optional. Any other rule skips values that an update leaves unchanged.
 */
export function checkRules(object: RuledObject): FieldError[] {
  const { value, schema, correlation, old = correlation?.old, isShapeless, isResource } = object;
  if (!hasRules(schema)) return [];
  if (isShapeless) return [notChecked];
  const site = { rules: schema, node: schema, isResource };
  return checkNode({ ...site, value, old, path: '', correlation, parent: undefined });
}

const notChecked = invalid(
  noField,
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

const ruled = new WeakMap<Schema, boolean>();

function hasRules(schema: Schema): boolean {
  let known = ruled.get(schema);
  if (known === undefined) {
    known = isRuled(schema) || childSchemas(schema).some(hasRules);
    ruled.set(schema, known);
  }
  return known;
}

function isRuled(schema: Schema): boolean {
  return (schema['x-kubernetes-validations'] ?? []).length > 0;
}

function childSchemas({
  properties = {},
  additionalProperties,
  items,
  allOf = [],
}: Schema): Schema[] {
  const rest = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  return [...Object.values(properties), ...rest, ...(items ? [items] : []), ...allOf];
}

interface Node {
  /** The schema that contains the rules; within `allOf` it is not the schema that types the value. */
  readonly rules: Schema;
  readonly node: Schema;
  readonly isResource: boolean;
  readonly value: unknown;
  readonly old: unknown;
  readonly path: string;
  readonly correlation: Correlation | undefined;
  /** The nearest correlated value above. */
  readonly parent: Correlation | undefined;
}

function checkNode(at: Node): FieldError[] {
  if (at.value === null || at.value === undefined || !hasRules(at.rules)) return [];
  const alternatives = (at.rules.allOf ?? []).flatMap((rules) =>
    checkNode({ ...at, rules, correlation: undefined }),
  );
  return [...checkOwn(at), ...alternatives, ...checkChildren(at)];
}

function checkChildren(at: Node): FieldError[] {
  const { rules, node, value } = at;
  if (Array.isArray(value)) {
    if (rules.items === undefined || node.items === undefined) return [];
    const site = siteOf(rules.items, node.items);
    return value.flatMap((item, index) => {
      const child = { ...site, value: item, old: oldItem(at, item), path: `${at.path}[${index}]` };
      return checkNode({ ...child, ...correlate(at, index) });
    });
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const site = fieldSite(at, name);
    if (site === undefined) return [];
    const old = isObject(at.old) ? own(at.old, name) : undefined;
    return checkNode({ ...site, value: field, old, ...correlate(at, name) });
  });
}

type Site = Pick<Node, 'rules' | 'node' | 'isResource'>;

function siteOf(rules: Schema, node: Schema): Site {
  return { rules, node, isResource: node['x-kubernetes-embedded-resource'] === true };
}

function fieldSite(
  { rules, node, path }: Node,
  name: string,
): (Site & { path: string }) | undefined {
  const property = own(rules.properties, name);
  const nodeProperty = own(node.properties, name);
  if (property !== undefined && nodeProperty !== undefined) {
    return { ...siteOf(property, nodeProperty), path: path === '' ? name : `${path}.${name}` };
  }
  const [rest, nodeRest] = [rules.additionalProperties, node.additionalProperties];
  if (typeof rest !== 'object' || typeof nodeRest !== 'object') return undefined;
  return { ...siteOf(rest, nodeRest), path: `${path}[${name}]` };
}

function correlate(
  { correlation, parent }: Node,
  key: string | number,
): Pick<Node, 'correlation' | 'parent'> {
  if (correlation === undefined) return { correlation, parent };
  return { correlation: childOf(correlation, key), parent: correlation };
}

/** Returns the old item with the same keys, in a list that has keys. */
function oldItem({ node, value, old }: Node, item: unknown): unknown {
  if (!Array.isArray(value) || !Array.isArray(old)) return undefined;
  return childOf({ value, old, schema: node }, value.indexOf(item))?.old;
}

function checkOwn(at: Node): FieldError[] {
  const rules = at.rules['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) return [];
  const site = { rules, schema: at.node, isResource: at.isResource };
  return compileRules(site).flatMap((compiled) => checkRule(compiled, at));
}

function checkRule(compiled: CompiledRule, at: Node): FieldError[] {
  const { rule, usesOldSelf, program, problem = '' } = compiled;
  const field = at.path || noField;
  const type = at.isResource ? 'object' : (at.node.type ?? '');
  if (program === undefined) return [invalid(field, type, `rule compile error: ${problem}`)];
  const hasOld = at.old !== undefined && at.old !== null;
  if (usesOldSelf && !hasOld && rule.optionalOldSelf !== true) return [];
  const values = { self: at.value, oldSelf: at.old };
  try {
    if (program.run(values) === true) return [];
  } catch (error) {
    return [invalid(field, type, failureText(evaluationProblem(error), rule))];
  }
  const basis = at.correlation ?? at.parent;
  if (!usesOldSelf && basis !== undefined && isValueUnchanged(basis)) return [];
  const bad = type === 'object' || type === 'array' ? omitted : at.value;
  return [ruleError(rule, { path: at.path, value: bad, detail: detailOf(compiled, values) })];
}

function failureText(problem: string, rule: ValidationRule): string {
  const name = (rule.message || rule.rule).trim();
  return problem.startsWith('no such overload')
    ? `'${problem}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`
    : `${problem} evaluating rule: ${name}`;
}

function detailOf(
  { rule, message }: CompiledRule,
  values: { self: unknown; oldSelf: unknown },
): string {
  const computed = message && textOf(() => message.run(values));
  if (computed !== undefined) return computed;
  const { message: fixed = '' } = rule;
  return fixed === '' ? `failed rule: ${rule.rule.trim()}` : fixed.trim();
}

const maxMessageBytes = 5 * 1024;

/** A message expression that fails or yields an unusable text falls back to the fixed message. */
function textOf(run: () => unknown): string | undefined {
  try {
    const text = String(run()).trim();
    const isFit = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= maxMessageBytes;
    return isFit ? text : undefined;
  } catch {
    return undefined;
  }
}

function ruleError(
  { reason, fieldPath = '' }: ValidationRule,
  { path, value, detail }: { path: string; value: unknown; detail: string },
): FieldError {
  const below = fieldPath.replace(/\['((?:[^'\\]|\\.)*)'\]/g, '.$1').replace(/^\./, '');
  const field = [path, below].filter((part) => part !== '').join('.') || noField;
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(field, detail);
    case 'FieldValueRequired':
      return required(field, detail);
    case 'FieldValueDuplicate':
      return duplicate(field, value);
    default:
      return invalid(field, value, detail);
  }
}
