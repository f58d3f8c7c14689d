import { type FieldError, required } from '../../errors/field-error.ts';
import { isObject } from '../../json/value.ts';
import { resolveRef, type Schema, type SchemaSource } from '../../schema/schema.ts';

/** Finds required strings that are empty. Decoding adds an empty string for an absent string. */
export function missingTexts(object: object, { root, definitions }: SchemaSource): FieldError[] {
  const visit = (value: unknown, given: Schema, path: string): FieldError[] => {
    const schema = resolveRef(given, definitions);
    if (Array.isArray(value)) {
      const { items } = schema;
      if (items === undefined) return [];
      return value.flatMap((item, index) => visit(item, items, `${path}[${index}]`));
    }
    if (!isObject(value)) return [];
    return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
      const place = path === '' ? name : `${path}.${name}`;
      const isMissing = value[name] === '' && schema.required?.includes(name) === true;
      return isMissing ? [required(place)] : visit(value[name], field, place);
    });
  };
  const { metadata: _, status: _status, ...content } = object as Record<string, unknown>;
  return visit(content, root, '');
}
