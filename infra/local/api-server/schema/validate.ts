import { checkValue } from './check-value.ts';
import type { Correlation } from './correlation.ts';
import { checkEmbeddedResources } from './embedded-resources.ts';
import type { FieldError } from './field-error.ts';
import { checkListTypes } from './list-types.ts';
import { checkRules } from './rules.ts';
import { isBuiltIn, type SchemaSource } from './schema.ts';

interface Validating {
  readonly old?: unknown;
  /** What was found wrong before, in the metadata: it too may make the rules meaningless. */
  readonly earlier?: readonly { readonly reason: string }[];
}

/**
 * Every way in which an object breaks its schema.
 *
 * Flow: the OpenAPI checks; then, for custom resources, embedded resources, list types and the CEL
 * rules, which are left out if the object is not even of the right shape.
 * Guarantees: with an old object, what the update leaves unchanged is not held against it.
 */
export function validate(
  source: SchemaSource,
  value: unknown,
  { old, earlier = [] }: Validating = {},
): FieldError[] {
  const { root: schema, definitions } = source;
  const builtIn = isBuiltIn(source);
  const correlation = builtIn || old === undefined ? undefined : { value, old, schema };
  const place = { value, schema, path: '', definitions, old: correlation, builtIn };
  const { errors } = checkValue(place);
  return builtIn ? errors : [...errors, ...checkCustom(source, place, [...earlier, ...errors])];
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
