import { type FieldError, noField } from '../errors/field-error.ts';
import { isObject } from '../json/value.ts';
import { isBuiltIn, type SchemaSource } from '../schema/schema.ts';
import { checkRules } from './cel-rules.ts';
import type { Checked } from './check-result.ts';
import { checkValue } from './check-value.ts';
import type { Correlation } from './correlation.ts';
import { checkEmbeddedResources } from './embedded-resources.ts';
import { checkListTypes } from './list-types.ts';

interface Validating {
  readonly old?: unknown;
  /** Earlier errors in the metadata, which may make the rules meaningless. */
  readonly earlier?: readonly { readonly reason: string }[];
  /** True for a write to the status alone; nothing else is validated. */
  readonly statusOnly?: boolean;
}

/**
 * Finds every way in which an object violates its schema.
 *
 * Flow: the OpenAPI checks; then, for custom resources of the right shape, embedded resources, list types
 * and the CEL rules.
 * Guarantees: with an old object, values that the update leaves unchanged are not reported.
 */
export function validate(
  source: SchemaSource,
  value: unknown,
  { old, earlier = [], statusOnly = false }: Validating = {},
): FieldError[] {
  const { root: schema, definitions } = source;
  const builtIn = isBuiltIn(source);
  const correlation = builtIn || old === undefined ? undefined : { value, old, schema };
  const place = { value, schema, path: '', definitions, old: correlation, builtIn };
  const errors = statusOnly && !builtIn ? checkStatus(place) : checkValue(place).errors;
  return builtIn ? errors : [...errors, ...checkCustom(source, place, [...earlier, ...errors])];
}

/** The status is checked by itself. Errors name its fields from the root; messages name them from the status. */
function checkStatus(whole: Checked): FieldError[] {
  const now = statusOf(whole.value);
  const then = statusOf(whole.old?.old);
  const schema = whole.schema.properties?.status;
  const isNothing = now === undefined || (now === null && (then ?? null) === null);
  if (schema === undefined || isNothing) return [];
  const old = then === undefined ? undefined : { value: now, old: then, schema };
  return checkValue({ ...whole, value: now, schema, old }).errors.map((error) => ({
    ...error,
    field: error.field === noField ? 'status' : `status.${error.field}`,
  }));
}

function statusOf(object: unknown): unknown {
  return isObject(object) ? object.status : undefined;
}

function checkCustom(
  { root }: SchemaSource,
  { value, old }: { value: unknown; old: Correlation | undefined },
  errors: readonly { readonly reason: string }[],
): FieldError[] {
  const embedded = checkEmbeddedResources(value, root, '');
  const hadDuplicates = old !== undefined && checkListTypes(old.old, root, '').length > 0;
  const lists = hadDuplicates ? [] : checkListTypes(value, root, '');
  const found = [...embedded, ...lists];
  const isShapeless = [...errors, ...found].some(({ reason }) => blocking.has(reason));
  return [
    ...found,
    ...checkRules({ value, schema: root, correlation: old, isShapeless, isResource: true }),
  ];
}

const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
