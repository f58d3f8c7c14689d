import { createHash } from 'node:crypto';
import type { FieldError } from '../../errors/field-error.ts';
import { jsonText } from '../../json/text.ts';
import type { Schema } from '../../schema/schema.ts';
import { checkDefaults } from './default-values.ts';
import { checkSchemaForm } from './schema-form.ts';
import { checkSchemaRules } from './schema-rules.ts';
import { checkInvariants } from './structural-form.ts';
import { checkCompleteness } from './structural-nested.ts';

/**
 * Finds everything that the server refuses in the schema of a new CustomResourceDefinition.
 *
 * Flow: checks the structural form; then, if that is valid, the default values; then the OpenAPI form; then,
 * if all of these are valid, the CEL rules.
 * Caveats: accepts more at the root of a schema with rules and a status subresource than the real server.
 */
export function checkStructural(
  schema: Schema,
  path = 'spec.validation.openAPIV3Schema',
): FieldError[] {
  const digest = createHash('sha256').update(jsonText(schema)).digest('base64');
  if (sound.has(digest)) return [];
  const errors = errorsIn(schema, path);
  if (errors.length > 0) return errors;
  if (sound.size >= maxSound) sound.clear();
  sound.add(digest);
  return [];
}

/**
 * Digests of valid schemas. A definition is checked at each write, even of its status, and most of that time
 * goes into compiling patterns and rules.
 */
const sound = new Set<string>();
const maxSound = 1_000;

function errorsIn(schema: Schema, path: string): FieldError[] {
  const form = [...checkInvariants(schema, 'root', path), ...checkCompleteness(schema, path)].sort(
    byText,
  );
  const defaults = form.length > 0 ? [] : checkDefaults(schema, path);
  const open = checkSchemaForm(schema, path, { isRoot: true });
  const errors = [...form, ...defaults, ...open];
  return errors.length > 0 ? errors : checkSchemaRules(schema, path);
}

function byText(a: FieldError, b: FieldError): number {
  const [left, right] = [`${a.field}: ${a.message}`, `${b.field}: ${b.message}`];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
